//! Tests the export: each record is exported once, and every record that was changed is reported.

use std::{collections::HashMap, sync::Arc};

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{Clock, Environment, NamedTerms};
use lacre_export::ExportEvidence;
use lacre_storage::Connection;
use lacre_tests::{Fault, Faults, Service, Storage, customer::Customer, frame, vault::capture_id};
use serde_json::{Value, json};

/// The function as on Lambda, with fault proxies in front of its AWS.
struct Watch<'a> {
    service: &'a Service,
    doors: Faults,
    function: ExportEvidence,
}

type Item = HashMap<String, AttributeValue>;

impl<'a> Watch<'a> {
    async fn of(service: &'a Service) -> Self {
        let doors = Faults::before(service).await;
        let connection = Connection::new(doors.config(service)).unwrap();
        let function = ExportEvidence::new(&connection, Arc::clone(&service.clock) as Arc<dyn Clock>);
        Self { service, doors, function }
    }

    /// Makes a capture; returns the id and the item of its record.
    async fn record(&self) -> (String, Item) {
        let customer = Customer::new(self.service, Environment::Sandbox, NamedTerms::default()).await;
        let id = capture_id(&customer.capture(&frame::fresh()).await.ok());
        let item = Storage::of(self.service).item("EVIDENCE_TABLE", &[("capture_id", &id)]).await.unwrap();
        (id, item)
    }

    /// The function's partial batch response, and the metrics that it wrote.
    async fn deliver(&self, records: &[Value]) -> (Option<String>, Vec<Value>) {
        let mut metrics = Vec::new();
        let event = serde_json::from_value(json!({ "Records": records })).unwrap();
        let answer = self.function.handle(event, &mut metrics).await.unwrap();
        let failed = answer.batch_item_failures.first().and_then(|failure| failure.item_identifier.clone());
        let lines = String::from_utf8(metrics).unwrap();
        (failed, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    async fn exported(&self, id: &str) -> Option<Vec<u8>> {
        let versions = Storage::of(self.service).versions("EXPORT_BUCKET").await;
        versions.into_iter().find(|(key, _)| *key == format!("records/{id}.json")).map(|(_, bytes)| bytes)
    }
}

/// A record of the audit table's stream.
fn entry(event: &str, sequence_number: &str, image: &Item) -> Value {
    let mut record = record(event, sequence_number, image);
    record["dynamodb"]["Keys"] = json!({ "id": serde_dynamo::Item::from(image.clone()).get("id") });
    record
}

#[tokio::test]
async fn exports_audit_entries_and_reports_overwriting() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let client = service.administration().clients.create("Audited").await.unwrap();
    let entries = Storage::of(&service).items("AUDIT_TABLE").await;
    let is_about = |item: &Item| item.get("client_id") == Some(&AttributeValue::S(client.id.to_string()));
    let first = entries.into_iter().find(is_about).unwrap();
    assert_eq!(watch.deliver(&[entry("INSERT", "1", &first)]).await, (None, vec![]));
    // A repeated record changes nothing.
    assert_eq!(watch.deliver(&[entry("INSERT", "1", &first)]).await, (None, vec![]));
    let mut forged = first.clone();
    forged.insert("principal".into(), AttributeValue::S("arn:aws:iam::000000000000:user/another".into()));
    for event in ["MODIFY", "INSERT", "REMOVE"] {
        let (failed, metrics) = watch.deliver(&[entry(event, "2", &forged)]).await;
        assert_eq!((failed, metrics.len(), &metrics[0]["EvidenceChanged"]), (None, 1, &json!(1)), "{event}");
    }
    let AttributeValue::S(id) = &first["id"] else { panic!("{first:?}") };
    let versions = Storage::of(&service).versions("EXPORT_BUCKET").await;
    let kept: Vec<_> = versions.iter().filter(|(key, _)| *key == format!("audit/{id}.json")).collect();
    let kept: Value = serde_json::from_slice(&kept[0].1).unwrap();
    assert_eq!(kept["principal"], json!(lacre_tests::vault::CUSTODIAN));
}

/// A record of the evidence table's stream.
fn record(event: &str, sequence_number: &str, image: &Item) -> Value {
    let item = serde_dynamo::Item::from(image.clone());
    let side = if event == "REMOVE" { "OldImage" } else { "NewImage" };
    json!({
        "eventID": sequence_number, "eventName": event, "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "sa-east-1", "eventSourceARN": "arn:aws:dynamodb:sa-east-1:000000000000:table/evidence/stream/1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1, "Keys": { "capture_id": item.get("capture_id") }, side: item,
            "SequenceNumber": sequence_number, "SizeBytes": 1, "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    })
}

#[tokio::test]
async fn exports_records_once_as_canonical_json() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let (id, item) = watch.record().await;
    for _ in 0..2 {
        assert_eq!(watch.deliver(&[record("INSERT", "1", &item)]).await, (None, vec![]));
    }
    let bytes = watch.exported(&id).await.unwrap();
    let read: lacre_domain::EvidenceRecord = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((read.capture_id.as_str(), read.canonical_json().unwrap()), (id.as_str(), bytes.clone()));
    let fields: Value = serde_json::from_slice(&bytes).unwrap();
    let commitments = fields["commitments"].as_object().unwrap();
    assert!(commitments.contains_key("reference_id") && commitments.contains_key("position"), "{commitments:?}");
    for personal in commitments.keys().map(String::as_str).chain(["salt"]) {
        assert!(fields.get(personal).is_none(), "{personal} is not exported");
    }
    assert!(!String::from_utf8(bytes).unwrap().contains("sinistro-42"));
    let versions = Storage::of(&service).versions("EXPORT_BUCKET").await;
    assert_eq!(versions.len(), 1, "the second delivery writes nothing");
}

#[tokio::test]
async fn reports_records_that_changed() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let (id, item) = watch.record().await;
    watch.deliver(&[record("INSERT", "1", &item)]).await;
    let first = watch.exported(&id).await;

    let mut changed = item.clone();
    changed.insert("signer_version".into(), AttributeValue::N("9".into()));
    let batch = [
        record("MODIFY", "2", &changed),
        record("REMOVE", "3", &changed),
        // The record was removed and put again: the export keeps the first one.
        record("INSERT", "4", &changed),
    ];
    let (failed, metrics) = watch.deliver(&batch).await;
    assert_eq!((failed, metrics.len()), (None, 3));
    for mut line in metrics {
        line["_aws"]["Timestamp"].take();
        let metric = json!({
            "_aws": {
                "Timestamp": null,
                "CloudWatchMetrics": [{
                    "Namespace": "Lacre", "Dimensions": [["Stack"]],
                    "Metrics": [{ "Name": "EvidenceChanged", "Unit": "Count" }],
                }],
            },
            "Stack": "local", "EvidenceChanged": 1,
        });
        assert_eq!(line, metric);
    }
    assert_eq!(watch.exported(&id).await, first);
}

#[tokio::test]
async fn failed_exports_are_retried() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let ((first, a), (second, b)) = (watch.record().await, watch.record().await);
    // A record that this service did not write raises the alarm, and does not block others.
    let mut unreadable = a.clone();
    unreadable.remove("attempt");
    let mut added = a.clone();
    added.insert("more".into(), AttributeValue::Bool(true));
    let batch = [record("INSERT", "1", &unreadable), record("INSERT", "2", &added), record("INSERT", "3", &b)];
    let (failed, metrics) = watch.deliver(&batch).await;
    assert_eq!((failed, metrics.len()), (None, 2));
    assert!(watch.exported(&first).await.is_none() && watch.exported(&second).await.is_some());
    // After a refused write, the record and all later ones are redelivered, so that the first record of a capture is
    // the one that is kept.
    watch.doors.once("PutObject export", Fault::Refuse);
    let mut forged = a.clone();
    forged.insert("signer_version".into(), AttributeValue::N("9".into()));
    let batch = [record("INSERT", "4", &a), record("REMOVE", "5", &a), record("INSERT", "6", &forged)];
    let (failed, metrics) = watch.deliver(&batch).await;
    assert_eq!((failed.as_deref(), metrics.len()), (Some("4"), 1));
    assert_eq!((&metrics[0]["ExportFailures"], &metrics[0]["Stack"]), (&json!(1), &json!("local")));
    watch.doors.clear();
    let (failed, metrics) = watch.deliver(&batch).await;
    assert_eq!((failed, metrics.len()), (None, 2));
    let exported: lacre_domain::EvidenceRecord =
        serde_json::from_slice(&watch.exported(&first).await.unwrap()).unwrap();
    assert_ne!(exported.signer_version, 9);
    // After a lost response the object exists, and the next attempt finds it.
    let (third, c) = watch.record().await;
    watch.doors.once("PutObject export", Fault::LoseAnswer);
    assert_eq!(watch.deliver(&[record("INSERT", "3", &c)]).await, (None, vec![]));
    assert!(watch.exported(&third).await.is_some());
}

