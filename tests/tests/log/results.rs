//! Tests `transparency_proof` in a session's results: it is present once the capture is in the log; the results do not
//! wait for it.

use lacre_domain::Sha256Digest;
use lacre_tests::{Fault, Faults, Service, Storage, frame, vault::capture_id};
use lacre_transparency::{LogKey, LogProof};
use serde_json::Value;

use crate::{handle, public::Public, sequencer};

/// Reads a capture from the table, and builds the event of its leaf.
async fn recorded(service: &Service, id: &str) -> (lacre_domain::EvidenceRecord, Value) {
    let id = lacre_domain::CaptureId::from_hex(id).unwrap();
    let capture = lacre_storage::Captures::new(service.connection()).read(&id).await.unwrap().unwrap();
    let event = crate::event(std::slice::from_ref(&capture));
    (capture, event)
}

#[tokio::test]
async fn results_have_the_proof_once_logged() {
    let service = Service::start().await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let (token, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    let answer = answer.ok();
    let before = service.results(&token).await.ok();
    assert_eq!(before["photos"][0].get("transparency_proof"), None);

    let (capture, event) = recorded(&service, &capture_id(&answer)).await;
    handle(&sequencer, event).await.unwrap();
    let after = service.results(&token).await.ok();
    let proof: LogProof = after["photos"][0]["transparency_proof"].as_str().unwrap().parse().unwrap();
    let key: LogKey = service.variable("LOG_KEY").parse().unwrap();
    // The manifest and the proof suffice for verification.
    let (status, manifest) = service.fetch(after["photos"][0]["manifest_url"].as_str().unwrap()).await;
    assert_eq!(status, 200);
    let found = proof.verify(&Sha256Digest::of(&manifest), &key).unwrap();
    assert_eq!((found.index, found.checkpoint.size), (0, 1));
    assert_eq!(proof.extra.record, capture.digest().unwrap());
    Public::new(&service).audit(&[capture]).await;
}

#[tokio::test]
async fn log_outages_remove_only_the_proof() {
    let service = Service::start().await;
    let doors = Faults::before(&service).await;
    let (token, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    let (_, event) = recorded(&service, &capture_id(&answer.ok())).await;
    handle(&sequencer(&service, service.config(|_| None)), event).await.unwrap();
    let config = lacre_storage::Config {
        budgets: lacre_storage::TimeBudgets::PRODUCTION.divided_by(10),
        ..doors.config(&service)
    };
    for fault in [Fault::Refuse, Fault::Hang, Fault::Garble] {
        doors.always("BatchGetItem log leaf", fault);
        let function = lacre_session_results::SessionResults::new(
            &lacre_storage::Connection::new(config.clone()).unwrap(),
            std::sync::Arc::clone(&service.clock) as std::sync::Arc<dyn lacre_domain::Clock>,
        );
        let request = lacre_tests::event::event("session-results", &[], None, Some(("token", &token)));
        let response = lacre_http::Endpoint::handle(&function, request).await;
        assert_eq!(response.status(), 200, "{fault:?}");
        let body: Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(body["photos"][0]["status"], "captured");
        assert_eq!(body["photos"][0].get("transparency_proof"), None, "{fault:?}");
        doors.clear();
    }
}

/// An erasure removes the salt: the service can no longer make the proof, and the leaf reveals nothing.
#[tokio::test]
async fn an_erased_capture_has_no_proof() {
    let service = Service::start().await;
    let (token, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    let id = capture_id(&answer.ok());
    let (_, event) = recorded(&service, &id).await;
    handle(&sequencer(&service, service.config(|_| None)), event).await.unwrap();
    let salt = service.results(&token).await.ok()["photos"][0]["transparency_proof"].as_str().unwrap().to_owned();
    let salt = Sha256Digest::from_bytes(*salt.parse::<LogProof>().unwrap().extra.salt.expose()).hex();
    let holds_salt = async || {
        let storage = Storage::of(&service);
        let mut found = Vec::new();
        for table in ["SESSIONS_TABLE", "PERSONAL_TABLE", "EVIDENCE_TABLE", "LOG_TABLE"] {
            if storage.items(table).await.iter().any(|item| format!("{item:?}").contains(&salt)) {
                found.push(table);
            }
        }
        found
    };
    assert_eq!(holds_salt().await, ["SESSIONS_TABLE"], "what is personal derives it");
    service.evidence().erase(&id, "request 2026/41").await.unwrap();
    assert_eq!(holds_salt().await, Vec::<&str>::new());
    let after = service.results(&token).await.ok();
    assert_eq!(after["photos"][0]["custody"], "erased");
    assert_eq!(after["photos"][0].get("transparency_proof"), None);
}
