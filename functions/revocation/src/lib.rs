//! The revocation function: asks every hour what the authorities say of the service's certificates, for the manifests of
//! captures (`staples`) and for the timestamps of the logs (`bundles`).

mod bundles;
mod fetch;
mod staples;
mod statements;

use std::{io::Write, sync::Arc, time::Duration};

use futures_util::future::join_all;
use lacre_domain::Clock;
use lacre_metrics::{Metric, Record, Unit};
use lacre_storage::{Connection, LogFiles, PublicProfile, SignerProfiles, Staples, TimeBudgets, within};
use tokio::time::timeout;

use crate::{bundles::Outcome, staples::Fault, statements::Lists};

const STALE: Metric = Metric::new("RevocationStale", Unit::Count);
const LATE: Metric = Metric::new("BundleLate", Unit::Count);
const REVOKED: Metric = Metric::new("SignerRevoked", Unit::Count);

/// The time in which the servers that one environment's certificates name have to answer. Lambda ends the function after
/// five minutes, and there are three environments.
const FOR_BUNDLES: Duration = Duration::from_secs(80);

/// The function with its ports.
pub struct Revocation {
    profiles: SignerProfiles,
    staples: Staples,
    files: LogFiles,
    clock: Arc<dyn Clock>,
    stack_name: String,
    budgets: TimeBudgets,
}

/// Why an invocation failed. The next hour repeats it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The signer profiles could not be read.
    #[error("signer profiles: {0}")]
    Profiles(#[from] lacre_storage::Error),
    /// The metrics could not be written.
    #[error("metrics: {0}")]
    Metrics(#[from] std::io::Error),
}

impl Revocation {
    /// The function with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("revocation");
        let config = connection.config();
        Self {
            profiles: SignerProfiles::new(connection),
            staples: Staples::new(connection),
            files: LogFiles::new(connection),
            clock,
            stack_name: config.stack_name.read(),
            budgets: config.budgets,
        }
    }

    /// Stores a new OCSP response for each environment whose claim certificate names a responder, and the evidence bundles
    /// that are complete. Two lines with the metrics are written to `metrics`: whether an environment got no valid response,
    /// and whether a bundle is late; and in both whether a certificate is revoked.
    ///
    /// # Errors
    /// [`Error`]. What fails for one environment is logged and counted, and does not stop the others.
    pub async fn run(&self, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let profiles = match within(self.budgets.call, self.profiles.public_in_force()).await {
            Ok(profiles) => profiles,
            Err(error) => return self.count(&[(STALE, true), (REVOKED, false)], metrics).and(Err(error.into())),
        };
        let (is_stale, is_revoked) = self.refresh(&profiles).await;
        self.count(&[(STALE, is_stale), (REVOKED, is_revoked)], metrics)?;
        let Outcome { is_late, is_revoked } = self.bundle(&profiles).await;
        self.count(&[(LATE, is_late), (REVOKED, is_revoked)], metrics)
    }

    /// Refreshes the OCSP responses. Returns whether one could not be, and whether a claim certificate is revoked.
    async fn refresh(&self, profiles: &[PublicProfile]) -> (bool, bool) {
        let refresh = |profile| staples::refresh(&self.staples, &self.budgets, profile, &*self.clock);
        let refreshed = profiles.iter().map(refresh);
        let (mut is_stale, mut is_revoked) = (false, false);
        for (profile, outcome) in profiles.iter().zip(join_all(refreshed).await) {
            let Err(fault) = outcome else { continue };
            tracing::error!(environment = profile.environment.name(), cause = %fault, "no OCSP response for manifests");
            match fault {
                Fault::Revoked(_) => is_revoked = true,
                Fault::Response(_) | Fault::Store(_) => is_stale = true,
            }
        }
        (is_stale, is_revoked)
    }

    /// Writes the evidence bundles of all environments. A failure counts as a late bundle.
    async fn bundle(&self, profiles: &[PublicProfile]) -> Outcome {
        let (mut lists, mut outcome) = (Lists::default(), Outcome::default());
        for profile in profiles {
            let written = bundles::write(&self.files, profile, &mut lists, &mut outcome, self.clock.now());
            if let Err(error) = timeout(FOR_BUNDLES, written).await.unwrap_or(Err(bundles::Error::TimedOut)) {
                let environment = profile.environment.name();
                tracing::error!(environment, cause = %error, "evidence bundles were not written");
                outcome.is_late = true;
            }
        }
        outcome
    }

    fn count(&self, counted: &[(Metric, bool)], metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let line = Record::at(self.clock.now().into()).property("Stack", self.stack_name.as_str());
        let counted: Vec<_> = counted.iter().map(|(metric, is)| (*metric, f64::from(u8::from(*is)))).collect();
        Ok(writeln!(metrics, "{}", line.metrics(&["Stack"], &counted).line())?)
    }
}
