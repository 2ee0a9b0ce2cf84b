//! The webhooks function: a queue delivers attempts of the outbox, and each attempt is made at most once.
//!
//! Everything that an attempt needs is read first. Then the attempt is claimed, made, and its outcome recorded. After a
//! failure before the claim, the queue delivers the attempt again. After the claim nothing is repeated: if the process
//! ends then, the attempt's outcome stays unknown, and an operator decides whether to make another attempt.

mod deliver;
mod public_addresses;

use std::{io::Write, sync::Arc, time::Duration};

use aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use lacre_domain::{Attempt, Clock, DeliveryResult, Environment, Outcome, WebhookSecret, limits};
use lacre_metrics::{Metric, Record, Unit};
use lacre_storage::{AttemptKey, Connection, Outbox, OutboxItem, TimeBudgets, WebhookSecrets, within};
use reqwest::dns::Resolve;
use serde::Deserialize;

use deliver::Deliverer;
use public_addresses::SystemResolver;

/// Number of attempts whose receiver accepted the message.
const DELIVERED: Metric = Metric::new("WebhooksDelivered", Unit::Count);
/// Number of attempts that failed.
const FAILED: Metric = Metric::new("WebhooksFailed", Unit::Count);

/// The function with its ports.
pub struct Webhooks {
    outbox: Outbox,
    secrets: WebhookSecrets,
    deliverer: Deliverer,
    clock: Arc<dyn Clock>,
    budgets: TimeBudgets,
    stack_name: String,
}

/// Why the queue has to deliver a batch again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A message of the queue names no attempt.
    #[error("a message of the queue does not name an attempt")]
    Message,
    /// A call to AWS failed.
    #[error(transparent)]
    Aws(#[from] lacre_storage::Error),
    /// The metrics could not be written.
    #[error("metrics: {0}")]
    Metrics(#[from] std::io::Error),
}

/// A record of the Webhooks table's stream, as the pipe forwards it to the queue.
#[derive(Deserialize)]
struct Message {
    dynamodb: Change,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Change {
    keys: Keys,
}

#[derive(Deserialize)]
struct Keys {
    client_id: Text,
    attempt_id: Text,
}

/// A string in DynamoDB's JSON.
#[derive(Deserialize)]
struct Text {
    #[serde(rename = "S")]
    text: String,
}

/// An attempt with everything that is needed to make it.
struct Prepared {
    attempt: Attempt,
    body: Vec<u8>,
    secrets: Vec<WebhookSecret>,
}

impl Webhooks {
    /// The function with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("webhooks");
        let resolver = Arc::new(SystemResolver);
        let own_machine = connection.config().announces_to_own_machine;
        Self {
            outbox: Outbox::new(connection),
            secrets: WebhookSecrets::new(connection),
            deliverer: Deliverer { resolver, timeout: limits::WEBHOOK_TIMEOUT.unsigned_abs(), own_machine },
            clock,
            budgets: connection.config().budgets,
            stack_name: connection.config().stack_name.read(),
        }
    }

    /// A copy with another DNS resolver, for tests.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn Resolve>) -> Self {
        Self { deliverer: Deliverer { resolver, ..self.deliverer }, ..self }
    }

    /// A copy with another time limit for a receiver's response, for tests.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { deliverer: Deliverer { timeout, ..self.deliverer }, ..self }
    }

    /// Makes the attempts that a batch of the queue names. Metrics are written to `metrics`, one per line.
    ///
    /// # Errors
    /// [`Error`]: the queue delivers the batch again. Attempts that were already claimed are not repeated.
    pub async fn handle(&self, event: SqsEvent, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        for message in &event.records {
            let key = key(message).ok_or(Error::Message)?;
            if let Some((environment, outcome)) = self.make(&key).await? {
                writeln!(metrics, "{}", self.line(environment, &outcome))?;
            }
        }
        Ok(())
    }

    /// Makes one attempt; `None` if it was already claimed or has left the outbox.
    async fn make(&self, key: &AttemptKey) -> Result<Option<(Environment, Outcome)>, Error> {
        let Some(Prepared { attempt, body, secrets }) = within(self.budgets.request, self.prepare(key)).await? else {
            return Ok(None);
        };
        let (claimant, now) = (lacre_storage::attempt_id(), self.clock.now());
        if !within(self.budgets.call, self.outbox.claim(&attempt, &claimant, now)).await? {
            return Ok(None);
        }
        let outcome = self.deliverer.deliver(&attempt, body, &secrets, now).await;
        log(&attempt, &outcome);
        within(self.budgets.call, self.outbox.conclude(&attempt, &claimant, &outcome)).await?;
        Ok(Some((attempt.environment, outcome)))
    }

    /// Reads what an attempt needs; `None` if it was already claimed or has left the outbox.
    async fn prepare(&self, key: &AttemptKey) -> Result<Option<Prepared>, lacre_storage::Error> {
        let now = self.clock.now();
        let Some(item) = self.outbox.read(key, now).await?.filter(is_unclaimed) else { return Ok(None) };
        let Attempt { client_id, environment, .. } = &item.attempt;
        let (body, secrets) = tokio::join!(self.outbox.decrypt(&item), self.secrets.live(client_id, *environment, now));
        Ok(Some(Prepared { body: body?, secrets: secrets?, attempt: item.attempt }))
    }

    fn line(&self, environment: Environment, outcome: &Outcome) -> String {
        let metric = if outcome.result == DeliveryResult::Delivered { DELIVERED } else { FAILED };
        Record::at(self.clock.now().into())
            .property("Stack", self.stack_name.as_str())
            .property("Environment", environment.name())
            .metrics(&["Stack", "Environment"], &[(metric, 1.0)])
            .line()
    }
}

fn key(message: &SqsMessage) -> Option<AttemptKey> {
    let message: Message = serde_json::from_str(message.body.as_deref()?).ok()?;
    let Keys { client_id, attempt_id } = message.dynamodb.keys;
    AttemptKey::parse(&client_id.text, &attempt_id.text)
}

fn is_unclaimed(item: &OutboxItem) -> bool {
    item.attempt.claimed_at.is_none()
}

/// Logs the outcome. The outcome's detail is left out, because the receiver wrote it; operators read it in the outbox.
fn log(attempt: &Attempt, outcome: &Outcome) {
    let Attempt { client_id, environment, message_id, number, .. } = attempt;
    let Outcome { result, status, duration_ms, .. } = outcome;
    let (environment, status) = (environment.name(), status.unwrap_or_default());
    match result {
        DeliveryResult::Delivered => {
            tracing::info!(client = %client_id, environment, message = %message_id, number, status, duration_ms, "delivered");
        }
        result => {
            tracing::warn!(client = %client_id, environment, message = %message_id, number, ?result, status, duration_ms, "not delivered");
        }
    }
}
