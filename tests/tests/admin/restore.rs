//! Rehearses a restore: a table is lost, items and objects are deleted, and in the end nothing is missing.
//!
//! Its transcript is printed: `cargo test -p lacre-tests --test admin rehearsal -- --nocapture`.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::{
    client::Waiters,
    types::{
        AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, StreamSpecification,
        StreamViewType,
    },
};
use lacre_domain::{Environment, NamedTerms, StoreAssetPolicy};
use lacre_tests::{
    Service, Storage,
    customer::Customer,
    frame,
    vault::{capture_id, exporting_service},
    verifiers,
};

/// Delivered photos by capture id.
type Delivered = BTreeMap<String, Vec<u8>>;

/// Makes captures and returns what was delivered.
async fn capture(customer: &Customer<'_>, count: usize) -> Delivered {
    let mut delivered = Delivered::new();
    for _ in 0..count {
        let answer = customer.capture(&frame::fresh()).await;
        let photo = answer.clone().photo();
        delivered.insert(capture_id(&answer.ok()), photo);
    }
    delivered
}

/// Replaces a table with an empty one, as after a new deployment or a restore from before the first capture.
async fn lose(service: &Service, table: &str, key: &str) {
    let (dynamodb, name) = (Storage::of(service).dynamodb, service.variable(table));
    dynamodb.delete_table().table_name(name).send().await.unwrap();
    let within = std::time::Duration::from_secs(30);
    dynamodb.wait_until_table_not_exists().table_name(name).wait(within).await.unwrap();
    let create = dynamodb.create_table().table_name(name).billing_mode(BillingMode::PayPerRequest);
    let attribute = AttributeDefinition::builder().attribute_name(key).attribute_type(ScalarAttributeType::S);
    let element = KeySchemaElement::builder().attribute_name(key).key_type(KeyType::Hash);
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
    let create = create.attribute_definitions(attribute.build().unwrap()).key_schema(element.build().unwrap());
    create.stream_specification(stream.build().unwrap()).send().await.unwrap();
    dynamodb.wait_until_table_exists().table_name(name).wait(within).await.unwrap();
}

/// Checks that every delivered photo has its evidence and verifies, and that stored copies equal the delivered ones.
async fn all_is_there(service: &Service, delivered: &Delivered, erased: &str) {
    let evidence = service.evidence();
    for (id, photo) in delivered {
        let fields = evidence.capture(id).await.unwrap();
        let fields = fields.fields();
        let (report, contents) = verifiers::ours(photo, service.trust_anchors());
        assert!(report.valid, "{:?}", report.checks);
        assert_eq!(report.capture.unwrap().capture_id.as_str(), id);
        assert_eq!(fields["frame_hash"], lacre_domain::FrameHash::of(&contents.unwrap().frame).hex());
        assert_eq!(fields["jpeg_sha256"], lacre_domain::Sha256Digest::of(photo).hex());
        assert_eq!(fields.contains_key("reference_id"), id != erased, "{id}");
    }
    let records = Storage::of(service).items("EVIDENCE_TABLE").await;
    assert_eq!(records.len(), delivered.len(), "no more evidence than photos");
}

