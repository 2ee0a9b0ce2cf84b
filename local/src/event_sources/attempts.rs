//! The stream of webhook attempts, the EventBridge pipe that filters it, and the SQS queue behind the pipe, which
//! invokes `webhooks`.

use std::{sync::Arc, time::Duration};

use aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use aws_sdk_dynamodbstreams::types::{AttributeValue, OperationType, Record};
use lacre_webhooks::Webhooks;
use serde_json::json;

use crate::cloud_watch::CloudWatch;

use super::stream::Reader;

/// Maximum receive count of the queue, as in `template.yaml`.
const RECEIVES: u32 = 5;
/// Visibility timeout: the delay before a failed message is delivered again. On AWS it is six minutes.
const VISIBILITY: Duration = Duration::from_secs(1);

/// Delivers each new attempt to `webhooks` in a separate event. Deliveries run concurrently.
pub(super) struct Attempts(pub(super) Arc<Webhooks>, pub(super) CloudWatch);

impl Reader for Attempts {
    // The simulated pipe forwards every record, so nothing reaches its own dead-letter queue here.
    const FUNCTION: &str = "WebhooksFunction";
    const DEAD_LETTERS: &str = "LostWebhooks";

    fn watch(&self) -> &CloudWatch {
        &self.1
    }

    async fn read(&self, _: &str, records: &[Record]) -> Option<usize> {
        for message in records.iter().filter_map(message) {
            tokio::spawn(hand_over(Arc::clone(&self.0), message, self.1.clone()));
        }
        None
    }
}

async fn hand_over(webhooks: Arc<Webhooks>, message: SqsMessage, watch: CloudWatch) {
    for _ in 0..RECEIVES {
        let mut event = SqsEvent::default();
        event.records = vec![message.clone()];
        let (begun, mut log) = (watch.now(), Vec::new());
        let outcome = webhooks.handle(event, &mut log).await;
        watch.read(&log);
        watch.invoked(Attempts::FUNCTION, begun, outcome.is_err());
        match outcome {
            Ok(()) => return,
            Err(error) => tracing::error!(cause = %error, "webhooks failed"),
        }
        tokio::time::sleep(VISIBILITY).await;
    }
    watch.dead_letters(Attempts::DEAD_LETTERS);
    tracing::error!("given up: on AWS the message goes to the dead-letter queue");
}

/// The pipe's message for a record; `None` if the pipe filters the record out.
fn message(record: &Record) -> Option<SqsMessage> {
    let keys = record.dynamodb()?.keys()?;
    let key = |name| keys.get(name).and_then(|value: &AttributeValue| value.as_s().ok());
    let keys = json!({ "client_id": { "S": key("client_id")? }, "attempt_id": { "S": key("attempt_id")? } });
    let body = json!({ "eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": { "Keys": keys } });
    let mut message = SqsMessage::default();
    message.body = Some(body.to_string());
    (record.event_name() == Some(&OperationType::Insert)).then_some(message)
}
