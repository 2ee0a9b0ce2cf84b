//! Publishes alerts: first to the SNS topic, then the entry is removed from the outbox. After an interruption in
//! between, the alert is published again.

use std::sync::Arc;

use lacre_domain::{Alert, Clock};
use lacre_storage::{Connection, Error, Topic};

/// Publishes alerts to the SNS topic.
pub(crate) struct PublishAlerts {
    alerts: lacre_storage::Alerts,
    topic: Topic,
    clock: Arc<dyn Clock>,
}

/// Alerts that could not be published and stay in the outbox.
#[derive(Debug, thiserror::Error)]
pub enum Unpublished {
    /// The outbox could not be read.
    #[error("the outbox cannot be read: {0}")]
    Outbox(#[source] Error),
    /// Publication of some alerts failed, or its outcome is unknown.
    #[error("failed to publish {count} alerts; first error: {cause}")]
    Alerts {
        /// The number of alerts.
        count: usize,
        /// The cause of the first failure.
        #[source]
        cause: Error,
    },
}

impl PublishAlerts {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self { alerts: lacre_storage::Alerts::new(connection), topic: Topic::new(connection), clock }
    }

    /// Publishes all alerts in the outbox.
    pub(crate) async fn outbox(&self) -> Result<(), Unpublished> {
        self.each(self.alerts.unpublished().await.map_err(Unpublished::Outbox)?).await
    }

    /// Publishes alerts one after the other. One that could not be read or published does not stop the others.
    pub(crate) async fn each(&self, alerts: Vec<Result<Alert, Error>>) -> Result<(), Unpublished> {
        let mut failures = Vec::new();
        for alert in alerts {
            match self.one(alert).await {
                Ok(alert) => tracing::info!(alert = alert.kind.name(), license = %alert.license_id, "published"),
                Err(error) => failures.push(error),
            }
        }
        let count = failures.len();
        failures.into_iter().next().map_or(Ok(()), |cause| Err(Unpublished::Alerts { count, cause }))
    }

    async fn one(&self, alert: Result<Alert, Error>) -> Result<Alert, Error> {
        let alert = alert?;
        self.topic.publish(&alert).await?;
        self.alerts.mark_published(&alert, self.clock.now()).await?;
        Ok(alert)
    }
}
