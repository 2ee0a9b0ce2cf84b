//! Tests webhooks while AWS fails: one message for each captured session, and at most one attempt at it.

use std::{io::sink, sync::Arc};

use futures_util::{StreamExt, stream};
use lacre_domain::{AttemptState, Clock, Environment};
use lacre_storage::{Connection, Outbox, TimeBudgets};
use lacre_tests::{Fault, Faults, Service, frame, outbox::event_of, receiver::Receiver};
use lacre_webhooks::Webhooks;
use serde_json::json;
use time::Duration;

use crate::{
    case::{Case, Route, ok, text},
    expected::faults_of,
};

const SIDE_BY_SIDE: usize = 16;
/// The calls of an attempt in order; calls of the same name are numbered.
const CALLS: [(&str, usize); 6] = [
    ("GetItem webhooks", 1),
    ("Query accounts", 1),
    ("Decrypt", 1),
    ("Decrypt", 2),
    ("UpdateItem webhooks", 1),
    ("UpdateItem webhooks", 2),
];
/// The calls of an ingest that create a message.
const ANNOUNCING: [&str; 2] = ["GenerateDataKey", "TransactWriteItems"];

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_repeats_an_attempt() {
    let service = Service::start().await;
    let mut strikes = Vec::new();
    for (call, nth) in CALLS {
        for fault in faults_of(call) {
            strikes.extend([1, usize::MAX].map(|times| (call, nth, fault, times)));
        }
    }
    let outcomes = stream::iter(&strikes).map(|strike| attempt(&service, *strike)).buffer_unordered(SIDE_BY_SIDE);
    let wrong: Vec<String> = outcomes.filter_map(async |outcome| outcome.err()).collect().await;
    assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), strikes.len(), wrong.join("\n"));
}

async fn attempt(service: &Service, strike: (&str, usize, Fault, usize)) -> Result<(), String> {
    let receiver = Receiver::start().await;
    let faults = Faults::before(service).await;
    let config = lacre_storage::Config { budgets: TimeBudgets::PRODUCTION, ..faults.config(service) };
    let clock = Arc::clone(&service.clock) as Arc<dyn Clock>;
    let function = Webhooks::new(&Connection::new(config).unwrap(), clock);
    let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    let (call, nth, fault, times) = strike;
    faults.strike(call, nth, times, fault);
    let outcome = function.handle(event_of(&attempt), &mut sink()).await;
    if faults.clear() == 0 {
        return Err(format!("{strike:?} was injected nowhere"));
    }
    faults.let_late_calls_in().await;
    // A failed batch is redelivered, and a successful one may be.
    for _ in 0..2 {
        function.handle(event_of(&attempt), &mut sink()).await.map_err(|error| format!("{strike:?}: {error}"))?;
    }
    let outbox = Outbox::new(service.connection());
    let now = service.clock.now();
    let item = outbox.last(&attempt.client_id, &attempt.message_id, now).await.unwrap().unwrap();
    let (received, state) = (receiver.received().len(), item.attempt.state(now + Duration::MINUTE));
    let is_sent_before = (call, nth) == ("UpdateItem webhooks", 2);
    let is_right = match (received, state) {
        (1, AttemptState::Delivered) => true,
        // The message was sent, but its outcome could not be recorded.
        (1, AttemptState::Unknown) => outcome.is_err() && is_sent_before,
        // The attempt was claimed, but the response to the claim was lost.
        (0, AttemptState::Unknown) => outcome.is_err() && (call, nth) == ("UpdateItem webhooks", 1),
        _ => false,
    };
    if is_right { Ok(()) } else { Err(format!("{strike:?}: received {received} times, {state:?}, {outcome:?}")) }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_captured_sessions_have_a_message() {
    let service = Service::start().await;
    let mut strikes = Vec::new();
    for call in ANNOUNCING {
        for fault in faults_of(call) {
            strikes.extend([1, usize::MAX].map(|times| (call, fault, times)));
        }
    }
    let outcomes = stream::iter(&strikes).map(|strike| announce(&service, *strike)).buffer_unordered(SIDE_BY_SIDE);
    let wrong: Vec<String> = outcomes.filter_map(async |outcome| outcome.err()).collect().await;
    assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), strikes.len(), wrong.join("\n"));
}

async fn announce(service: &Service, strike: (&str, Fault, usize)) -> Result<(), String> {
    let case = Case::new(service).await;
    let token = case.stage(Route::Status).await.token;
    let submission = case.prepare_hosted(&token, &case.photo).await;
    let (call, fault, times) = strike;
    case.faults.strike(call, 1, times, fault);
    let (status, _) = case.ingest_hosted(&submission).await;
    if case.faults.clear() == 0 {
        return Err(format!("{strike:?} was injected nowhere"));
    }
    case.faults.let_late_calls_in().await;
    let captured = ok(case.results_hosted(&token).await)["captured_count"].as_u64().unwrap();
    if status == 200 && captured == 0 {
        return Err(format!("{strike:?}: delivered and not captured"));
    }
    let messages = messages_of(service, &token).await;
    if messages as u64 != captured {
        return Err(format!("{strike:?}: {messages} messages, {captured} captures"));
    }
    if captured == 0 {
        let photo = frame::fresh();
        let last = ok(case.ingest_hosted(&case.prepare_hosted(&token, &photo).await).await);
        assert!(!text(&last, "session_id").is_empty());
    }
    match messages_of(service, &token).await {
        1 => Ok(()),
        messages => Err(format!("{strike:?}: {messages} messages in the end")),
    }
}

/// The number of messages about a session of one photo.
async fn messages_of(service: &Service, token: &str) -> usize {
    let session_id = lacre_domain::SessionToken::parse(token).unwrap().session_id(1).expose();
    let (outbox, client, now) = (Outbox::new(service.connection()), service.client().await, service.clock.now());
    let mut found = 0;
    for attempt in outbox.latest(&client, &lacre_storage::PageRequest::first(500), now).await.unwrap().entries {
        let item = outbox.last(&client, &attempt.message_id, now).await.unwrap().unwrap();
        let body: serde_json::Value = serde_json::from_slice(&outbox.decrypt(&item).await.unwrap()).unwrap();
        found += usize::from(body["session_id"] == json!(session_id));
    }
    found
}
