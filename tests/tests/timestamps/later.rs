//! Tests verification years later: proofs with timestamps still verify, those without do not, and the report says why.

use lacre_domain::Environment;
use lacre_tests::{Service, frame};
use lacre_verify::{Anchors, Report, check};
use time::{Duration, OffsetDateTime};

fn in_two_years(photo: &[u8], anchors: &str) -> Report {
    let later = OffsetDateTime::now_utc() + Duration::days(2 * 365);
    check(photo, &Anchors::from_pem(anchors).unwrap(), later).report
}

#[tokio::test(flavor = "multi_thread")]
async fn timestamps_outlast_the_certificates() {
    let service = Service::start().await;
    let with = service.capture("LICENSE_KEY_TSA", &frame::fresh()).await.1.photo();
    service.change_timestamps(Environment::Sandbox, |timestamps| *timestamps = None).await;
    let without = service.capture("LICENSE_KEY", &frame::fresh()).await.1.photo();

    let report = in_two_years(&with, service.trust_anchors());
    assert!(report.valid, "{report}");
    let report = in_two_years(&without, service.trust_anchors());
    let failed: Vec<_> = report.checks.iter().filter(|check| !check.holds).collect();
    let names: Vec<_> = failed.iter().map(|check| check.name).collect();
    assert_eq!(names, ["claim certificate", "seal certificate"], "{report}");
    for check in failed {
        let why = check.fault.as_deref().unwrap();
        assert!(why.contains("expired on") && why.contains("no valid timestamp proves an earlier signature"), "{why}");
    }
}
