//! A license that demands no timestamps: they are taken where they are quick to be had, and the proof says what it has.

use domain::Environment;
use tests::{Authority, Mood, Service, frame, verifiers::ours};

const LICENSE: &str = "LICENSE_KEY";

#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_authority_does_the_photo_is_delivered() {
    let service = Service::start().await;
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    for (mood, policy) in [
        (Mood::Honest, "AD-RT v2.4"),
        (Mood::Hangs, "AD-RB v2.4"),
        (Mood::OutOfOrder, "AD-RB v2.4"),
        (Mood::Forges, "AD-RB v2.4"),
        (Mood::Honest, "AD-RT v2.4"),
    ] {
        authority.becomes(mood);
        let (_, answer) = service.capture(LICENSE, &frame::fresh()).await;
        let (report, _) = ours(&answer.photo(), service.trust_anchors());
        assert!(report.valid, "{mood:?}: {report}");
        let (seal, claim) = (report.seal.unwrap(), report.claim.unwrap());
        assert_eq!(seal.policy_name, Some(policy), "{mood:?}");
        let stamped = (seal.timestamp.is_some(), claim.timestamp.is_some());
        assert_eq!(stamped, (mood == Mood::Honest, mood == Mood::Honest), "{mood:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_authorities_nobody_is_asked() {
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
