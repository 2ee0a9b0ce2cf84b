//! Tests webhooks for operators: issuing, rotating and revoking secrets, and listing and repeating attempts.

use std::{io::sink, sync::Arc};

use lacre_domain::{Attempt, Clock, Environment, MessageId};
use lacre_storage::{Outbox, OutboxItem};
use lacre_tests::{
    Answer, Service, Storage, frame,
    outbox::event_of,
    receiver::{self, Receiver},
    vault::capture_id,
};
use lacre_webhooks::Webhooks;
use reqwest::Method;
use serde_json::{Value, json};
use time::Duration;

async fn get(service: &Service, path: &str) -> Answer {
    service.admin(Method::GET, path, Value::Null).await
}

async fn post(service: &Service, path: &str, body: Value) -> Answer {
    service.admin(Method::POST, path, body).await
}

fn refused(text: impl Into<Value>) -> Value {
    json!({ "error": text.into() })
}

/// Creates a client; returns its id and path.
async fn new_client(service: &Service) -> (String, String) {
    let client = post(service, "/clients", json!({ "name": "Seguradora Exemplo" })).await.body;
    let id = client["id"].as_str().unwrap().to_owned();
    (format!("/clients/{id}"), id)
}

#[tokio::test]
async fn issues_rotates_and_revokes_secrets() {
    let service = Service::start().await;
    let (client, id) = new_client(&service).await;
    let (path, sandbox) = (format!("{client}/webhook-secrets"), json!({ "environment": "SANDBOX" }));
    let rotate = format!("{path}/rotate");
    let none = format!("client {id} has no webhook secret in SANDBOX; issue one first");
    assert_eq!(post(&service, &rotate, sandbox.clone()).await.outcome(), (409, refused(none)));

    let first = post(&service, &path, sandbox.clone()).await;
    assert_eq!(first.status, 201, "{}", first.body);
    let secret = first.body["webhook_secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "of 32 bytes");
    let mut view = first.body.clone();
    view.as_object_mut().unwrap().remove("webhook_secret");
    let expected = json!({
        "id": view["id"], "client_id": id, "environment": "SANDBOX", "state": "live", "issued_at": view["issued_at"],
        "ends_at": null,
    });
    assert_eq!(view, expected);
    assert_eq!(get(&service, &path).await.outcome(), (200, json!({ "webhook_secrets": [view] })));
    let there = format!("client {id} has a webhook secret in SANDBOX; rotate it instead");
    assert_eq!(post(&service, &path, sandbox.clone()).await.outcome(), (409, refused(there)));
    assert_eq!(post(&service, &path, json!({ "environment": "PRODUCTION" })).await.status, 201, "another environment");

    let second = post(&service, &rotate, json!({ "environment": "SANDBOX", "overlap_hours": 2 })).await;
    assert_eq!(second.status, 201, "{}", second.body);
    let states = async || {
        let listed = get(&service, &path).await.ok();
        let of_sandbox =
            listed["webhook_secrets"].as_array().unwrap().iter().filter(|one| one["environment"] == "SANDBOX");
        of_sandbox.map(|one| one["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(states().await, ["live", "live"]);
    service.clock.advance(Duration::hours(2));
    assert_eq!(states().await, ["ended", "live"]);

    let second = second.body["id"].as_str().unwrap();
    let revoke = format!("{path}/{second}/revoke");
    let last = format!(
        "webhook secret {second} is the last one that signs in SANDBOX, and no webhook is sent without one: issue another \
         first, or confirm that it is the last"
    );
    for body in [Value::Null, json!({ "last": false })] {
        assert_eq!(post(&service, &revoke, body).await.outcome(), (409, refused(last.as_str())));
    }
    assert_eq!(post(&service, &revoke, json!({ "lost": true })).await.status, 400);
    let revoked = post(&service, &revoke, json!({ "last": true })).await.ok();
    assert_eq!(revoked["state"], "ended");
    assert_eq!(states().await, ["ended", "ended"]);
    assert_eq!(post(&service, &revoke, Value::Null).await.status, 409, "a second time");
    let unknown = format!("{path}/00000000-0000-4000-8000-000000000000/revoke");
    assert_eq!(post(&service, &unknown, Value::Null).await.status, 404);
    // A pasted secret is not echoed.
    let pasted = post(&service, &format!("{path}/whsec_x/revoke"), Value::Null).await;
    assert_eq!(pasted.outcome(), (400, refused("the id of a webhook secret must be a UUID")));
    assert_eq!(post(&service, &path, sandbox).await.status, 201, "none is live");
}

#[tokio::test]
async fn bounds_overlap_and_number_of_secrets() {
    let service = Service::start().await;
    let (client, _) = new_client(&service).await;
    let path = format!("{client}/webhook-secrets");
    post(&service, &path, json!({ "environment": "STAGING" })).await;
    let rotate = async |hours: Value| {
        let order = json!({ "environment": "STAGING", "overlap_hours": hours });
        post(&service, &format!("{path}/rotate"), order).await.outcome()
    };
    assert_eq!(rotate(169.into()).await, (400, refused("the overlap is at most 168 hours")));
    assert_eq!(rotate((-1).into()).await.0, 400);
    for _ in 0..4 {
        assert_eq!(rotate(168.into()).await.0, 201);
    }
    assert_eq!(rotate(1.into()).await, (409, refused("5 secrets sign already; revoke one first")));
    assert_eq!(post(&service, &format!("{client}/suspend"), Value::Null).await.status, 200);
    assert_eq!(post(&service, &path, json!({ "environment": "SANDBOX" })).await.status, 409, "suspended");
}

#[tokio::test]
async fn stores_secrets_encrypted() {
    let service = Service::start().await;
    let (client, _) = new_client(&service).await;
    let path = format!("{client}/webhook-secrets");
    let issued = post(&service, &path, json!({ "environment": "SANDBOX" })).await.body;
    let secret = issued["webhook_secret"].as_str().unwrap().trim_start_matches("whsec_");
    let items = format!("{:?}", Storage::of(&service).items("ACCOUNTS_TABLE").await);
    assert!(!items.contains(secret));
    let bytes = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, secret).unwrap();
    assert!(!items.contains(&format!("{:?}", aws_sdk_dynamodb::primitives::Blob::new(bytes))));
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_and_repeats_attempts() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let webhooks = Webhooks::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>);
    let first = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    let path = format!("/clients/{}/webhooks", first.client_id);
    let message = first.message_id.as_str();
    let again = format!("{path}/{message}/redeliver");
    let waiting = format!("attempt 1 at message {message} has not ended yet");
    assert_eq!(post(&service, &again, Value::Null).await.outcome(), (409, refused(waiting)));

    receiver.answer(receiver::Answer::Status(503, "later".into(), String::new()));
    webhooks.handle(event_of(&first), &mut sink()).await.unwrap();
    let listed = get(&service, &path).await.ok();
    let attempt = &listed["webhooks"][0];
    let expected = json!({
        "message_id": message, "attempt": 1, "client_id": first.client_id, "environment": "SANDBOX",
        "receiver": format!("http://127.0.0.1:{}", receiver.port()), "state": "failed", "result": "rejected", "status": 503,
        "duration_ms": attempt["duration_ms"], "detail": "later", "requested_at": attempt["requested_at"],
        "claimed_at": attempt["claimed_at"], "expires_at": attempt["expires_at"],
    });
    assert_eq!(listed, json!({ "webhooks": [expected], "next": null }));

    let asked = post(&service, &again, Value::Null).await;
    assert_eq!((asked.status, &asked.body["attempt"], &asked.body["state"]), (201, &json!(2), &json!("pending")));
    assert_eq!(post(&service, &again, Value::Null).await.status, 409, "one at a time");
    receiver.answer(receiver::Answer::status(200));
    webhooks.handle(event_of(&first.next(service.clock.now())), &mut sink()).await.unwrap();
    let states = async |query: &str| {
        let listed = get(&service, &format!("{path}{query}")).await.ok();
        listed["webhooks"].as_array().unwrap().iter().map(|one| one["state"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(states("").await, ["delivered", "failed"]);
    assert_eq!(states("?state=failed").await, ["failed"]);
    assert_eq!(states("?limit=1").await, ["delivered"]);
    for query in ["?limit=0", "?limit=501", "?limit=x", "?state=lost", "?other=1"] {
        assert_eq!(get(&service, &format!("{path}{query}")).await.status, 400, "{query}");
    }
    assert_eq!(post(&service, &format!("{path}/msg_x/redeliver"), Value::Null).await.status, 400);
    let unknown = format!("{path}/msg_{}/redeliver", "0".repeat(32));
    assert_eq!(post(&service, &unknown, Value::Null).await.status, 404);
    service.clock.advance(Duration::days(7));
    assert_eq!(post(&service, &again, Value::Null).await.status, 404, "its URLs have expired");
    assert_eq!(states("").await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_supersedes_a_waiting_attempt() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let webhooks = Webhooks::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>);
    let first = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    let path = format!("/clients/{}/webhooks", first.client_id);
    service.clock.advance(Duration::MINUTE);
    let again = post(&service, &format!("{path}/{}/redeliver", first.message_id), Value::Null).await;
    assert_eq!((again.status, &again.body["attempt"]), (201, &json!(2)));
    // The queue delivers it after all.
    webhooks.handle(event_of(&first), &mut sink()).await.unwrap();
    assert_eq!(receiver.received().len(), 0);
    webhooks.handle(event_of(&first.next(service.clock.now())), &mut sink()).await.unwrap();
    assert_eq!(receiver.received().len(), 1);
    let listed = get(&service, &path).await.ok();
    let results = [0, 1].map(|index| listed["webhooks"][index]["result"].clone());
    assert_eq!(results, ["delivered", "superseded"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn redelivers_no_message_with_withheld_photos() {
    let service = Service::start().await;
    let token = service.create_hosted("demo").await;
    let captured = service.capture_hosted(&service.open_hosted(&token).await, &frame::fresh()).await.ok();
    let client = service.client().await;
    let path = format!("/clients/{client}");
    let listed = get(&service, &format!("{path}/webhooks")).await.ok();
    let again = format!("{path}/webhooks/{}/redeliver", listed["webhooks"][0]["message_id"].as_str().unwrap());
    service.clock.advance(Duration::MINUTE);

    post(&service, &format!("{path}/suspend"), Value::Null).await.ok();
    let suspended = refused(format!("client {client} is suspended; resume it first"));
    assert_eq!(post(&service, &again, Value::Null).await.outcome(), (409, suspended));
    post(&service, &format!("{path}/resume"), Value::Null).await.ok();

    let (evidence, capture) = (service.evidence(), capture_id(&captured));
    evidence.withhold(&capture, "request 2026/42").await.unwrap();
    let withheld = post(&service, &again, Value::Null).await;
    assert!(
        withheld.status == 409 && withheld.body["error"].as_str().unwrap().contains("withheld"),
        "{}",
        withheld.body
    );
    evidence.release(&capture, "request 2026/42").await.unwrap();
    assert_eq!(post(&service, &again, Value::Null).await.status, 201);
}

#[tokio::test]
async fn lists_all_attempts_across_pages() {
    let service = Service::start().await;
    let first = service.post_webhook(Environment::Sandbox, "https://hooks.example.com/").await;
    let outbox = Outbox::new(service.connection());
    for _ in 0..70 {
        let id = MessageId::new(service.clock.now(), lacre_storage::entropy());
        let body = outbox.data_key(&id).await.unwrap().encrypt(&[0; 20_000]).unwrap();
        let attempt = Attempt { message_id: id, ..first.clone() };
        assert!(outbox.add(&OutboxItem { attempt, body }, None, &lacre_tests::operator::entry()).await.unwrap());
    }
    let (mut listed, mut cursor) = (0, String::new());
    loop {
        let page = get(&service, &format!("/clients/{}/webhooks?{cursor}limit=100", first.client_id)).await.ok();
        listed += page["webhooks"].as_array().unwrap().len();
        match page["next"].as_str() {
            Some(next) => cursor = format!("cursor={next}&"),
            None => break,
        }
    }
    assert_eq!(listed, 71, "over 1 MB of bodies");
}
