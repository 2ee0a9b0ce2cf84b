//! The overview of the service, with a number of reads that does not depend on the amount of data.

use std::sync::Arc;

use lacre_api::admin::{CapturesView, CertificateEnd, Count, Overview, Signer, limits::COUNTED};
use lacre_domain::{Clock, Environment, SealSigner, clock::rfc3339};
use lacre_proof::{Expiry, Purpose, SigningChain};
use lacre_storage::{Alerts, Connection, Outbox, SignerProfiles, Tally};
use time::OffsetDateTime;

use crate::Error;

/// Reads the overview.
pub struct ServiceOverview {
    tally: Tally,
    alerts: Alerts,
    outbox: Outbox,
    profiles: SignerProfiles,
    clock: Arc<dyn Clock>,
}

impl ServiceOverview {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self {
            tally: Tally::new(connection),
            alerts: Alerts::new(connection),
            outbox: Outbox::new(connection),
            profiles: SignerProfiles::new(connection),
            clock,
        }
    }

    /// Reads the state of the service.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read(&self) -> Result<Overview, Error> {
        let now = self.clock.now();
        let (captures, open, failing, profiles) = tokio::try_join!(
            self.tally.of_environments(now),
            self.alerts.count_open(COUNTED),
            self.outbox.count_failing(COUNTED),
            self.profiles.public_in_force(),
        )?;
        let captures = captures.into_iter().map(|of| CapturesView {
            environment: of.environment,
            today: of.today,
            month: of.month,
        });
        let certificates = profiles.iter().flat_map(|profile| {
            let SealSigner { chain_pem: seal, .. } = &profile.seal;
            [(Purpose::Seal, Signer::Seal, seal), (Purpose::Claim, Signer::Claim, &profile.claim.chain_pem)]
                .map(|(purpose, signer, chain)| first_end(profile.environment, purpose, signer, chain, now))
        });
        Ok(Overview {
            at: rfc3339(now).into(),
            captures: captures.collect(),
            open_alerts: count(open),
            failing_webhooks: count(failing),
            certificates: certificates.collect(),
        })
    }
}

fn count((count, more): (usize, bool)) -> Count {
    Count { count, more }
}

fn first_end(
    environment: Environment,
    purpose: Purpose,
    signer: Signer,
    chain_pem: &str,
    now: OffsetDateTime,
) -> CertificateEnd {
    let chain = SigningChain::parse(purpose, chain_pem).ok();
    let first: Option<Expiry> =
        chain.and_then(|chain| chain.expiries().into_iter().min_by_key(|expiry| expiry.not_after));
    CertificateEnd {
        environment,
        signer,
        days_left: first.as_ref().map_or(0, |expiry| expiry.days_left(now)),
        not_after: first.as_ref().map(|expiry| rfc3339(expiry.not_after).into()),
        subject: first.map(|expiry| expiry.subject),
    }
}
