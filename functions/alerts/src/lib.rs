//! Alerts: off the path of captures, raised from the evidence table's stream and published to operators.
//!
//! Two kinds of events come in. The **stream** brings the captures that were recorded; what they made a license reach is
//! raised, each alert once, whatever comes twice or out of order, and published. The **schedule** publishes what is raised
//! and not published yet: revocations, and what an earlier publication lost. It also reports the days until certificates expire.
//!
//! Stored is what counts: an alert is published at least once, and never instead of being stored.

mod certificates;
mod publish;
mod raise;

use std::{io::Write, sync::Arc};

use aws_lambda_events::{
    dynamodb::Event,
    streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse},
};
use lacre_domain::Clock;
use lacre_storage::{Connection, TimeBudgets, within};
use serde_json::Value;

use certificates::CertificateMetrics;
use publish::{PublishAlerts, Unpublished};
use raise::RaiseAlerts;

/// The function with its ports.
pub struct Alerts {
    raise: RaiseAlerts,
    publish: PublishAlerts,
    certificates: CertificateMetrics,
    budgets: TimeBudgets,
}

/// Why an invocation failed as a whole.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The event is not of a kind that this function is for.
    #[error("the event cannot be read: {0}")]
    Event(#[from] serde_json::Error),
    /// Alerts are stored and not published. They stay in the outbox.
    #[error(transparent)]
    Unpublished(#[from] Unpublished),
    /// The certificates in force could not be read.
    #[error("certificates: {0}")]
    Certificates(#[from] lacre_storage::Error),
    /// The metrics could not be written.
    #[error("metrics: {0}")]
    Metrics(#[from] std::io::Error),
}

/// Whether an event is the stream's; else it is the schedule's.
#[must_use]
pub fn is_stream(event: &Value) -> bool {
    event.get("Records").is_some()
}

impl Alerts {
    /// The function over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("alerts");
        Self {
            raise: RaiseAlerts::new(connection, Arc::clone(&clock)),
            publish: PublishAlerts::new(connection, Arc::clone(&clock)),
            certificates: CertificateMetrics::new(connection, clock),
            budgets: connection.config().budgets,
        }
    }

    /// Handles an event of either kind: the stream's has records, the schedule's does not. Metrics
    /// are written to `metrics`, a line each.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn handle(&self, event: Value, metrics: &mut (dyn Write + Send)) -> Result<Value, Error> {
        if is_stream(&event) {
            let answer = self.handle_stream(serde_json::from_value(event)?).await;
            return Ok(serde_json::to_value(answer)?);
        }
        self.handle_schedule(metrics).await.map(|()| Value::Null)
    }

    /// Raises what the captures of a batch made their licenses reach, and publishes what it raised. The answer names the
    /// first record that must come again, if there is one: it and all behind it do. A publication that fails is the
    /// schedule's to repeat, and holds no record back.
    pub async fn handle_stream(&self, event: Event) -> DynamoDbEventResponse {
        let work = async {
            let raised = self.raise.look_at(&event.records).await;
            if let Err(error) = self.publish.each(raised.alerts.into_iter().map(Ok).collect()).await {
                tracing::error!(cause = %error, "alerts wait in the outbox");
            }
            raised.failed
        };
        let mut answer = DynamoDbEventResponse::default();
        if let Some(sequence_number) = within(self.budgets.request, work).await {
            let mut failure = DynamoDbBatchItemFailure::default();
            failure.item_identifier = Some(sequence_number);
            answer.batch_item_failures.push(failure);
        }
        answer
    }

    /// Publishes the outbox, and writes the metrics of the certificates. Neither waits for the other to succeed, and each has
    /// its own time: the metrics first, which need little, so that a topic that hangs rings its own alarm only.
    ///
    /// # Errors
    /// [`Error`], so that the function's own alarm fires.
    pub async fn handle_schedule(&self, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let reported = within(self.budgets.call, self.report_certificates(metrics)).await;
        within(self.budgets.request, self.publish.outbox()).await?;
        reported
    }

    async fn report_certificates(&self, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        for line in self.certificates.lines().await? {
            writeln!(metrics, "{line}")?;
        }
        Ok(())
    }
}
