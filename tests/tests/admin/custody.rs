//! Tests custody: captures that are withheld, released, and erased so that no personal data remains.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::{StreamExt, stream};
use lacre_administration::{Error, EvidenceAdministration};
use lacre_domain::{Clock, Environment, NamedTerms, PersonalItem, StoreAssetPolicy};
use lacre_storage::{Connection, Export, Personal, ProofObjects};
use lacre_tests::{
    Fault, Faults, Service, Storage,
    customer::Customer,
    frame, journal,
    service::{SAFARI, refusal},
    vault::{CUSTODIAN, capture_id, exporting_service},
    verifiers,
};
use serde_json::{Value, json};

const NOT_FOUND: &str = "Captura não encontrada";

/// A client whose photos are retained.
async fn customer(service: &Service) -> Customer<'_> {
    let terms = NamedTerms { store_asset_policy: Some(StoreAssetPolicy::Always), ..NamedTerms::default() };
    Customer::new(service, Environment::Sandbox, terms).await
}

#[tokio::test]
async fn withholding_suspends_urls_until_release() {
    let service = Service::start().await;
    let (evidence, customer) = (service.evidence(), customer(&service).await);
    let opened = customer.open().await;
    let submission = customer.upload(&opened, &frame::fresh()).await;
    let ingested = customer.ingest(&submission).await.ok();
    let (session_id, id) = (ingested["session_id"].as_str().unwrap(), capture_id(&ingested));
    let captured = service.results(&opened.token).await.ok()["photos"][0].clone();
    assert_eq!(captured["status"], "captured");

    let withheld = evidence.withhold(&id, "case 7").await.unwrap();
    assert_eq!(withheld.fields()["state"], "withheld");
    let said = withheld.fields()["acts"][0].clone();
    assert_eq!(
        (&said["reason"], &said["principal"], &said["state"]),
        (&json!("case 7"), &json!(CUSTODIAN), &json!("withheld"))
    );
    assert_eq!(service.image(session_id).await.outcome(), refusal(404, NOT_FOUND, Some("web_asset_withheld")));
    let photo = service.results(&opened.token).await.ok()["photos"][0].clone();
    assert_eq!(
        [&photo["status"], &photo["custody"], &photo["authenticated_jpeg_url"], &photo["manifest_url"]],
        [&json!("captured"), &json!("withheld"), &Value::Null, &Value::Null]
    );
    assert_eq!((&photo["frame_hash_hex"], &photo["gps_lat"]), (&captured["frame_hash_hex"], &captured["gps_lat"]));
    assert_eq!(service.fetch(ingested["manifest_url"].as_str().unwrap()).await.0, 200, "an issued URL is valid");
    let again = evidence.withhold(session_id, "case 8").await;
    assert!(matches!(&again, Err(Error::Refused(why)) if why == "the capture is already withheld"), "{again:?}");

    let released = evidence.release(&id, "case 7 closed").await.unwrap();
    assert_eq!((&released.fields()["state"], released.fields()["acts"].as_array().unwrap().len()), (&json!("held"), 2));
    assert_eq!(service.image(session_id).await.status, 200);
    assert_eq!(service.results(&opened.token).await.ok()["photos"][0]["custody"], "held");
    let again = evidence.release(&id, "case 7").await;
    assert!(matches!(&again, Err(Error::Refused(why)) if why == "the capture is already held"), "{again:?}");
    for reason in ["", " ", "a\nb", &"x".repeat(201)] {
        assert!(matches!(evidence.withhold(&id, reason).await, Err(Error::Invalid(_))), "{reason:?}");
    }
    let unknown = evidence.withhold(&"0".repeat(64), "case 7").await;
    assert!(matches!(unknown, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn renews_no_urls_of_suspended_clients() {
    let service = Service::start().await;
    let (administration, customer) = (service.administration(), customer(&service).await);
    let opened = customer.open().await;
    let submission = customer.upload(&opened, &frame::fresh()).await;
    let ingested = customer.ingest(&submission).await.ok();
    let session_id = ingested["session_id"].as_str().unwrap();
    administration.clients.suspend(&customer.client_id).await.unwrap();
    assert_eq!(service.image(session_id).await.outcome(), refusal(404, NOT_FOUND, Some("web_asset_withheld")));
    let results = service.results(&opened.token).await.ok();
    let photo = &results["photos"][0];
    assert_eq!((&photo["custody"], &photo["manifest_url"]), (&json!("withheld"), &Value::Null));
    administration.clients.resume(&customer.client_id).await.unwrap();
    assert_eq!(service.image(session_id).await.status, 200);
    assert_eq!(service.results(&opened.token).await.ok()["photos"][0]["custody"], "held");
}

#[tokio::test]
async fn resumes_interrupted_erasures() {
    let service = exporting_service().await;
    let customer = customer(&service).await;
    let ingested = customer.capture(&frame::fresh()).await.ok();
    let id = capture_id(&ingested);
    service.exported().await;
    let faults = Faults::before(&service).await;
    let connection = Connection::new(faults.config(&service)).unwrap();
    let evidence = EvidenceAdministration::new(
        &connection,
        Arc::clone(&service.clock) as Arc<dyn Clock>,
        lacre_tests::operator::caller(lacre_tests::vault::CUSTODIAN),
    );
    // The first put of an erasure finds the record already exported.
    for (call, nth) in
        [("PutObject export", 2), ("DeleteObject proofs", 1), ("UpdateItem sessions", 1), ("DeleteItem personal", 1)]
    {
        faults.strike(call, nth, usize::MAX, Fault::Refuse);
        let failed = evidence.erase(&id, "request 41").await;
        assert!(matches!(failed, Err(Error::Unavailable(_))), "{call}: {failed:?}");
        assert!(faults.clear() > 0, "{call} was not made");
        assert_eq!(service.image(ingested["session_id"].as_str().unwrap()).await.status, 404);
        assert!(!service.compared_later().await.differences.is_empty(), "{call}: nobody would notice");
        faults.clear();
    }
    let erased = evidence.erase(&id, "another reason").await.unwrap();
    assert_eq!(erased.capture.fields()["acts"][0]["reason"], "request 41", "the first act counts");
    assert_eq!(service.compared_later().await.differences, []);
    let again = evidence.erase(&id, "request 41").await.unwrap();
    assert_eq!((again.versions_removed, again.capture), (0, erased.capture), "to repeat it changes nothing");
    let released = evidence.release(&id, "request 41").await;
    assert!(matches!(&released, Err(Error::Refused(why)) if why == "the capture is erased"), "{released:?}");
}

#[tokio::test]
async fn erases_single_photos_of_hosted_sessions() {
    let service = Service::start().await;
    let token = service.create_hosted("real_estate").await;
    let first = service.open_hosted(&token).await;
    let ingested = service.capture_hosted(&first, &frame::fresh()).await.ok();
    service.evidence().erase(&capture_id(&ingested), "request 41").await.unwrap();
    let results = service.hosted_results(&token).await.ok();
    assert_eq!(results["photos"][0], json!({ "order": 1, "label": "", "status": "captured", "custody": "erased" }));
    assert_eq!((&results["captured_count"], &results["reference_id"]), (&json!(1), &json!("sinistro-42")));
    // The session continues with its next photo.
    let second = service.open_hosted(&token).await;
    assert_eq!(second.body["photo_order"], 2);
    assert_eq!(service.capture_hosted(&second, &frame::fresh()).await.status, 200);
    assert_eq!(service.hosted_results(&token).await.ok()["photos"][1]["custody"], "held");
}

/// Copies of a real capture with their own ids: records, personal items, manifests and exports.
async fn crowd(service: &Service, like: &str, count: usize) {
    let captures = lacre_storage::Captures::new(service.connection());
    let id = lacre_domain::CaptureId::from_hex(like).unwrap();
    let record = captures.read(&id).await.unwrap().unwrap();
    let personal = Personal::new(service.connection());
    let item: PersonalItem = personal.read(&[&id]).await.unwrap().remove(0).personal.unwrap().unwrap();
    let (proofs, export) = (ProofObjects::new(service.connection()), Export::new(service.connection()));
    export.record(&record).await.unwrap();
    let mut crowd = Vec::with_capacity(count);
    for number in 0..count {
        let attempt = lacre_storage::attempt_id();
        let mut item =
            PersonalItem { salt: lacre_domain::Salt::from_entropy(lacre_storage::entropy()), ..item.clone() };
        item.data.reference_id = lacre_domain::ReferenceId::parse(&format!("crowd {number}")).unwrap();
        item.data.claims.position = lacre_domain::Position { latitude: 1.0, longitude: 2.0, accuracy: 3.0 };
        (item.data.claims.label, item.data.claims.user_agent, item.data.claims.heading) = (None, None, None);
        item.data.header_user_agent = None;
        let capture_id = lacre_domain::SessionToken::from_entropy(lacre_storage::entropy()).session_id(1).capture_id();
        let record = lacre_domain::EvidenceRecord {
            frame_hash: lacre_domain::FrameHash::of(attempt.as_bytes()),
            commitments: item.commitments(),
            manifest_sha256: lacre_domain::Sha256Digest::of(attempt.as_bytes()),
            jpeg_key: None,
            manifest_key: ProofObjects::manifest_key(&capture_id, &attempt),
            capture_id,
            attempt,
            ..record.clone()
        };
        crowd.push((record, item));
    }
    let storage = Storage::of(service);
    let records = crowd.iter().map(|(record, _)| (record, None));
    let key = |record: &lacre_domain::EvidenceRecord| Some(("pk", format!("personal#{}", record.capture_id.as_str())));
    let items = crowd.iter().map(|(record, item)| (item, key(record)));
    let store = async |(record, _): &(lacre_domain::EvidenceRecord, PersonalItem)| {
        proofs.store((&record.manifest_key, record.attempt.as_bytes(), &record.manifest_sha256), None).await.unwrap();
        export.record(record).await.unwrap();
    };
    let objects = stream::iter(&crowd).for_each_concurrent(16, store);
    tokio::join!(storage.fill("EVIDENCE_TABLE", records), storage.fill("PERSONAL_TABLE", items), objects);
}

/// Number of captures beside the erased one: more than a page of any listing. There are fewer with an AWS
/// implementation that handles one request at a time.
fn others() -> usize {
    if local::ExternalAws::from_env().is_some() { 199 } else { 1_099 }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_leaves_no_personal_data() {
    let service = Service::start().await;
    let (evidence, customer) = (service.evidence(), customer(&service).await);
    let order = json!({ "reference_id": "apolice-77120.9", "license_key": customer.license_key });
    let token = Service::token_of(service.create_with(&customer.api_key, order).await);
    let opened = lacre_tests::service::Loaded { body: customer.load(&token).await.ok(), token };
    let photo = frame::fresh();
    let mut submission = customer.upload(&opened, &photo).await;
    submission["label"] = json!("fachada da casa");
    submission["user_agent"] = json!("Mozilla/5.0 (a browser of one person)");
    submission["gps_lat"] = json!(-12.971_598_7);
    submission["gps_lon"] = json!(-38.501_310_4);
    submission["heading"] = json!(271.318);
    let ingested = customer.ingest(&submission).await;
    let delivered = ingested.clone().photo();
    let ingested = ingested.ok();
    let (session_id, id) = (ingested["session_id"].as_str().unwrap().to_owned(), capture_id(&ingested));
    let storage = Storage::of(&service);
    let record = storage.item("EVIDENCE_TABLE", &[("capture_id", &id)]).await.unwrap();
    let item = storage.item("PERSONAL_TABLE", &[("pk", &format!("personal#{id}"))]).await.unwrap();
    let salt = item["salt"].as_s().unwrap().clone();
    let claimed = ["fachada da casa", "a browser of one person", "12.9715987", "38.5013104", "271.318"];
    let personal = [&["apolice-77120.9"][..], &claimed, &[SAFARI, &salt]].concat();
    // The texts are found where they are expected: the table, the session, and the assertions in manifest and photo.
    let before = storage.places_of(&personal).await;
    assert!(before.iter().all(|places| places.contains("PERSONAL_TABLE")), "{before:?}");
    assert!(before[0].contains("SESSIONS_TABLE") && before[1].len() >= 4, "{before:?}");
    let others = others();
    crowd(&service, &id, others).await;

    let erased = evidence.erase(&id, "request 2026/41").await.unwrap();
    assert_eq!(erased.versions_removed, 2, "the photo and the manifest");
    let after = storage.places_of(&personal).await;
    assert!(after.iter().all(BTreeSet::is_empty), "{after:?}");
    let lines = journal::lines();
    assert!(!lines.is_empty() && personal.iter().all(|text| !lines.contains(text)), "a log line has personal data");

    // The evidence record is unchanged, and the comparison counts the tombstone.
    assert_eq!(storage.item("EVIDENCE_TABLE", &[("capture_id", &id)]).await.unwrap(), record);
    let comparison = service.compared_later().await;
    assert_eq!(comparison.differences, []);
    assert_eq!((comparison.records, comparison.exported, comparison.objects), (others + 1, others + 1, others));
    let [tombstone] = &comparison.erased[..] else { panic!("{:?}", comparison.erased) };
    assert_eq!(
        (&tombstone.capture_id, tombstone.reason.as_str(), tombstone.principal.as_str()),
        (&id, "request 2026/41", CUSTODIAN)
    );

    // The delivered photo still verifies, and the results report the state of the retained one.
    let (report, contents) = verifiers::ours(&delivered, service.trust_anchors());
    assert!(report.valid && contents.unwrap().frame == photo, "{:?}", report.checks);
    let results = service.results(&opened.token).await.ok();
    assert_eq!(results["photos"], json!([{ "order": 1, "label": "", "status": "captured", "custody": "erased" }]));
    let said = (&results["reference_id"], &results["status"], &results["captured_count"]);
    assert_eq!(said, (&json!("erased"), &json!("captured"), &json!(1)));
    let image = service.image(&session_id).await.outcome();
    assert_eq!(image, refusal(404, NOT_FOUND, Some("web_asset_erased")));
    for url in ["authenticated_jpeg_url", "manifest_url"] {
        assert_ne!(service.fetch(ingested[url].as_str().unwrap()).await.0, 200, "an issued URL leads nowhere");
    }
    let shown = evidence.capture(&id).await.unwrap();
    assert_eq!((&shown.fields()["state"], shown.fields().contains_key("position")), (&json!("erased"), false));
    // The same photo is still refused as a duplicate.
    assert_eq!(customer.capture(&photo).await.status, 409);
}

#[tokio::test]
async fn erases_objects_of_lost_races() {
    let service = exporting_service().await;
    let customer = customer(&service).await;
    let (first, second) = (customer.open().await, customer.open().await);
    drop(second);
    let again = customer.load(&first.token).await.ok();
    let again = lacre_tests::service::Loaded { token: first.token.clone(), body: again };
    let photos = [frame::fresh(), frame::fresh()];
    let submissions = [customer.upload(&first, &photos[0]).await, customer.upload(&again, &photos[1]).await];
    let answers =
        futures_util::future::join_all(submissions.iter().map(|submission| customer.ingest(submission))).await;
    let won = answers.into_iter().find(|answer| answer.status == 200).unwrap().ok();
    let id = capture_id(&won);
    // The loser of a race may or may not have stored objects; here it had.
    let stray = format!("{id}/{}/photo.jpg", "0".repeat(32));
    Storage::of(&service).overwrite("PROOFS_BUCKET", &stray, b"a photo").await;
    service.exported().await;
    let erased = service.evidence().erase(&id, "request 41").await.unwrap();
    assert!(erased.versions_removed >= 3 && erased.session_searched, "{erased:?}");
    assert_eq!(Storage::of(&service).keys("PROOFS_BUCKET").await, Vec::<String>::new());
    // An object that arrives after an erasure is found.
    Storage::of(&service).overwrite("PROOFS_BUCKET", &stray, b"a photo").await;
    let [difference] = &service.compared_later().await.differences[..] else { panic!("one difference") };
    assert_eq!((&difference.what, difference.how), (&stray, "the capture is erased, and the object is still there"));
}

#[tokio::test]
async fn a_replaced_record_erases_nothing() {
    let service = exporting_service().await;
    let customer = customer(&service).await;
    let [mine, theirs] = [(); 2].map(async |()| capture_id(&customer.capture(&frame::fresh()).await.ok()));
    let (mine, theirs) = (mine.await, theirs.await);
    service.exported().await;
    let storage = Storage::of(&service);
    let kept = storage.keys("PROOFS_BUCKET").await;
    // The most that a stolen role of `ingest` could do: write a record that names another capture's objects.
    let mut forged = storage.item("EVIDENCE_TABLE", &[("capture_id", &mine)]).await.unwrap();
    let other = storage.item("EVIDENCE_TABLE", &[("capture_id", &theirs)]).await.unwrap();
    for name in ["manifest_key", "jpeg_key", "attempt"] {
        forged.insert(name.to_owned(), other[name].clone());
    }
    storage.replace("EVIDENCE_TABLE", forged).await;
    let refused = service.evidence().erase(&mine, "request 41").await;
    let Err(Error::Refused(why)) = refused else { panic!("{refused:?}") };
    assert_eq!(why, format!("the record of capture {mine} differs from the export: run `evidence compare`"));
    let restored = service.evidence().restore(true).await.unwrap();
    let doubtful: Vec<_> = restored.doubtful.iter().map(|one| (&one.capture_id, one.what.as_str())).collect();
    assert_eq!((doubtful, restored.restored), (vec![(&mine, "record")], vec![]));
    service.clock.advance(time::Duration::hours(2));
    let reconciled = service.evidence().reconcile(time::Duration::hours(1), true).await.unwrap();
    assert_eq!((reconciled.removed, reconciled.keys, reconciled.examined), (vec![], vec![], 4));
    assert_eq!(storage.keys("PROOFS_BUCKET").await, kept);
}

#[tokio::test]
async fn erases_despite_a_governance_mode_lock() {
    let service = exporting_service().await;
    let storage = Storage::of(&service);
    storage.lock("PROOFS_BUCKET", 30).await;
    let customer = customer(&service).await;
    let id = capture_id(&customer.capture(&frame::fresh()).await.ok());
    service.exported().await;
    let [(key, version), _] = &storage.version_ids("PROOFS_BUCKET").await[..] else { panic!("two versions") };
    let delete = storage.s3.delete_object().bucket(service.variable("PROOFS_BUCKET")).key(key).version_id(version);
    let refused = delete.send().await.unwrap_err();
    assert_eq!(refused.raw_response().unwrap().status().as_u16(), 403, "the lock holds");
    let erased = service.evidence().erase(&id, "request 41").await.unwrap();
    assert_eq!((erased.versions_removed, storage.version_ids("PROOFS_BUCKET").await), (2, vec![]));
    assert_eq!(service.compared_later().await.differences, []);
}
