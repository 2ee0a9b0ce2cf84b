//! Tests a license that does not require timestamps: they are added if authorities respond quickly, and the proof
//! states what it has.

use lacre_domain::Environment;
use lacre_tests::{Authority, Behavior, Service, frame, verifiers::ours};
use time::Duration;

const LICENSE: &str = "LICENSE_KEY";

#[tokio::test(flavor = "multi_thread")]
async fn delivers_photos_despite_authority_faults() {
    let service = Service::start().await;
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    for (behavior, policy) in [
        (Behavior::Honest, "AD-RT v2.4"),
        (Behavior::Hangs, "AD-RB v2.4"),
        (Behavior::ServiceUnavailable, "AD-RB v2.4"),
        (Behavior::Forges, "AD-RB v2.4"),
        (Behavior::Off(Duration::minutes(-2)), "AD-RB v2.4"),
        (Behavior::Honest, "AD-RT v2.4"),
    ] {
        authority.set_behavior(behavior);
        let (_, answer) = service.capture(LICENSE, &frame::fresh()).await;
        let (report, _) = ours(&answer.photo(), service.trust_anchors());
        assert!(report.valid, "{behavior:?}: {report}");
        let (seal, claim) = (report.seal.unwrap(), report.claim.unwrap());
        assert_eq!(seal.policy_name, Some(policy), "{behavior:?}");
        let stamped = (seal.timestamp.is_some(), claim.timestamp.is_some());
        assert_eq!(stamped, (behavior == Behavior::Honest, behavior == Behavior::Honest), "{behavior:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_no_request_without_authorities() {
    let service = Service::start().await;
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    service.change_timestamps(Environment::Sandbox, |timestamps| *timestamps = None).await;
    let (_, answer) = service.capture(LICENSE, &frame::fresh()).await;
    assert_eq!(authority.take_asked(), 0);
    let (report, _) = ours(&answer.photo(), service.trust_anchors());
    assert!(report.valid, "{report}");
    assert_eq!(report.seal.unwrap().policy_name, Some("AD-RB v2.4"));
}
