//! Tests the OCSP response in manifests through the whole service: what `revocation` stores of what a responder says, and
//! that captures embed it, and go on without it.

use c2pa::ValidationState;
use lacre_tests::{
    Service, Storage, frame,
    log::ask_authorities,
    responder::{Responder, Says},
    verifiers::{c2pa_reader, independent, ours},
};
use lacre_verify::Report;

const LICENSE: &str = "LICENSE_KEY";

/// Runs the function once. Returns whether a response is stale, and whether the certificate is revoked.
async fn refresh(service: &Service) -> (bool, bool) {
    let [is_stale, _, is_revoked] = ask_authorities(service).await;
    (is_stale, is_revoked)
}

/// The number of stored responses, replicas included.
async fn stored(service: &Service) -> usize {
    let items = Storage::of(service).items("ACCOUNTS_TABLE").await;
    items.iter().filter(|item| item["pk"].as_s().unwrap().starts_with("staple#")).count()
}

fn anchors(service: &Service, responder: &Responder) -> String {
    service.trust_anchors().to_owned() + &responder.root()
}

/// The report of a capture, which the C2PA library's reader trusts.
async fn capture(service: &Service, responder: &Responder) -> Report {
    let photo = service.capture(LICENSE, &frame::fresh()).await.1.photo();
    let anchors = anchors(service, responder);
    let (report, contents) = ours(&photo, &anchors);
    assert!(report.valid, "{report}");
    assert_eq!(c2pa_reader(&photo, &contents.unwrap().manifest, &anchors), [ValidationState::Trusted; 2]);
    report
}

fn is_stapled(report: Report) -> bool {
    report.claim.unwrap().staple.is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_carry_the_stored_response() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    responder.says(Says::Slow);
    assert!(!is_stapled(capture(&service, &responder).await), "nothing is stored yet");
    assert_eq!((refresh(&service).await, responder.take_asked()), ((false, false), 1));
    assert_eq!(stored(&service).await, usize::from(lacre_domain::limits::RECORD_REPLICAS));
    let claim = capture(&service, &responder).await.claim.unwrap();
    let [stapled, stamped] = [&claim.staple.unwrap().this_update, &claim.timestamp.unwrap().time];
    assert!(stapled[..19] < stamped[..19], "a response of {stapled} is stored before that second has passed");
    assert_eq!(responder.take_asked(), 0, "no capture asks");

    responder.says(Says::GoodFor(20));
    assert_eq!(refresh(&service).await, (false, false));
    let (loaded, photo) = (service.open(LICENSE).await, frame::fresh());
    assert_eq!(service.upload(&loaded, &photo).await, 200);
    // Less than a quarter of an hour before the nextUpdate.
    service.clock.advance(time::Duration::minutes(6));
    let photo = service.ingest(&service.submission(&loaded, &photo)).await.photo();
    let anchors = lacre_verify::Anchors::from_pem(&anchors(&service, &responder)).unwrap();
    let report = lacre_verify::check(&photo, &anchors, lacre_domain::Clock::now(&*service.clock)).report;
    assert!(report.valid && !is_stapled(report), "it is no longer current");
}

#[tokio::test(flavor = "multi_thread")]
async fn independent_verifiers_accept_embedded_responses() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    refresh(&service).await;
    let photo = service.capture(LICENSE, &frame::fresh()).await.1.photo();
    let folder = tempfile::tempdir().unwrap();
    let [file, roots] = ["photo.jpg", "anchors.pem"].map(|name| folder.path().join(name));
    std::fs::write(&file, &photo).unwrap();
    std::fs::write(&roots, anchors(&service, &responder)).unwrap();
    assert!(is_stapled(ours(&photo, &anchors(&service, &responder)).0));
    let said = independent(&file, &roots);
    assert!(said.contains("c2pa-python: the embedded manifest is Trusted"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_responses_keep_the_one_before() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    refresh(&service).await;
    let before = stored(&service).await;
    for says in [Says::GoodFor(5), Says::Forged, Says::Unavailable, Says::Redirects, Says::Endless, Says::Garbage] {
        responder.says(says);
        assert_eq!(refresh(&service).await, (true, false), "{says:?}");
        assert_eq!(stored(&service).await, before, "{says:?}");
    }
    assert!(is_stapled(capture(&service, &responder).await));
    responder.says(Says::Good);
    assert_eq!(refresh(&service).await, (false, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_is_counted_never_stapled() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    refresh(&service).await;
    responder.says(Says::Revoked);
    assert_eq!(refresh(&service).await, (false, true));
    assert_eq!(stored(&service).await, 0);
    assert!(!is_stapled(capture(&service, &responder).await), "captures go on");
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_without_responder_need_none() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    assert_eq!(refresh(&service).await, (false, false));
    assert_ne!(stored(&service).await, 0);
    // The development certificate names a responder in a reserved domain.
    let issued = lacre_pki::ClaimPki::generate(time::OffsetDateTime::now_utc()).unwrap();
    let key = lacre_proof_fixtures::Sandbox::shared().signers().claim_public_key().to_vec();
    let chain = issued.issue_leaf(&key, time::OffsetDateTime::now_utc()).unwrap();
    service.change_profile(lacre_domain::Environment::Sandbox, |profile| profile.claim.chain_pem = chain).await;
    responder.take_asked();
    assert_eq!((refresh(&service).await, responder.take_asked()), ((false, false), 0));
    assert_eq!(stored(&service).await, 0, "that of the certificate before is deleted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_response_stops_no_capture() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    refresh(&service).await;
    let key = [("pk", "staple#SANDBOX".to_owned()), ("sk", "staple".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &key, "response").await;
    assert!(!is_stapled(capture(&service, &responder).await));
}
