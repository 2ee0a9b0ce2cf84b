//! Tests the transparency log: what the sequencer publishes, under faults and with a concurrent sequencer, judged only
//! by its public files with the independent libraries `signed_note` and `tlog_tiles`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod audit;
mod contradicted;
mod dated;
mod faults;
mod public;
mod renewed;
mod results;
mod sequencing;

use std::{sync::Arc, time::Duration};

use lacre_domain::{
    Clock, Environment, EvidenceRecord, FrameHash, GpsMode, GpsResult, Origin, PersonalData, PersonalItem,
    RecaptureGate, RecaptureRisk, ReferenceId, Salt, SessionToken, Sha256Digest, StoreAssetPolicy,
};
use lacre_proof_fixtures::facts;
use lacre_sequencer::Sequencer;
use lacre_storage::Connection;
use lacre_tests::{Faults, Service};
use lacre_transparency::Entry;
use serde_json::{Value, json};
use time::OffsetDateTime;

/// A sequencer as on Lambda.
fn sequencer(service: &Service, config: lacre_storage::Config) -> Sequencer {
    let clock = Arc::clone(&service.clock) as Arc<dyn Clock>;
    Sequencer::new(&Connection::new(config).unwrap(), clock)
}

/// A sequencer with fault proxies.
async fn behind_doors(service: &Service) -> (Sequencer, Faults) {
    let doors = Faults::before(service).await;
    (sequencer(service, doors.config(service)), doors)
}

/// Records of fictitious captures in the sandbox.
fn captures(count: usize) -> Vec<EvidenceRecord> {
    (0..count).map(|_| capture()).collect()
}

fn capture() -> EvidenceRecord {
    let frame = FrameHash::of(&lacre_storage::entropy::<16>());
    let session_id = SessionToken::from_entropy(lacre_storage::entropy()).session_id(1);
    let personal = PersonalItem {
        data: PersonalData {
            reference_id: ReferenceId::parse("sinistro-42").unwrap(),
            claims: facts().claims,
            header_user_agent: None,
            fingerprint: None,
        },
        salt: Salt::from_entropy(lacre_storage::entropy()),
        session: SessionToken::from_entropy(lacre_storage::entropy()).hash(),
        manifest_id: None,
    };
    let capture = EvidenceRecord {
        capture_id: session_id.capture_id(),
        attempt: lacre_storage::attempt_id(),
        environment: Environment::Sandbox,
        client_id: lacre_domain::ClientId::from_u128(1),
        license_id: lacre_domain::LicenseId::from_u128(2),
        month: "2026-11".into(),
        photo_order: 1,
        asked_for: None,
        origin: Origin::parse("http://localhost:5173").unwrap(),
        frame_hash: frame,
        frame_bytes: 1,
        commitments: personal.commitments(),
        gps_mode: GpsMode::Observe,
        gps_result: GpsResult::Observed,
        ingested_at: OffsetDateTime::UNIX_EPOCH,
        recapture_gate: RecaptureGate::Block,
        recapture_risk: RecaptureRisk::Unknown,
        recapture_scores: [("score".to_owned(), 0.5)].into(),
        recapture_threshold: Some(2.5),
        signer_version: 1,
        signature_policy: "2.16.76.1.7.1.1.2.4".into(),
        service_version: "0.1.0".into(),
        icp_brasil: false,
        manifest_sha256: Sha256Digest::of(&lacre_storage::entropy::<16>()),
        jpeg_sha256: Sha256Digest::of(b"jpeg"),
        store_asset_policy: StoreAssetPolicy::Never,
        jpeg_key: None,
        manifest_key: "manifest.c2pa".into(),
        log_entry: None,
    };
    let entry = Entry::of_capture(&personal.log_salt(), &capture).unwrap();
    EvidenceRecord { log_entry: Some(entry.digest()), ..capture }
}

/// The stream event of these records.
fn event(captures: &[EvidenceRecord]) -> Value {
    let records: Vec<Value> = (1..).zip(captures).map(|(number, capture)| inserted(number, capture)).collect();
    json!({ "Records": records })
}

fn inserted(number: usize, capture: &EvidenceRecord) -> Value {
    let mut item: serde_dynamo::Item = serde_dynamo::to_item(capture.waiting_leaf().unwrap()).unwrap();
    let text = |text: String| serde_dynamo::AttributeValue::S(text);
    item.insert("v".into(), serde_dynamo::AttributeValue::N("1".into()));
    item.insert("pk".into(), text(format!("leaf#{}", capture.capture_id.as_str())));
    item.insert("sk".into(), text("leaf".into()));
    json!({
        "eventID": number.to_string(), "eventName": "INSERT", "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "sa-east-1", "eventSourceARN": "arn:aws:dynamodb:sa-east-1:000000000000:table/log/stream/1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1, "Keys": { "pk": item.get("pk"), "sk": item.get("sk") }, "NewImage": item,
            "SequenceNumber": number.to_string(), "SizeBytes": 1, "StreamViewType": "NEW_IMAGE",
        },
    })
}

async fn handle(sequencer: &Sequencer, event: Value) -> Result<(), lacre_sequencer::Error> {
    sequencer.handle(serde_json::from_value(event).unwrap(), &mut Vec::new()).await
}

/// Delivers a batch.
async fn deliver(sequencer: &Sequencer, captures: &[EvidenceRecord]) -> Result<(), lacre_sequencer::Error> {
    handle(sequencer, event(captures)).await
}

/// Redelivers a batch until it succeeds, as Lambda does.
async fn deliver_until_done(sequencer: &Sequencer, captures: &[EvidenceRecord]) {
    let mut last = None;
    for _ in 0..200 {
        let Err(error) = deliver(sequencer, captures).await else { return };
        last = Some(error);
        // Lambda also waits between attempts.
        tokio::time::sleep(Duration::from_millis(fastrand::u64(1..50))).await;
    }
    panic!("the batch is not sequenced: {last:?}");
}