#[tokio::test]
async fn rehearsal() {
    let service = exporting_service().await;
    let (storage, evidence) = (Storage::of(&service), service.evidence());
    let terms = NamedTerms { store_asset_policy: Some(StoreAssetPolicy::Always), ..NamedTerms::default() };
    let customer = Customer::new(&service, Environment::Staging, terms).await;

    let mut delivered = capture(&customer, 6).await;
    let ids: Vec<String> = delivered.keys().cloned().collect();
    let erased = ids[5].clone();
    evidence.erase(&erased, "request 41").await.unwrap();
    evidence.withhold(&ids[4], "case 7").await.unwrap();
    service.exported().await;
    assert_eq!(service.compared_later().await.differences, []);
    println!("before: 6 captures delivered, 1 of them erased, 1 withheld; compare: no differences");

    // The loss: the evidence table and the frame registry, items of the personal table, and objects in three ways.
    lose(&service, "EVIDENCE_TABLE", "capture_id").await;
    lose(&service, "FRAMES_TABLE", "pk").await;
    storage.delete("PERSONAL_TABLE", &[("pk", format!("personal#{}", ids[0]))]).await;
    storage.delete("PERSONAL_TABLE", &[("pk", format!("custody#{}", ids[4]))]).await;
    let proofs = storage.keys("PROOFS_BUCKET").await;
    assert_eq!(proofs.len(), 10);
    storage.hide("PROOFS_BUCKET", &proofs[0]).await;
    storage.overwrite("PROOFS_BUCKET", &proofs[1], b"another").await;
    storage.overwrite("PROOFS_BUCKET", &proofs[2], b"another").await;
    storage.hide("PROOFS_BUCKET", &proofs[2]).await;
    println!("loss: Evidence and Frames are empty, 2 personal items deleted, 3 objects deleted or overwritten");

    // The service captures during the loss.
    let during = capture(&customer, 2).await;
    println!("during: {} captures delivered into the empty table", during.len());
    delivered.extend(during);
    let differences = service.compared_later().await.differences.len();
    println!("compare: {differences} differences");
    assert!(differences >= 6);

    let found = evidence.restore(false).await.unwrap();
    assert!(!found.applied && found.lost.is_empty(), "{:?}", found.lost);
    assert_eq!(storage.items("EVIDENCE_TABLE").await.len(), 2, "a look changes nothing");
    let restored = evidence.restore(true).await.unwrap();
    assert!(restored.lost.is_empty(), "{:?}", restored.lost);
    let mut tally = BTreeMap::<(String, &str), usize>::new();
    for one in &restored.restored {
        let what = if one.what.contains('/') { "object".to_owned() } else { one.what.clone() };
        *tally.entry((what, one.from.unwrap())).or_default() += 1;
    }
    for ((what, from), count) in &tally {
        println!("restored: {count} x {what}, from {from}");
    }
    let expected = [
        (("custody".to_owned(), "stream"), 1),
        (("frame".to_owned(), "record"), 6),
        (("object".to_owned(), "versions"), 3),
        (("personal item".to_owned(), "stream"), 1),
        (("record".to_owned(), "export"), 6),
    ];
    // Captures made during the loss are exported by the restore or, if faster, by the stream.
    tally.remove(&("export".to_owned(), "record"));
    assert_eq!(tally, expected.into());
    let again = evidence.restore(true).await.unwrap();
    assert_eq!((again.restored, again.lost), (vec![], vec![]), "to repeat it changes nothing");

    let comparison = service.compared_later().await;
    assert_eq!((comparison.differences, comparison.records, comparison.erased.len()), (vec![], 8, 1));
    println!("compare: no differences; 8 records, 1 of them erased");
    let recount = service.administration().usage.recount(&customer.license_id, None, false).await.unwrap();
    assert_eq!((recount.counted, recount.evidence), (8, 8));

    let after = capture(&customer, 2).await;
    delivered.extend(after);
    println!("after: 2 captures delivered; {} in all, each with its evidence", delivered.len());
    all_is_there(&service, &delivered, &erased).await;
    for (id, photo) in &delivered {
        let (_, contents) = verifiers::ours(photo, service.trust_anchors());
        let again = customer.capture(&contents.unwrap().frame).await;
        assert_eq!(again.status, 409, "the frame of {id} is taken");
    }
}

#[tokio::test]
async fn reports_objects_without_a_copy() {
    let service = exporting_service().await;
    let (storage, evidence) = (Storage::of(&service), service.evidence());
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let id = capture(&customer, 1).await.into_keys().next().unwrap();
    service.exported().await;
    let [manifest] = &storage.keys("PROOFS_BUCKET").await[..] else { panic!("one manifest") };
    storage.destroy("PROOFS_BUCKET", manifest).await;
    let found = evidence.restore(true).await.unwrap();
    assert_eq!(found.restored, []);
    assert_eq!((found.lost.len(), found.lost[0].what.as_str(), found.lost[0].from), (1, manifest.as_str(), None));
    assert_eq!(found.lost[0].capture_id, id);
}

