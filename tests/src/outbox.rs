//! Access to the webhook outbox: stores a message, and builds the event of an attempt.

use aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use lacre_domain::{ApiKey, Attempt, ClientId, Clock, Environment, MessageId, WebUrl};
use lacre_storage::{Outbox, OutboxItem};
use serde_json::json;

use crate::{Service, operator::entry};

impl Service {
    /// The client of `API_KEY`.
    pub async fn client(&self) -> ClientId {
        let key = ApiKey::parse(self.variable("API_KEY")).unwrap();
        lacre_storage::Accounts::new(self.connection()).read_api_key(&key.hash()).await.unwrap().unwrap().client_id
    }

    /// Stores a message of the client in the outbox, without a session.
    pub async fn post_webhook(&self, environment: Environment, url: &str) -> Attempt {
        let (outbox, now) = (Outbox::new(self.connection()), self.clock.now());
        let id = MessageId::new(now, lacre_storage::entropy());
        let body = outbox.data_key(&id).await.unwrap().encrypt(br#"{"status":"signed"}"#).unwrap();
        let attempt =
            Attempt::first(self.client().await, environment, id, WebUrl::parse(url).unwrap(), Vec::new(), now);
        assert!(outbox.add(&OutboxItem { attempt: attempt.clone(), body }, None, &entry()).await.unwrap());
        attempt
    }
}

/// The SQS event of an attempt.
pub fn event_of(attempt: &Attempt) -> SqsEvent {
    let attempt_id = format!("{}#{:04}", attempt.message_id, attempt.number);
    let keys = json!({ "client_id": { "S": attempt.client_id }, "attempt_id": { "S": attempt_id } });
    let mut message = SqsMessage::default();
    message.body = Some(json!({ "eventName": "INSERT", "dynamodb": { "Keys": keys } }).to_string());
    let mut event = SqsEvent::default();
    event.records = vec![message];
    event
}
