//! Tests that the comparison finds everything that was replaced, deleted or overwritten in a single run.

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{Environment, NamedTerms, StoreAssetPolicy};
use lacre_tests::{
    Service, Storage,
    customer::Customer,
    frame,
    vault::{capture_id, exporting_service},
};

/// Makes and exports two captures with retained photos; returns their ids.
async fn captured(service: &Service) -> [String; 2] {
    let terms = NamedTerms { store_asset_policy: Some(StoreAssetPolicy::Always), ..NamedTerms::default() };
    let customer = Customer::new(service, Environment::Sandbox, terms).await;
    let ids = [(); 2].map(async |()| capture_id(&customer.capture(&frame::fresh()).await.ok()));
    let ids = futures_util::future::join_all(ids).await;
    service.exported().await;
    ids.try_into().unwrap()
}

/// The differences of a run as `what: how`; all must concern this capture.
async fn found(service: &Service, id: &str) -> Vec<String> {
    let differences = service.compared_later().await.differences;
    assert!(differences.iter().all(|difference| difference.capture_id == id), "{differences:?}");
    differences.into_iter().map(|difference| format!("{}: {}", difference.what, difference.how)).collect()
}

#[tokio::test]
async fn unchanged_evidence_is_equal() {
    let service = exporting_service().await;
    captured(&service).await;
    let comparison = service.evidence().compare().await.unwrap();
    assert_eq!((comparison.records, comparison.exported, comparison.objects, comparison.pending), (2, 2, 4, 0));
    assert_eq!((comparison.differences, comparison.erased), (vec![], vec![]));
}

#[tokio::test]
async fn unexported_records_are_pending_then_missing() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let id = capture_id(&customer.capture(&frame::fresh()).await.ok());
    let comparison = service.evidence().compare().await.unwrap();
    assert_eq!((comparison.pending, comparison.differences), (1, vec![]));
    assert_eq!(found(&service, &id).await, ["export: the table has the record, and the export does not"]);
}

#[tokio::test]
async fn finds_a_changed_record() {
    let service = exporting_service().await;
    let [id, other] = captured(&service).await;
    let storage = Storage::of(&service);
    let key = [("capture_id", id.as_str())];
    let record = storage.item("EVIDENCE_TABLE", &key).await.unwrap();
    let number = |text: &str| AttributeValue::N(text.into());

    // The role of `ingest` can put items in transactions, and IAM cannot require a condition.
    let mut replaced = record.clone();
    replaced.insert("signer_version".into(), number("9"));
    storage.replace("EVIDENCE_TABLE", replaced).await;
    assert_eq!(found(&service, &id).await, ["record: it is not the record in the export"]);

    for (name, value) in [("added", AttributeValue::Bool(true)), ("capture_id_", AttributeValue::S("x".into()))] {
        let mut replaced = record.clone();
        replaced.insert(name.into(), value);
        storage.replace("EVIDENCE_TABLE", replaced).await;
        assert_eq!(found(&service, &id).await, ["record: it differs from what the service writes"], "{name}");
    }

    // The record of another capture under this capture's id.
    let mut swapped = storage.item("EVIDENCE_TABLE", &[("capture_id", &other)]).await.unwrap();
    swapped.insert("capture_id".into(), AttributeValue::S(id.clone()));
    storage.replace("EVIDENCE_TABLE", swapped).await;
    let swapped = found(&service, &id).await;
    assert!(swapped.contains(&"record: it is not the record in the export".to_owned()), "{swapped:?}");
    assert!(swapped.contains(&"personal item: it does not match the record's commitment".to_owned()), "{swapped:?}");

    storage.delete("EVIDENCE_TABLE", &[("capture_id", id.clone())]).await;
    assert_eq!(found(&service, &id).await, ["record: the export has it, and the table does not"]);
    storage.replace("EVIDENCE_TABLE", record).await;
    assert_eq!(service.compared_later().await.differences, []);
}

