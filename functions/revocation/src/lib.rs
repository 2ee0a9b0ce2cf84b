//! The revocation function: keeps a current OCSP response about each claim certificate in force, which `ingest` embeds into
//! manifests (C2PA 2.4, 14.5.2: `rVals`).
//!
//! Every hour it asks the responder that the certificate names, checks the response as `ingest` does, and stores it in
//! place of the one before. While a responder does not answer, the stored response stays: `ingest` uses it until it is no
//! longer current, and then makes manifests without one. So no capture waits for a responder, or fails because of it.
//!
//! If the responder says that the certificate is revoked, the stored response is deleted, and the operators decide.

mod responder;

use std::{io::Write, sync::Arc};

use futures_util::future::join_all;
use lacre_domain::Clock;
use lacre_metrics::{Metric, Record, Unit};
use lacre_proof::{
    certificate::Chain,
    revocation::{Staple, StapleFault, ocsp_address, ocsp_request},
};
use lacre_storage::{Connection, PublicProfile, SignerProfiles, Staples, TimeBudgets, within};

const STALE: Metric = Metric::new("RevocationStale", Unit::Count);
const REVOKED: Metric = Metric::new("SignerRevoked", Unit::Count);

/// The function with its ports.
pub struct Revocation {
    profiles: SignerProfiles,
    staples: Staples,
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

/// Why no response is stored for an environment, although its claim certificate names a responder.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// The certificate cannot be read, the responder did not answer, or its answer cannot be embedded.
    #[error("{0}")]
    Response(String),
    /// The response is valid, and says that the certificate is revoked.
    #[error("{0}")]
    Revoked(StapleFault),
    /// The response could not be stored, or that of an earlier certificate not be deleted.
    #[error("the response is not stored: {0}")]
    Store(#[from] lacre_storage::Error),
}

impl From<StapleFault> for Fault {
    fn from(fault: StapleFault) -> Self {
        match fault {
            StapleFault::Revoked(_) => Self::Revoked(fault),
            StapleFault::Invalid(cause) => Self::Response(cause),
        }
    }
}

impl From<String> for Fault {
    fn from(cause: String) -> Self {
        Self::Response(cause)
    }
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
            clock,
            stack_name: config.stack_name.read(),
            budgets: config.budgets,
        }
    }

    /// Stores a new response for each environment whose claim certificate names a responder. One line with both metrics
    /// is written to `metrics`: whether an environment got no valid response, and whether a certificate is revoked.
    ///
    /// # Errors
    /// [`Error`]. What fails for one environment is logged and counted, and does not stop the others.
    pub async fn refresh(&self, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let profiles = match within(self.budgets.call, self.profiles.public_in_force()).await {
            Ok(profiles) => profiles,
            Err(error) => return self.count(1.0, 0.0, metrics).and(Err(error.into())),
        };
        let (mut stale, mut revoked) = (0.0, 0.0);
        for (profile, outcome) in
            profiles.iter().zip(join_all(profiles.iter().map(|each| self.refresh_one(each))).await)
        {
            let Err(fault) = outcome else { continue };
            tracing::error!(environment = profile.environment.name(), cause = %fault, "no OCSP response for manifests");
            match fault {
                Fault::Revoked(_) => revoked = 1.0,
                Fault::Response(_) | Fault::Store(_) => stale = 1.0,
            }
        }
        self.count(stale, revoked, metrics)
    }

    /// Asks the responder of one environment, and stores its response. If the certificate names none, or its chain lacks
    /// the issuer, a response that was stored for an earlier certificate is deleted.
    async fn refresh_one(&self, profile: &PublicProfile) -> Result<(), Fault> {
        let environment = profile.environment;
        let chain = Chain::from_pem(&profile.claim.chain_pem)?;
        let address = ocsp_address(chain.leaf())?.filter(|address| !responder::is_reserved(address));
        let Some(address) = address.filter(|_| chain.der().len() > 1) else {
            return Ok(within(self.budgets.call, self.staples.remove(environment)).await?);
        };
        let response = responder::ask(&address, ocsp_request(&chain)?).await?;
        let checked = Staple::check(&response, &chain);
        if let Err(StapleFault::Revoked(_)) = checked
            && let Err(error) = within(self.budgets.call, self.staples.remove(environment)).await
        {
            tracing::error!(environment = environment.name(), cause = %error, "the response before is not deleted");
        }
        let staple = checked?;
        staple.check_current(self.clock.now())?;
        within(self.budgets.call, self.staples.put(environment, staple.der())).await?;
        tracing::info!(environment = environment.name(), next_update = %staple.next_update(), "stored");
        Ok(())
    }

    fn count(&self, stale: f64, revoked: f64, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let line = Record::at(self.clock.now().into()).property("Stack", self.stack_name.as_str());
        let line = line.metrics(&["Stack"], &[(STALE, stale), (REVOKED, revoked)]);
        Ok(writeln!(metrics, "{}", line.line())?)
    }
}
