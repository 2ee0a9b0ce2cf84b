//! Tests a license that requires timestamps: a capture has both, or nothing is delivered and nothing is lost.

use std::time::Duration;

use c2pa::ValidationState;
use lacre_domain::Environment;
use lacre_tests::{
    Authority, Behavior, Service, frame,
    service::{Loaded, refusal},
    verifiers::{c2pa_reader, ours},
};

const LICENSE: &str = "LICENSE_KEY_TSA";

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_carries_both_timestamps() {
    let service = Service::start().await;
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    let (_, answer) = service.capture(LICENSE, &frame::fresh()).await;
    assert_eq!(authority.take_asked(), 2);
    let photo = answer.photo();
    let (report, contents) = ours(&photo, service.trust_anchors());
    assert!(report.valid, "{report}");
    let readers = c2pa_reader(&photo, &contents.unwrap().manifest, service.trust_anchors());
    assert_eq!(readers, [ValidationState::Trusted; 2]);
    let (seal, claim) = (report.seal.unwrap(), report.claim.unwrap());
    assert_eq!(seal.policy_name, Some("AD-RT v2.4"));
    assert!(seal.timestamp.is_some() && claim.timestamp.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_authority_fault_loses_a_photo() {
    let service = Service::start().await;
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    // Makes a timestamp for `Replays` to repeat.
    service.capture(LICENSE, &frame::fresh()).await.1.ok();
    for behavior in [
        Behavior::Late(Duration::from_secs(5)),
        Behavior::Hangs,
        Behavior::ServiceUnavailable,
        Behavior::Redirects,
        Behavior::Garbage,
        Behavior::Endless,
        Behavior::Replays,
        Behavior::Forges,
        Behavior::Off(time::Duration::minutes(-2)),
        Behavior::Off(time::Duration::minutes(6)),
    ] {
        let photo = frame::fresh();
        let loaded = service.open(LICENSE).await;
        authority.set_behavior(behavior);
        assert_eq!(service.capture_in(&loaded, &photo).await.outcome(), unavailable(), "{behavior:?}");
        authority.set_behavior(Behavior::Honest);
        works_again(&service, &loaded, &photo).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_authority_is_not_used() {
    let service = Service::start().await;
    let now = time::OffsetDateTime::now_utc();
    let others = lacre_pki::TimestampPki::generate(now).unwrap().anchors_pem().unwrap();
    let mut trusted = String::new();
    service
        .change_timestamps(Environment::Sandbox, |timestamps| {
            trusted = std::mem::replace(&mut timestamps.as_mut().unwrap().roots_pem, others);
        })
        .await;
    let (loaded, photo) = (service.open(LICENSE).await, frame::fresh());
    assert_eq!(service.capture_in(&loaded, &photo).await.outcome(), unavailable());
    service
        .change_timestamps(Environment::Sandbox, |timestamps| timestamps.as_mut().unwrap().roots_pem = trusted)
        .await;
    works_again(&service, &loaded, &photo).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signs_nothing_without_authorities() {
    let service = Service::start().await;
    let mut authorities = None;
    service.change_timestamps(Environment::Sandbox, |timestamps| authorities = timestamps.take()).await;
    let (loaded, photo) = (service.open(LICENSE).await, frame::fresh());
    assert_eq!(service.capture_in(&loaded, &photo).await.outcome(), unavailable());
    service.change_timestamps(Environment::Sandbox, |timestamps| *timestamps = authorities).await;
    works_again(&service, &loaded, &photo).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn falls_back_to_the_next_authority() {
    let service = Service::start().await;
    let (first, second) = (Authority::before(&service).await, Authority::before(&service).await);
    service.ask(&[&first, &second]).await;
    first.set_behavior(Behavior::ServiceUnavailable);
    service.capture(LICENSE, &frame::fresh()).await.1.ok();
    assert_eq!((first.take_asked(), second.take_asked()), (1, 2), "one that failed is not asked for the second");
    first.set_behavior(Behavior::Honest);
    service.capture(LICENSE, &frame::fresh()).await.1.ok();
    assert_eq!((first.take_asked(), second.take_asked()), (2, 0));
}

fn unavailable() -> (u16, serde_json::Value) {
    refusal(502, "Serviço temporariamente indisponível, tente novamente", Some("web_signer_unavailable"))
}

/// Checks that the same photo can be captured in the same session.
async fn works_again(service: &Service, loaded: &Loaded, photo: &[u8]) {
    let loaded = service.reload(&loaded.token).await;
    service.capture_in(&loaded, photo).await.ok();
    assert_eq!(service.results(&loaded.token).await.ok()["captured_count"], 1);
}
