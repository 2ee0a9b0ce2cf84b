//! Tests that there is at most one attempt, with an outcome that operators can see, whatever is lost or repeated.

use std::io::sink;

use lacre_api::headers;
use lacre_domain::{AttemptState, Clock, Environment};
use lacre_storage::{Outbox, OutboxItem};
use lacre_tests::{Service, outbox::event_of, receiver::Receiver};
use serde_json::json;
use time::Duration;

use super::{attempts, function, make, result};

#[tokio::test(flavor = "multi_thread")]
async fn sends_messages_queued_twice_once() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let function = function(&service);
    let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    let both = tokio::join!(async { function.handle(event_of(&attempt), &mut sink()).await }, async {
        function.handle(event_of(&attempt), &mut sink()).await
    },);
    both.0.and(both.1).unwrap();
    function.handle(event_of(&attempt), &mut sink()).await.unwrap();
    assert_eq!(receiver.received().len(), 1);
    assert_eq!(result(&attempts(&service).await[0]), (json!("delivered"), Some(204)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claimed_attempt_is_never_repeated() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let (outbox, attempt) =
        (Outbox::new(service.connection()), service.post_webhook(Environment::Sandbox, &receiver.url()).await);
    assert!(outbox.claim(&attempt, "a process that ended", service.clock.now()).await.unwrap());
    let found = make(&service, &function(&service), &attempt).await;
    assert_eq!((receiver.received().len(), found.outcome.clone()), (0, None));
    assert_eq!(found.state(service.clock.now()), AttemptState::InProgress);
    assert_eq!(found.state(service.clock.now() + Duration::MINUTE), AttemptState::Unknown);
    // Only the attempt's owner can record its outcome.
    let outcome = lacre_domain::Outcome {
        result: lacre_domain::DeliveryResult::Delivered,
        status: None,
        duration_ms: 1,
        detail: String::new(),
    };
    assert!(!outbox.conclude(&attempt, "another process", &outcome).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_repeats_the_same_message() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let (outbox, function) = (Outbox::new(service.connection()), function(&service));
    let first = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    make(&service, &function, &first).await;
    let now = service.clock.now();
    let made = outbox.last(&first.client_id, &first.message_id, now).await.unwrap().unwrap();
    let next = OutboxItem { attempt: made.attempt.next(now), body: made.body };
    assert!(outbox.add(&next, Some(&made.attempt), &lacre_tests::operator::entry()).await.unwrap());
    assert!(
        !outbox.add(&next, Some(&made.attempt), &lacre_tests::operator::entry()).await.unwrap(),
        "by another operator"
    );
    make(&service, &function, &next.attempt).await;
    let [one, two] = receiver.received().try_into().unwrap();
    assert_eq!((one.header(headers::WEBHOOK_ID), &one.body), (two.header(headers::WEBHOOK_ID), &two.body));
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_expire_after_seven_days() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    service.clock.advance(Duration::days(7));
    function(&service).handle(event_of(&attempt), &mut sink()).await.unwrap();
    assert_eq!((receiver.received().len(), attempts(&service).await), (0, Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_queue_messages_without_an_attempt() {
    let service = Service::start().await;
    let attempt = service.post_webhook(Environment::Sandbox, "http://127.0.0.1:1/").await;
    for body in ["", "{}", r#"{"dynamodb":{"Keys":{"client_id":{"S":"c"},"attempt_id":{"S":"msg_x#1"}}}}"#] {
        let mut event = event_of(&attempt);
        event.records[0].body = Some(body.to_owned());
        assert!(function(&service).handle(event, &mut sink()).await.is_err(), "{body}");
    }
}
