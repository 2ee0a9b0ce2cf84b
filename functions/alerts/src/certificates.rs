//! How long the certificates in force last, as a metric that alarms can watch.
//!
//! CloudWatch reads the metric from a line of the function's log (the embedded metric format): nothing is called for it.

use std::sync::Arc;

use aws::{Connection, Error, SignerProfiles};
use domain::{Clock, SignerProfile};
use proof::Signers;
use serde_json::{Value, json};
use time::OffsetDateTime;

/// What is told of a profile that cannot be read: nothing lasts, so that the alarm goes off.
const UNREADABLE: i64 = 0;

/// Tells the days that are left of the certificates, with its ports.
pub(crate) struct CertificateMetrics {
    profiles: SignerProfiles,
    clock: Arc<dyn Clock>,
    stack_name: String,
}

impl CertificateMetrics {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let stack_name = connection.config().stack_name.clone();
        Self { profiles: SignerProfiles::new(connection), clock, stack_name }
    }

    /// The line of each signer profile in force.
    ///
    /// # Errors
    /// [`Error`], when the profiles cannot be read.
    pub(crate) async fn lines(&self) -> Result<Vec<Value>, Error> {
        let (profiles, now) = (self.profiles.in_force().await?, self.clock.now());
        Ok(profiles.iter().map(|profile| self.line(profile, now)).collect())
    }

    fn line(&self, profile: &SignerProfile, now: OffsetDateTime) -> Value {
        json!({
            "_aws": {
                "Timestamp": domain::clock::epoch_millis(now),
                "CloudWatchMetrics": [{
                    "Namespace": "Lacre",
                    "Dimensions": [["Stack", "Environment"]],
                    "Metrics": [{ "Name": "CertificateDaysLeft", "Unit": "Count" }],
                }],
            },
            "Stack": self.stack_name,
            "Environment": profile.environment.name(),
            "CertificateDaysLeft": days_left(profile, now),
        })
    }
}

/// Whole days until the first certificate of a profile ends, roots included.
fn days_left(profile: &SignerProfile, now: OffsetDateTime) -> i64 {
    match Signers::parse(profile) {
        Ok(signers) => signers.expiries().iter().map(|expiry| expiry.days_left(now)).min().unwrap_or(UNREADABLE),
        Err(error) => {
            tracing::error!(environment = profile.environment.name(), cause = %error, "a signer profile cannot be used");
            UNREADABLE
        }
    }
}
