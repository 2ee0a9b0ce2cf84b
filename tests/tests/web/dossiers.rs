//! A client gets a dossier of all photos of a reference, and nobody else's.

use std::io::Cursor;

use lacre_api::dossier::{DossierFile, DossierIndex, PhotoState};
use lacre_domain::{Clock, Environment, NamedTerms, Operation, ReferenceId, Sha256Digest, StoreAssetPolicy, limits};
use lacre_dossier::Archive;
use lacre_storage::{Case, LogSigner, PageRequest, Refusals};
use lacre_tests::{
    Answer, Fault, Service, Storage,
    customer::Customer,
    frame,
    kits::kit,
    log::{add_leaf, ask_authorities, run_on, sequencer},
    service::{Loaded, refusal, unknown_api_key},
};
use lacre_verify::{DossierReport, DossierRequirements, Outcome, Revocations, TrustList, TrustStore};
use serde_json::{Value, json};
use time::Duration;

const SANDBOX: Environment = Environment::Sandbox;
/// The reference of all customers' sessions.
const REFERENCE: &str = "sinistro-42";

async fn ask(service: &Service, api_key: &str, body: &Value) -> Answer {
    let request = service.http.post(format!("{}/dossiers", service.variable("PROOFS_URL"))).json(body);
    service.send(request.header("authorization", format!("Bearer {api_key}"))).await
}

/// A dossier that was made, whose file has the stated hash and size.
async fn made(service: &Service, api_key: &str, body: &Value) -> Vec<u8> {
    let answer = ask(service, api_key, body).await.ok();
    let file: DossierFile = serde_json::from_value(answer).unwrap();
    let archive = Storage::of(service).object_at(file.url.as_str()).await;
    assert_eq!((file.bytes, file.sha256.as_str()), (archive.len() as u64, &*Sha256Digest::of(&archive).hex()));
    archive
}

fn requirements() -> DossierRequirements {
    DossierRequirements {
        environment: SANDBOX,
        seal_holder: None,
        claim_subject: None,
        log_key: None,
        witnesses: vec![],
        witness_policy: None,
    }
}

fn check(service: &Service, archive: &[u8], requirements: &DossierRequirements) -> DossierReport {
    let store = TrustStore::of(TrustList::of_file("roots", service.trust_anchors()).unwrap());
    store.check_dossier(Cursor::new(archive), Revocations::default(), requirements, service.clock.now()).unwrap()
}

fn retains(store_asset_policy: StoreAssetPolicy) -> NamedTerms {
    NamedTerms { store_asset_policy: Some(store_asset_policy), ..NamedTerms::default() }
}

