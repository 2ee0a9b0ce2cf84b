//! The alerts function: raises alerts from the stream of the Evidence table and publishes them to operators. It works
//! asynchronously, so captures do not wait for it.
//!
//! It receives two kinds of events. An event of the **stream** contains the evidence records of new captures. The
//! function raises the alerts whose thresholds their licenses have reached, and publishes them; each alert is raised
//! once, even if records arrive twice or out of order. An event of the **schedule** publishes alerts that are stored
//! but not published: revocations, and those whose earlier publication failed. It also reports the days until
//! certificates expire.
//!
//! An alert is stored before it is published, and is published at least once.

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

/// Why an invocation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The event comes neither from the DynamoDB stream nor from the schedule.
    #[error("the event cannot be read: {0}")]
    Event(#[from] serde_json::Error),
    /// Some alerts are stored but could not be published. They stay in the outbox.
    #[error(transparent)]
    Unpublished(#[from] Unpublished),
    /// The certificates in force could not be read.
    #[error("certificates: {0}")]
    Certificates(#[from] lacre_storage::Error),
    /// The metrics could not be written.
    #[error("metrics: {0}")]
    Metrics(#[from] std::io::Error),
}

/// Whether an event comes from the stream; otherwise it comes from the schedule.
#[must_use]
pub fn is_stream(event: &Value) -> bool {
    event.get("Records").is_some()
}

impl Alerts {
    /// The function with its ports on a connection.
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

    /// Handles an event of the stream or of the schedule. Metrics are written to `metrics`, one per line.
    ///
    /// # Errors
    /// [`Error`] for events of the schedule. Failures of the stream are part of the returned response.
    pub async fn handle(&self, event: Value, metrics: &mut (dyn Write + Send)) -> Result<Value, Error> {
        if is_stream(&event) {
            let answer = self.handle_stream(serde_json::from_value(event)?).await;
            return Ok(serde_json::to_value(answer)?);
        }
        self.handle_schedule(metrics).await.map(|()| Value::Null)
    }

    /// Raises the alerts that the captures of a batch caused, and publishes them. The response names the first record
    /// that failed; Lambda redelivers it and all records after it. A failed publication does not fail a record, because
    /// the schedule retries it.
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

    /// Publishes the outbox, and writes the metrics of the certificates. Each has its own time limit, and neither
    /// depends on the other's success. The metrics come first because they take little time: an SNS topic that does not
    /// respond then triggers only its own alarm.
    ///
    /// # Errors
    /// [`Error`], which makes the invocation fail, so that the function's alarm fires.
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
