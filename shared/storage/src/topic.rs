//! The SNS topic to which alerts are published.
//!
//! SNS may have published a message whose response was lost. So an alert is published at least once, and subscribers
//! recognize duplicates by license, month and kind.

use aws_sdk_sns::types::MessageAttributeValue;
use lacre_domain::{Alert, clock::rfc3339};
use serde_json::json;

use crate::{
    Connection, Error,
    budgets::InTime,
    error::{incomplete, unavailable},
};

/// Publishes alerts.
#[derive(Clone, Debug)]
pub struct Topic {
    client: aws_sdk_sns::Client,
    arn: String,
}

impl Topic {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.sns(), arn: connection.config.alerts_topic_arn.read() }
    }

    /// Publishes an alert as a JSON object, with message attributes for subscription filters (`alert`, `environment`,
    /// `client_id`) and a subject for e-mail.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: the alert was not published, or the response was lost.
    pub async fn publish(&self, alert: &Alert) -> Result<(), Error> {
        let (kind, environment) = (alert.kind.name(), alert.environment.name());
        let publish = self
            .client
            .publish()
            .topic_arn(&self.arn)
            .subject(format!("{kind} in {environment}"))
            .message(message(alert))
            .message_attributes("alert", attribute(kind)?)
            .message_attributes("environment", attribute(environment)?)
            .message_attributes("client_id", attribute(alert.client_id.as_str())?);
        publish.send().in_time().await.map(|_| ()).map_err(|error| unavailable("Publish", &error))
    }
}

/// The body of the message.
fn message(alert: &Alert) -> String {
    let mut body = json!({
        "alert": alert.kind.name(),
        "license_id": alert.license_id,
        "client_id": alert.client_id,
        "environment": alert.environment,
        "month": alert.month,
        "raised_at": rfc3339(alert.raised_at),
    });
    if let (Some(captures_used), Some(volume_limit)) = (alert.captures_used, alert.volume_limit) {
        body["captures_used"] = captures_used.into();
        body["volume_limit"] = volume_limit.into();
    }
    body.to_string()
}

fn attribute(text: &str) -> Result<MessageAttributeValue, Error> {
    MessageAttributeValue::builder().data_type("String").string_value(text).build().map_err(incomplete)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lacre_domain::{AlertKind, ClientId, Environment, LicenseId};
    use serde_json::Value;

    fn alert(kind: AlertKind, captures_used: Option<u64>) -> Alert {
        Alert {
            kind,
            license_id: LicenseId::from_u128(2),
            client_id: ClientId::from_u128(1),
            environment: Environment::Production,
            month: "2026-11".into(),
            raised_at: time::macros::datetime!(2026-11-21 12:30:00.123456 UTC),
            captures_used,
            volume_limit: captures_used.map(|_| 100),
            published_at: None,
            acknowledged_at: None,
            acknowledged_by: None,
        }
    }

    #[test]
    fn a_message_holds_only_the_alert() {
        let published = |alert| serde_json::from_str::<Value>(&message(&alert)).unwrap();
        let mut expected = json!({
            "alert": "REVOKED", "license_id": LicenseId::from_u128(2), "client_id": ClientId::from_u128(1),
            "environment": "PRODUCTION", "month": "2026-11", "raised_at": "2026-11-21T12:30:00Z",
        });
        assert_eq!(published(alert(AlertKind::Revoked, None)), expected);
        expected["alert"] = "VOLUME_90".into();
        expected["captures_used"] = 91.into();
        expected["volume_limit"] = 100.into();
        assert_eq!(published(alert(AlertKind::Volume90, Some(91))), expected);
    }
}
