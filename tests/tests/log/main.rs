//! Tests the transparency log: what the sequencer publishes, under faults and with a concurrent sequencer, judged only
//! by its public files with the independent libraries `signed_note` and `tlog_tiles`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod audit;
mod bundles;
mod contradicted;
mod dated;
mod faults;
mod public;
mod renewed;
mod results;
mod sequencing;

use std::time::Duration;

use lacre_domain::{
    Environment, EvidenceRecord, FrameHash, GpsMode, GpsResult, Origin, PersonalData, PersonalItem, RecaptureGate,
    RecaptureRisk, ReferenceId, Salt, SessionToken, Sha256Digest, StoreAssetPolicy,
};
use lacre_proof_fixtures::facts;
use lacre_sequencer::Sequencer;
use lacre_tests::{
    Faults, Service,
    log::{deliver, event, handle, sequencer},
};
use lacre_transparency::Entry;
use time::OffsetDateTime;

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