#[tokio::test]
async fn finds_a_changed_export() {
    let service = exporting_service().await;
    let [id, other] = captured(&service).await;
    let storage = Storage::of(&service);
    let (key, other) = (format!("records/{id}.json"), format!("records/{other}.json"));
    let bytes = |versions: &[(String, Vec<u8>)], key: &str| versions.iter().find(|(k, _)| k == key).unwrap().1.clone();
    let kept = storage.versions("EXPORT_BUCKET").await;

    storage.overwrite("EXPORT_BUCKET", &key, &bytes(&kept, &other)).await;
    let expected = ["export: the object was overwritten or deleted", "record: it is not the record in the export"];
    assert_eq!(found(&service, &id).await, expected);
    // The overwritten content is identical, but the additional version is still found.
    storage.overwrite("EXPORT_BUCKET", &key, &bytes(&kept, &key)).await;
    assert_eq!(found(&service, &id).await, ["export: the object was overwritten or deleted"]);
    storage.hide("EXPORT_BUCKET", &key).await;
    assert_eq!(found(&service, &id).await, expected);
    storage.destroy("EXPORT_BUCKET", &key).await;
    assert_eq!(found(&service, &id).await, ["export: the table has the record, and the export does not"]);
    // The table and the export are forged alike, with the exported version destroyed. Only Object Lock prevents this.
    storage.overwrite("EXPORT_BUCKET", &key, &bytes(&kept, &key)).await;
    assert_eq!(service.compared_later().await.differences, []);
}

#[tokio::test]
async fn finds_a_changed_proof() {
    let service = exporting_service().await;
    let [id, _] = captured(&service).await;
    let storage = Storage::of(&service);
    let record = storage.item("EVIDENCE_TABLE", &[("capture_id", &id)]).await.unwrap();
    for attribute in ["manifest_key", "jpeg_key"] {
        let key = record[attribute].as_s().unwrap().clone();
        let kept = storage.versions("PROOFS_BUCKET").await.into_iter().find(|(k, _)| *k == key).unwrap().1;
        let touched = [format!("{key}: the object was overwritten or deleted")];
        storage.overwrite("PROOFS_BUCKET", &key, b"another").await;
        assert_eq!(found(&service, &id).await, touched);
        storage.hide("PROOFS_BUCKET", &key).await;
        assert_eq!(found(&service, &id).await, touched);
        storage.destroy("PROOFS_BUCKET", &key).await;
        assert_eq!(found(&service, &id).await, [format!("{key}: the object is missing")]);
        // The object was deleted permanently and written again. Its versions do not show this, but its hash does.
        storage.overwrite("PROOFS_BUCKET", &key, b"another").await;
        assert_eq!(found(&service, &id).await, [format!("{key}: the object has another hash than the record")]);
        storage.destroy("PROOFS_BUCKET", &key).await;
        storage.overwrite("PROOFS_BUCKET", &key, &kept).await;
        assert_eq!(service.compared_later().await.differences, []);
    }
}

#[tokio::test]
async fn finds_false_personal_data_and_erasures() {
    let service = exporting_service().await;
    let [id, other] = captured(&service).await;
    let storage = Storage::of(&service);
    let key = format!("personal#{id}");
    let item = storage.item("PERSONAL_TABLE", &[("pk", &key)]).await.unwrap();
    let mut changed = item.clone();
    changed.insert("reference_id".into(), AttributeValue::S("sinistro-43".into()));
    storage.replace("PERSONAL_TABLE", changed).await;
    assert_eq!(found(&service, &id).await, ["personal item: it does not match the record's commitment"]);
    storage.delete("PERSONAL_TABLE", &[("pk", key.clone())]).await;
    assert_eq!(found(&service, &id).await, ["personal item: it is missing"]);
    // The tombstone of another capture under this capture's id.
    service.evidence().erase(&other, "request 41").await.unwrap();
    let mut tombstone = storage.item("PERSONAL_TABLE", &[("pk", &format!("custody#{other}"))]).await.unwrap();
    tombstone.insert("pk".into(), AttributeValue::S(format!("custody#{id}")));
    storage.replace("PERSONAL_TABLE", tombstone).await;
    let differences = found(&service, &id).await;
    let left = differences.iter().filter(|one| one.ends_with("the capture is erased, and the object is still there"));
    assert_eq!((left.count(), differences.len()), (2, 3), "{differences:?}");
    assert!(differences.contains(&"export: the capture is erased, and the export does not have it".to_owned()));

    // Conversely, an erasure that was reverted.
    storage.delete("PERSONAL_TABLE", &[("pk", format!("custody#{id}"))]).await;
    storage.replace("PERSONAL_TABLE", item).await;
    storage.delete("PERSONAL_TABLE", &[("pk", format!("custody#{other}"))]).await;
    let differences = found(&service, &other).await;
    assert!(differences.contains(&"custody: the export has its erasure, and the table does not".to_owned()));
}