/// A backup does not revert an erasure, because the export contains it.
#[tokio::test]
async fn restores_no_erased_capture() {
    let service = exporting_service().await;
    let (storage, evidence) = (Storage::of(&service), service.evidence());
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let id = capture(&customer, 1).await.into_keys().next().unwrap();
    evidence.withhold(&id, "request 41, pending").await.unwrap();
    let backup = storage.items("PERSONAL_TABLE").await;
    evidence.erase(&id, "request 41").await.unwrap();
    service.exported().await;
    // The personal table of a backup from before the erasure.
    lose(&service, "PERSONAL_TABLE", "pk").await;
    for item in backup {
        storage.replace("PERSONAL_TABLE", item).await;
    }
    let restored = evidence.restore(true).await.unwrap();
    let what: Vec<_> = restored.restored.iter().map(|one| (one.what.as_str(), one.from)).collect();
    assert_eq!(what, [("custody", Some("export"))]);
    let differences = service.compared_later().await.differences;
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert_eq!(differences[0].how, "the capture is erased, and the item is still there");
    evidence.erase(&id, "request 41").await.unwrap();
    assert_eq!(service.compared_later().await.differences, []);
}

/// A forged object in the export creates no capture, and an overwritten record is not trusted.
#[tokio::test]
async fn restores_no_forged_export() {
    let service = exporting_service().await;
    let (storage, evidence) = (Storage::of(&service), service.evidence());
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let ids: Vec<String> = capture(&customer, 2).await.into_keys().collect();
    service.exported().await;
    let kept = storage.versions("EXPORT_BUCKET").await;
    let record = |id: &str| kept.iter().find(|(key, _)| key.contains(id)).unwrap().1.clone();
    let forged = |bytes: &[u8], change: &dyn Fn(&mut lacre_domain::EvidenceRecord)| {
        let mut record: lacre_domain::EvidenceRecord = serde_json::from_slice(bytes).unwrap();
        change(&mut record);
        record.canonical_json().unwrap()
    };
    let invented = lacre_domain::SessionToken::from_entropy(lacre_storage::entropy()).session_id(1).capture_id();
    let bytes = forged(&record(&ids[0]), &|record| record.capture_id = invented.clone());
    storage.overwrite("EXPORT_BUCKET", &format!("records/{}.json", invented.as_str()), &bytes).await;
    let bytes = forged(&record(&ids[1]), &|record| record.signer_version = 9);
    storage.overwrite("EXPORT_BUCKET", &format!("records/{}.json", ids[1]), &bytes).await;
    let whole = storage.items("EVIDENCE_TABLE").await.into_iter().find(|item| item["capture_id"].as_s() == Ok(&ids[1]));
    storage.delete("EVIDENCE_TABLE", &[("capture_id", ids[1].clone())]).await;

    let restored = evidence.restore(true).await.unwrap();
    let doubtful: Vec<_> = restored.doubtful.iter().map(|one| (one.capture_id.as_str(), one.what.as_str())).collect();
    assert_eq!(doubtful, [(invented.as_str(), "record")]);
    let what: Vec<_> = restored.restored.iter().map(|one| (&one.capture_id, one.what.as_str(), one.from)).collect();
    assert_eq!(what, [(&ids[1], "record", Some("export"))]);
    let now = storage.items("EVIDENCE_TABLE").await.into_iter().find(|item| item["capture_id"].as_s() == Ok(&ids[1]));
    assert_eq!(now, whole, "the first version of the record, not the one over it");
    assert_eq!(storage.items("EVIDENCE_TABLE").await.len(), 2);
}

#[tokio::test]
async fn restores_first_versions_of_items() {
    let service = exporting_service().await;
    let (storage, evidence) = (Storage::of(&service), service.evidence());
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let id = capture(&customer, 1).await.into_keys().next().unwrap();
    service.exported().await;
    let key = format!("personal#{id}");
    let item = storage.item("PERSONAL_TABLE", &[("pk", &key)]).await.unwrap();
    let mut changed = item.clone();
    changed.insert("reference_id".into(), aws_sdk_dynamodb::types::AttributeValue::S("sinistro-43".into()));
    storage.replace("PERSONAL_TABLE", changed).await;
    storage.delete("PERSONAL_TABLE", &[("pk", key.clone())]).await;
    let restored = evidence.restore(true).await.unwrap();
    assert_eq!((restored.restored.len(), restored.lost), (1, vec![]));
    assert_eq!(storage.item("PERSONAL_TABLE", &[("pk", &key)]).await.unwrap(), item);
}
