//! Keeps a current OCSP response about each claim certificate in force, which `ingest` embeds into manifests (C2PA 2.4,
//! 14.5.2: `rVals`).
//!
//! Every hour the responder that the certificate names is asked, its response checked as `ingest` does, and stored in place
//! of the one before. While a responder does not answer, the stored response stays: `ingest` uses it until it is no longer
//! current, and then makes manifests without one. So no capture waits for a responder, or fails because of it.
//!
//! If the responder says that the certificate is revoked, the stored response is deleted, and the operators decide.

use lacre_domain::Clock;
use lacre_proof::{
    certificate::Chain,
    revocation::{Staple, StapleFault, ocsp_address, ocsp_request},
};
use lacre_storage::{PublicProfile, Staples, TimeBudgets, within};
use time::Duration;

use crate::fetch;

/// The age, counted from its `thisUpdate`, at which a response is stored. Photos that embed it get timestamps of later
/// seconds: encypher-c2pa 1.7.1 takes a response whose `thisUpdate` equals the time of the claim's timestamp for none.
const STORED_AT: Duration = Duration::seconds(2);

/// Why no response is stored for an environment, although its claim certificate names a responder.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
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

/// Asks the responder of one environment, and stores its response. If the certificate names none, or its chain lacks the
/// issuer, a response that was stored for an earlier certificate is deleted.
///
/// # Errors
/// [`Fault`].
pub(crate) async fn refresh(
    staples: &Staples,
    budgets: &TimeBudgets,
    profile: &PublicProfile,
    clock: &dyn Clock,
) -> Result<(), Fault> {
    let environment = profile.environment;
    let chain = Chain::from_pem(&profile.claim.chain_pem)?;
    let address = ocsp_address(chain.leaf())?.filter(|address| !fetch::is_reserved(address));
    let Some(address) = address.filter(|_| chain.der().len() > 1) else {
        return Ok(within(budgets.call, staples.remove(environment)).await?);
    };
    let response = fetch::ask(&address, ocsp_request(&chain)?).await?;
    let checked = Staple::check(&response, &chain);
    if let Err(StapleFault::Revoked(_)) = checked
        && let Err(error) = within(budgets.call, staples.remove(environment)).await
    {
        tracing::error!(environment = environment.name(), cause = %error, "the response before is not deleted");
    }
    let staple = checked?;
    // A responder signs its response after the request was sent.
    let now = clock.now();
    staple.check_current(now)?;
    // Captures use the response before until then.
    let left = STORED_AT - (now - staple.this_update());
    tokio::time::sleep(left.try_into().unwrap_or_default()).await;
    within(budgets.call, staples.put(environment, staple.der())).await?;
    tracing::info!(environment = environment.name(), next_update = %staple.next_update(), "stored");
    Ok(())
}
