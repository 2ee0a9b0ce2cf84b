//! Tests of webhooks: what a receiver gets, how often, and which addresses may be connected to.

mod addresses;
mod delivery;
mod once;

use std::{io::sink, sync::Arc};

use lacre_domain::{Attempt, Clock, Environment, WebhookSecret, WebhookSecretId, WebhookSecretRecord};
use lacre_storage::{Outbox, WebhookSecrets};
use lacre_tests::{Service, frame, outbox::event_of, records::new_id};
use lacre_webhooks::Webhooks;
use serde_json::{Value, json};

/// The function with the service's clock.
fn function(service: &Service) -> Webhooks {
    Webhooks::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>)
}

/// Completes a hosted session whose result is sent to a URL; returns its token.
async fn capture(service: &Service, profile: &str, url: &str) -> String {
    let mut order = Service::hosted_order(profile);
    order["webhook_url"] = url.into();
    let token = service.create_hosted_with(service.variable("API_KEY"), &order).await.hosted_token();
    loop {
        let loaded = service.open_hosted(&token).await;
        if service.capture_hosted(&loaded, &frame::fresh()).await.ok()["complete"] == json!(true) {
            return token;
        }
    }
}

/// A client's attempts, latest first.
async fn attempts(service: &Service) -> Vec<Attempt> {
    let client = service.client().await;
    Outbox::new(service.connection())
        .latest(&client, &lacre_storage::PageRequest::first(100), service.clock.now())
        .await
        .unwrap()
        .entries
}

/// Adds another secret of the client in an environment.
async fn add_secret(service: &Service, environment: Environment) -> WebhookSecret {
    let secret = WebhookSecret::from_entropy(lacre_storage::entropy());
    let (client_id, issued_at) = (service.client().await, service.clock.now());
    let id = WebhookSecretId::from_u128(new_id());
    let record = WebhookSecretRecord { id, client_id, environment, issued_at, ends_at: None };
    assert!(
        WebhookSecrets::new(service.connection())
            .add(&record, &secret, &[], issued_at, &lacre_tests::operator::entry())
            .await
            .unwrap()
    );
    secret
}

/// Makes an attempt; returns its state afterwards.
async fn make(service: &Service, function: &Webhooks, attempt: &Attempt) -> Attempt {
    function.handle(event_of(attempt), &mut sink()).await.unwrap();
    let mut found = attempts(service).await;
    found.retain(|found| (&found.message_id, found.number) == (&attempt.message_id, attempt.number));
    found.pop().unwrap()
}

/// The result of an attempt and the HTTP status.
fn result(attempt: &Attempt) -> (Value, Option<u16>) {
    let outcome = attempt.outcome.as_ref().unwrap();
    (serde_json::to_value(outcome.result).unwrap(), outcome.status)
}
