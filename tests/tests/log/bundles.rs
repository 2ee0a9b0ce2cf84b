//! Tests the evidence bundles of timestamps: what `revocation` fetches for them, and how long they wait for it.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_administration::{LastingEvidence, LogAdministration};
use lacre_domain::{CaptureId, Clock, Environment, NamedTerms};
use lacre_storage::{Captures, LogFiles, Renewable};
use lacre_tests::{
    Service,
    customer::Customer,
    frame, journal,
    log::{ask_authorities, deliver, judged, sequencer},
    openssl::Bench,
    operator::caller,
    responder::{Responder, Says},
    vault::{CUSTODIAN, capture_id},
};
use lacre_verify::{Anchors, BundleFile, RevocationStatus};
use time::Duration;

const SANDBOX: Environment = Environment::Sandbox;

/// Timestamps a checkpoint now, and returns the timestamp.
async fn stamp(service: &Service) -> Renewable {
    let sequencer = sequencer(service, service.config(|_| None));
    deliver(&sequencer, &crate::captures(1)).await.unwrap();
    let day = service.clock.now().date();
    sequencer.date(&mut Vec::new()).await.unwrap();
    Renewable::Day(day)
}

async fn stored(service: &Service, of: Renewable) -> Option<Vec<u8>> {
    LogFiles::new(service.connection()).bundle(SANDBOX, of).await.unwrap()
}

/// The number of certificates, OCSP responses and lists in a bundle.
fn parts(bundle: &[u8]) -> [usize; 3] {
    let bundle = BundleFile::parse(bundle).unwrap().bundle;
    [bundle.certificates.len(), bundle.answers.len(), bundle.lists.len()]
}

/// Asks until there is a bundle: what is said within the second of the timestamp says nothing of it.
async fn complete(service: &Service, of: Renewable, is_stale: bool) -> Vec<u8> {
    for _ in 0..50 {
        assert_eq!(ask_authorities(service).await, [is_stale, false, false]);
        if let Some(bundle) = stored(service, of).await {
            return bundle;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{}", journal::lines());
}

/// The time for which a bundle waits.
const IN_VAIN: Duration = Duration::hours(48);

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_answers_for_its_photos() {
    let service = lacre_tests::vault::exporting_service().await;
    let responder = Responder::of(&service).await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let captured = customer.capture(&frame::fresh()).await.ok();
    let jpeg = BASE64_STANDARD.decode(captured["signed_image_base64"].as_str().unwrap()).unwrap();
    let id = capture_id(&captured);
    let admin =
        LogAdministration::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>, caller(CUSTODIAN));
    let record = Captures::new(service.connection()).read(&CaptureId::from_hex(&id).unwrap()).await.unwrap().unwrap();
    deliver(&sequencer(&service, service.config(|_| None)), &[record]).await.unwrap();

    let of = stamp(&service).await;
    let early = admin.evidence(&id, None).await.unwrap();
    let bundle = complete(&service, of, false).await;
    assert_eq!(parts(&bundle)[1..], [1, 0], "a response is smaller than a list");
    let bench = Bench::open();
    bench.write("bundle.p7b", &bundle);
    let said = bench.openssl("cms -cmsout -inform DER -in bundle.p7b -print -noout", &[]);
    assert!(said.contains("id-ri-ocsp-response") || said.contains("1.3.6.1.5.5.7.16.2"), "{said}");
    let evidence = admin.evidence(&id, None).await.unwrap();
    let day = of.day().unwrap();
    assert_eq!(evidence.bundles, [(format!("dated-{day}.p7b"), bundle.clone())]);
    let path = format!("{}/evidence/{}", service.variable("PROOFS_URL"), captured["session_id"].as_str().unwrap());
    let request = service.http.get(path).header("authorization", format!("Bearer {}", customer.api_key));
    let url = service.send(request).await.ok()["bundles"][0]["url"].as_str().unwrap().to_owned();
    let fetched = service.http.get(url).send().await.unwrap().error_for_status().unwrap();
    assert_eq!(fetched.bytes().await.unwrap(), bundle, "the URL of the client");

    let anchors = Anchors::from_pem(&(service.trust_anchors().to_owned() + &responder.root())).unwrap();
    let statuses = |evidence: &LastingEvidence| {
        let report = judged(&service, &jpeg, evidence, &anchors, service.clock.now() + Duration::days(1));
        assert!(report.valid, "{report}");
        let of_claim = report.revocations.into_iter().filter(|status| status.part == "claim");
        of_claim.map(|status| (status.certificate, status.status)).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&early), []);
    assert_eq!(statuses(&evidence), [("CN=Stapled,O=Company,C=BR".to_owned(), RevocationStatus::Good)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_replaces_a_missing_response() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    responder.says(Says::Unavailable);
    let of = stamp(&service).await;
    assert_eq!(parts(&complete(&service, of, true).await)[1..], [0, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn earlier_statements_end_the_wait_late() {
    let service = Service::start().await;
    let _responder = Responder::of(&service).await;
    // The servers' clock is the machine's.
    service.clock.advance(Duration::minutes(10));
    let of = stamp(&service).await;
    service.clock.advance(IN_VAIN - Duration::minutes(1));
    assert_eq!(ask_authorities(&service).await[1..], [false, false]);
    assert_eq!(stored(&service, of).await, None);
    service.clock.advance(Duration::minutes(1));
    assert_eq!(ask_authorities(&service).await[1..], [true, false]);
    assert_eq!(parts(&stored(&service, of).await.unwrap())[1..], [1, 1], "what there is");
    assert_eq!(ask_authorities(&service).await[1..], [false, false], "it is written once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_stays_is_not_missed() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    responder.says(Says::Unavailable);
    responder.lists(Says::GoodForDays(7));
    service.clock.advance(Duration::minutes(10));
    let of = stamp(&service).await;
    assert_eq!(ask_authorities(&service).await[1..], [false, false]);
    assert_eq!(stored(&service, of).await, None, "another one may come earlier");
    service.clock.advance(IN_VAIN);
    assert_eq!(ask_authorities(&service).await[1..], [false, false]);
    assert_eq!(parts(&stored(&service, of).await.unwrap())[1..], [0, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_servers_put_nothing_into_bundles() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    let of = stamp(&service).await;
    let hostile = [Says::Forged, Says::Stuffed, Says::Unavailable, Says::Redirects, Says::Endless, Says::Garbage];
    for says in hostile {
        responder.says(if says == Says::Stuffed { Says::Forged } else { says });
        responder.lists(says);
        assert_eq!(ask_authorities(&service).await[1..], [false, false], "{says:?}");
        assert_eq!(stored(&service, of).await, None, "{says:?}");
    }
    service.clock.advance(IN_VAIN);
    assert_eq!(ask_authorities(&service).await[1..], [true, false]);
    assert_eq!(parts(&stored(&service, of).await.unwrap()), [2, 0, 0], "the certificates of the timestamp");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_is_counted_and_kept() {
    let service = Service::start().await;
    let responder = Responder::of(&service).await;
    responder.says(Says::Unavailable);
    responder.lists(Says::Revoked);
    let of = stamp(&service).await;
    assert!(ask_authorities(&service).await[2]);
    service.clock.advance(IN_VAIN);
    ask_authorities(&service).await;
    assert_eq!(parts(&stored(&service, of).await.unwrap())[1..], [0, 1]);
}