/// Captures a photo, and returns its `session_id`.
async fn captured(customer: &Customer<'_>) -> String {
    customer.capture(&frame::fresh()).await.ok()["session_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn dossiers_have_every_photo_of_a_reference() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, retains(StoreAssetPolicy::Always)).await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(captured(&customer).await);
    }
    // Of another client, with the same reference.
    captured(&Customer::new(&service, SANDBOX, NamedTerms::default()).await).await;
    let evidence = service.evidence();
    evidence.withhold(&ids[1], "case 7").await.unwrap();
    evidence.erase(&ids[2], "request 8").await.unwrap();

    let body = json!({ "reference_id": REFERENCE, "erased": [ids[2], ids[3]] });
    let archive = made(&service, &customer.api_key, &body).await;
    let report = check(&service, &archive, &requirements());
    assert_eq!(report.outcome, Outcome::NotPinned, "{report}");
    let index: &DossierIndex = report.index.as_ref().unwrap();
    let states: Vec<_> = index.photos.iter().map(|photo| photo.state).collect();
    assert_eq!(states, [PhotoState::Included, PhotoState::Withheld, PhotoState::Erased, PhotoState::Included]);
    assert_eq!((index.reference_id.as_str(), &index.client_id), (REFERENCE, &customer.client_id));
    let sessions: Vec<_> = index.photos.iter().map(|photo| photo.session).collect();
    assert_eq!(sessions, [Some(1), Some(2), None, Some(3)]);
    assert_eq!(index.photos[1].acts[0].reason, "case 7");
    // Without its session_id, nobody can tell that the erased capture belonged to the reference.
    let archive = made(&service, &customer.api_key, &json!({ "reference_id": REFERENCE })).await;
    assert_eq!(check(&service, &archive, &requirements()).index.unwrap().photos.len(), 3);

    let audited =
        service.administration().audit.of_client(&customer.client_id, &PageRequest::first(100)).await.unwrap();
    let details: Vec<_> =
        audited.entries.into_iter().filter(|entry| entry.operation == Operation::MakeDossier).collect();
    assert_eq!(details.len(), 2);
    assert!(details.iter().any(|entry| entry.detail.as_deref() == Some("4 photos in SANDBOX")));
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_bring_their_log_proofs() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, retains(StoreAssetPolicy::Always)).await;
    let id = captured(&customer).await;
    let body = json!({ "reference_id": REFERENCE });
    let key = LogSigner::new(service.connection()).key(SANDBOX).await.unwrap();
    let of_log = DossierRequirements { log_key: Some(key), ..requirements() };
    let judged = async || {
        let archive = made(&service, &customer.api_key, &body).await;
        assert!(check(&service, &archive, &requirements()).valid, "without the log");
        check(&service, &archive, &of_log)
    };
    let before = judged().await;
    assert_eq!((before.valid, &*before.photos[0].faults), (false, &["it has no transparency proof".to_owned()][..]));
    add_leaf(&service, &id).await;
    let logged = judged().await;
    assert!(logged.valid, "{logged}");
    let index = logged.index.unwrap();
    assert_eq!((index.log.unwrap().size, index.photos[0].evidence_records.len()), (1, 0));

    let sequencer = sequencer(&service, service.config(|_| None));
    let first = service.clock.now().date() + Duration::DAY;
    run_on(&service, &sequencer, first, 0).await.unwrap();
    ask_authorities(&service).await;
    let dated = judged().await;
    assert!(dated.valid, "{dated}");
    let photo = &dated.index.unwrap().photos[0];
    assert_eq!((photo.evidence_records.len(), photo.evidence_bundles.len()), (1, 1));
    let entry = dated.photos[0].report.as_ref().unwrap().transparency_log.as_ref().unwrap();
    assert!(entry.timestamp.as_ref().is_some_and(|timestamp| timestamp.holds));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_environment_has_its_own_dossiers() {
    let service = Service::start().await;
    for environment in [Environment::Production, Environment::Staging] {
        let customer = Customer::new(&service, environment, retains(StoreAssetPolicy::Always)).await;
        captured(&customer).await;
        let file = ask(&service, &customer.api_key, &json!({ "reference_id": REFERENCE })).await.ok();
        let (_, archive) = service.fetch(file["url"].as_str().unwrap()).await;
        let report = check(&service, &archive, &DossierRequirements { environment, ..requirements() });
        assert_eq!((report.outcome, report.photos.len()), (Outcome::NotPinned, 1), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_of_a_kit_bring_the_kit() {
    let service = Service::start().await;
    let document = kit("auto-previa", &[("chassi", false)]);
    service.put_kit(&document).await;
    let order = Service::hosted_order("auto-previa@1");
    let loaded = service.open_hosted(&service.create_hosted("auto-previa@1").await).await;
    service.capture_hosted(&loaded, &frame::fresh()).await.ok();
    let body = json!({ "reference_id": order["reference_id"] });
    let archive = made(&service, service.variable("API_KEY"), &body).await;
    let report = check(&service, &archive, &requirements());
    assert!(report.valid, "{report}");
    let index = report.index.unwrap();
    let asked = index.photos[0].asked_for.as_ref().unwrap();
    assert_eq!((asked.kit.as_str(), asked.step.as_str()), ("auto-previa", "chassi"));
    let part = Archive::open(Cursor::new(archive)).unwrap().read(&index.kits[0].part).unwrap().unwrap();
    assert_eq!(Sha256Digest::of(&part).hex(), asked.sha256.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_that_are_not_retained_leave_manifests() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, retains(StoreAssetPolicy::Never)).await;
    captured(&customer).await;
    let archive = made(&service, &customer.api_key, &json!({ "reference_id": REFERENCE })).await;
    let report = check(&service, &archive, &requirements());
    assert!(report.valid, "{report}");
    let photo = &report.index.unwrap().photos[0];
    assert_eq!((photo.state, &photo.photo), (PhotoState::NotRetained, &None));
    let mut opened = Archive::open(Cursor::new(archive)).unwrap();
    let manifest = opened.read(photo.manifest.as_ref().unwrap()).unwrap().unwrap();
    assert_eq!(Sha256Digest::of(&manifest).hex(), photo.manifest_sha256.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn others_and_unknown_references_get_nothing() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let other = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let id = captured(&customer).await;
    let not_found = refusal(404, "Captura não encontrada", None);
    let invalid = refusal(400, "Payload inválido", None);
    let of_reference = json!({ "reference_id": REFERENCE });
    let named = json!({ "reference_id": "another", "erased": [id] });
    service.evidence().erase(&id, "case 7").await.unwrap();
    for (key, body, expected) in [
        (&other.api_key, &of_reference, &not_found),
        (&other.api_key, &named, &not_found),
        (&customer.api_key, &of_reference, &not_found),
        (&customer.api_key, &json!({ "reference_id": "another" }), &not_found),
        (&customer.api_key, &json!({}), &invalid),
        (&customer.api_key, &json!({ "reference_id": REFERENCE, "more": 1 }), &invalid),
        (&unknown_api_key(), &of_reference, &refusal(401, "API key inválida ou ausente", None)),
    ] {
        assert_eq!(&ask(&service, key, body).await.outcome(), expected, "{body}");
    }
    // The owner may list it by its session_id.
    let archive = made(&service, &customer.api_key, &named).await;
    assert_eq!(check(&service, &archive, &requirements()).index.unwrap().photos[0].state, PhotoState::Erased);
}

/// The refused photos of a reference, as the client's dossier lists them: session, place and reason.
async fn refused(service: &Service, customer: &Customer<'_>) -> Vec<(u32, Option<u32>, String)> {
    let archive = made(service, &customer.api_key, &json!({ "reference_id": REFERENCE })).await;
    let report = check(service, &archive, &requirements());
    assert!(report.valid, "{report}");
    let listed = report.index.unwrap().refused.into_iter();
    listed.map(|refused| (refused.session, refused.photo_order, refused.reason)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_photos_are_listed_until_erased() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, retains(StoreAssetPolicy::Always)).await;
    let send = async |loaded: &Loaded, change: &dyn Fn(&mut Value)| {
        let mut submission = customer.upload(loaded, &frame::fresh()).await;
        change(&mut submission);
        customer.ingest(&submission).await
    };
    // A reference with refused photos only has a dossier, too.
    let first = customer.open().await;
    let early = |submission: &mut Value| submission["captured_at_ms"] = 0.into();
    assert_eq!(send(&first, &early).await.status, 403);
    assert_eq!(refused(&service, &customer).await, [(1, Some(1), "ClockOutOfSync".to_owned())]);
    // What is refused before the session is known is not recorded.
    let unknown = |submission: &mut Value| submission["token"] = "00000000-0000-4000-8000-000000000000".into();
    assert_eq!(send(&first, &unknown).await.status, 404);
    // The photo that is captured is in the same session as the refused one.
    let id = send(&first, &|_| ()).await.ok()["session_id"].as_str().unwrap().to_owned();
    let second = customer.open().await;
    let nowhere = |submission: &mut Value| submission["photo_order"] = 7.into();
    assert_eq!(send(&second, &nowhere).await.status, 400);
    let expected = [(1, Some(1), "ClockOutOfSync".to_owned()), (2, None, "PhotoOrderMismatch".to_owned())];
    assert_eq!(refused(&service, &customer).await, expected);
    let other = Customer::new(&service, SANDBOX, retains(StoreAssetPolicy::Always)).await;
    captured(&other).await;
    assert_eq!(refused(&service, &other).await, []);

    service.evidence().erase(&id, "case 7").await.unwrap();
    let gone = ask(&service, &customer.api_key, &json!({ "reference_id": REFERENCE })).await.outcome();
    assert_eq!(gone, refusal(404, "Captura não encontrada", None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_records_few_refusals() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let mut submissions = Vec::new();
    for _ in 0..2 {
        let mut submission = customer.upload(&customer.open().await, &frame::fresh()).await;
        submission["captured_at_ms"] = 0.into();
        submissions.push(submission);
    }
    for _ in 0..limits::REFUSALS_PER_SESSION + 2 {
        assert_eq!(customer.ingest(&submissions[0]).await.status, 403);
    }
    assert_eq!(customer.ingest(&submissions[1]).await.status, 403);
    let sessions: Vec<u32> = refused(&service, &customer).await.into_iter().map(|(session, ..)| session).collect();
    assert_eq!(sessions, [vec![1; limits::REFUSALS_PER_SESSION], vec![2]].concat());

    let evidence = service.evidence();
    let erased = evidence.erase_refused(&customer.client_id, SANDBOX, REFERENCE).await.unwrap();
    assert_eq!(erased.erased, limits::REFUSALS_PER_SESSION + 1);
    assert_eq!(ask(&service, &customer.api_key, &json!({ "reference_id": REFERENCE })).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_photos_expire() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let mut submission = customer.upload(&customer.open().await, &frame::fresh()).await;
    submission["captured_at_ms"] = 0.into();
    assert_eq!(customer.ingest(&submission).await.status, 403);
    let reference = ReferenceId::parse(REFERENCE).unwrap();
    let case = Case { client: &customer.client_id, environment: SANDBOX, reference: &reference };
    let refusals = Refusals::new(service.connection());
    let until = refusals.read(case, service.clock.now()).await.unwrap()[0].at + limits::REFUSALS_KEPT;
    let number = async |at| refusals.read(case, at).await.unwrap().len();
    assert_eq!((number(until - Duration::seconds(2)).await, number(until).await), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn unrecorded_refusals_are_answered() {
    let (service, faults) = Service::start_behind_faults().await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let mut submission = customer.upload(&customer.open().await, &frame::fresh()).await;
    submission["captured_at_ms"] = 0.into();
    faults.always("UpdateItem sessions refusals", Fault::Refuse);
    let answer = customer.ingest(&submission).await;
    assert_eq!((answer.status, faults.clear()), (403, 1));
    assert_eq!(ask(&service, &customer.api_key, &json!({ "reference_id": REFERENCE })).await.status, 404);
    assert_eq!(customer.ingest(&submission).await.status, 403);
    assert_eq!(refused(&service, &customer).await.len(), 1);
}
