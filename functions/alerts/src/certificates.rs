//! The metric of the days until the current certificates expire, on which alarms are set.
//!
//! It is written as a line of the function's log (CloudWatch's embedded metric format), so no API call is needed.

use std::sync::Arc;

use lacre_domain::{Clock, SignerProfile};
use lacre_metrics::{Metric, Record, Unit};
use lacre_proof::Expiry;
use lacre_storage::{Connection, Error, SignerProfiles};
use time::OffsetDateTime;

const CERTIFICATE_DAYS_LEFT: Metric = Metric::new("CertificateDaysLeft", Unit::Count);

/// The value for a profile that cannot be parsed: 0, so that the alarm fires.
const UNREADABLE: i64 = 0;

/// Writes the metric for every signer profile.
pub(crate) struct CertificateMetrics {
    profiles: SignerProfiles,
    clock: Arc<dyn Clock>,
    stack_name: String,
}

impl CertificateMetrics {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let stack_name = connection.config().stack_name.read();
        Self { profiles: SignerProfiles::new(connection), clock, stack_name }
    }

    /// The metric lines of the signer profiles in force.
    ///
    /// # Errors
    /// [`Error`] if the profiles cannot be read.
    pub(crate) async fn lines(&self) -> Result<Vec<String>, Error> {
        let (profiles, now) = (self.profiles.in_force().await?, self.clock.now());
        Ok(profiles.iter().map(|profile| self.line(profile, now)).collect())
    }

    fn line(&self, profile: &SignerProfile, now: OffsetDateTime) -> String {
        Record::at(now.into())
            .property("Stack", self.stack_name.as_str())
            .property("Environment", profile.environment.name())
            .metrics(&["Stack", "Environment"], &[(CERTIFICATE_DAYS_LEFT, days_left(profile, now) as f64)])
            .line()
    }
}

/// Whole days until the first certificate of a profile expires; roots count too.
fn days_left(profile: &SignerProfile, now: OffsetDateTime) -> i64 {
    match Expiry::of_profile(profile) {
        Ok(expiries) => expiries.iter().map(|expiry| expiry.days_left(now)).min().unwrap_or(UNREADABLE),
        Err(error) => {
            tracing::error!(environment = profile.environment.name(), cause = %error, "the certificates of a signer profile cannot be read");
            UNREADABLE
        }
    }
}