/// Records of different captures are exported concurrently. The first failed one is reported, and later records are
/// counted only once.
#[tokio::test]
async fn batches_fail_at_the_first_failure() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let (_, item) = watch.record().await;
    let ids: Vec<String> = (0..60).map(|number| lacre_domain::Sha256Digest::of(&[number]).hex()).collect();
    let of = |id: &String| {
        let mut item = item.clone();
        item.insert("capture_id".into(), AttributeValue::S(id.clone()));
        item
    };
    let mut batch: Vec<Value> = (1..).zip(&ids).map(|(at, id)| record("INSERT", &format!("{at}"), &of(id))).collect();
    batch.push(record("REMOVE", "61", &of(&ids[59])));
    watch.doors.strike("PutObject export", 30, 90, Fault::Refuse);
    let (failed, metrics) = watch.deliver(&batch).await;
    let failed: usize = failed.unwrap().parse().unwrap();
    assert_eq!(metrics.len(), 1, "the failure, and not the removal behind it");
    assert!(metrics[0].get("ExportFailures").is_some(), "{metrics:?}");
    for id in &ids[..failed - 1] {
        assert!(watch.exported(id).await.is_some(), "what was before it is exported");
    }
    watch.doors.clear();
    let (again, metrics) = watch.deliver(&batch[failed - 1..]).await;
    assert_eq!((again, metrics.len()), (None, 1));
    assert!(metrics[0].get("EvidenceChanged").is_some(), "{metrics:?}");
    for id in &ids {
        assert!(watch.exported(id).await.is_some());
    }
}
