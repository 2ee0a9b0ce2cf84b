//! Tests many concurrent requests, under DynamoDB's rule that transactions conflict with other writes of their items.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use lacre_api::limits;
use lacre_tests::{Answer, Service, Storage, frame, service::Loaded};
use reqwest::StatusCode;
use serde_json::{Value, json};

/// Number of responses by status and block reason.
fn tally(answers: &[Answer]) -> BTreeMap<(u16, String), usize> {
    let mut tally = BTreeMap::new();
    for answer in answers {
        let reason = answer.body["block_reason"].as_str().or_else(|| answer.body["error"].as_str()).unwrap_or_default();
        *tally.entry((answer.status, reason.to_owned())).or_default() += 1;
    }
    tally
}

async fn evidence(service: &Service) -> usize {
    Storage::of(service).items("EVIDENCE_TABLE").await.len()
}

/// Uploads a frame for a session, and returns the submission.
async fn ready(service: &Service, loaded: Loaded) -> Value {
    let photo = frame::fresh();
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    service.submission(&loaded, &photo)
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_captures_are_counted_once_each() {
    const CLIENTS: usize = 64;
    let (service, doors) = Service::start_behind_faults().await;
    let sessions = join_all((0..CLIENTS).map(|_| service.open("LICENSE_KEY_ALWAYS"))).await;
    let submissions = join_all(sessions.into_iter().map(|loaded| ready(&service, loaded))).await;
    let answers = join_all(submissions.iter().map(|submission| service.ingest(submission))).await;
    assert_eq!(tally(&answers), BTreeMap::from([((200, String::new()), CLIENTS)]));
    let commits = doors.take_calls().iter().filter(|call| *call == "TransactWriteItems").count();
    assert!(commits > CLIENTS, "no commit conflicted with another one");
    let used = service.validate("LICENSE_KEY_ALWAYS").await.ok()["captures_used"].clone();
    assert_eq!((used, evidence(&service).await), (json!(CLIENTS), CLIENTS));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_concurrent_capture_per_session_wins() {
    const LOADS: usize = 20;
    const EACH: usize = 10;
    let (service, _doors) = Service::start_behind_faults().await;
    let token = Service::token_of(service.create("LICENSE_KEY_ALWAYS").await);
    let loads = join_all((0..LOADS).map(|_| service.reload(&token))).await;
    let submissions = join_all(loads.into_iter().map(|loaded| ready(&service, loaded))).await;
    let racing = submissions.iter().flat_map(|submission| std::iter::repeat_n(submission, EACH));
    let answers = join_all(racing.map(|submission| service.ingest(submission))).await;

    let mut tally = tally(&answers);
    assert_eq!(tally.remove(&(200, String::new())), Some(1));
    // The other requests came after the session's conclusion, or after their nonce was used.
    let replayed = tally.remove(&(403, "web_nonce_replay".to_owned())).unwrap_or_default();
    let used = tally.remove(&(409, "Sessão já utilizada".to_owned())).unwrap_or_default();
    assert!(tally.is_empty() && replayed + used == LOADS * EACH - 1, "{tally:?}, {replayed}, {used}");
    assert_eq!(service.validate("LICENSE_KEY_ALWAYS").await.ok()["captures_used"], 1);
    // The losers released their frames. Their stored objects are named by no record and wait for operators.
    assert_eq!(Storage::of(&service).items("FRAMES_TABLE").await.len(), 1);
    service.clock.advance(time::Duration::hours(2));
    let stored = Storage::of(&service).keys("PROOFS_BUCKET").await.len();
    let reconciled = service.evidence().reconcile(time::Duration::hours(1), true).await.unwrap();
    assert_eq!((reconciled.examined, reconciled.removed.len()), (stored, stored - 2), "a photo and a manifest stay");
    assert_eq!(evidence(&service).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_creation_limit_holds_under_contention() {
    let (service, _doors) = Service::start_behind_faults().await;
    let answers = join_all((0..400).map(|_| service.create("LICENSE_KEY"))).await;
    let limit = "Limite de criação de sessões atingido — tente novamente mais tarde".to_owned();
    assert_eq!(tally(&answers), BTreeMap::from([((200, String::new()), 100), ((429, limit), 300)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_load_limit_holds_under_contention() {
    let (service, _doors) = Service::start_behind_faults().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let answers = join_all((0..4 * limits::LOADS_PER_SESSION).map(|_| service.load(&token))).await;
    let most = limits::LOADS_PER_SESSION as usize;
    let limit = "Limite de tentativas atingido para esta sessão".to_owned();
    assert_eq!(tally(&answers), BTreeMap::from([((200, String::new()), most), ((429, limit), 3 * most)]));
}
