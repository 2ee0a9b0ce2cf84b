//! The state of the service at a glance, by a number of reads that does not depend on how much there is.

use domain::{Environment, SealSigner, clock::rfc3339};
use proof::{Expiry, Purpose, SigningChain};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{Administration, Error};

/// Counts of what needs attention go so far.
const COUNTED: usize = 100;

/// The state of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// When it was read: RFC 3339, UTC.
    pub at: String,
    /// The captures of every environment, production first.
    pub captures: Vec<CapturesView>,
    /// The alerts that nobody has acknowledged.
    pub open_alerts: Count,
    /// The failed attempts at webhooks that no redelivery followed.
    pub failing_webhooks: Count,
    /// The end of each signer's chain.
    pub certificates: Vec<CertificateEnd>,
}

/// The captures of an environment, some seconds behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CapturesView {
    /// The environment.
    pub environment: Environment,
    /// Those of the day, UTC.
    pub today: u64,
    /// Those of the calendar month, UTC.
    pub month: u64,
}

/// A count that ends at 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The number.
    pub count: usize,
    /// Whether there are more.
    pub more: bool,
}

/// When a signer's chain ends: its certificate that ends first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CertificateEnd {
    /// The environment.
    pub environment: Environment,
    /// `seal` or `claim`.
    pub signer: &'static str,
    /// The subject (RFC 4514); `null` when the chain cannot be read.
    pub subject: Option<String>,
    /// The last second of its validity: RFC 3339, UTC.
    pub not_after: Option<String>,
    /// Whole days left; negative after the expiry, 0 when the chain cannot be read.
    pub days_left: i64,
}

impl Administration {
    /// The state of the service.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn overview(&self) -> Result<Overview, Error> {
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
            [(Purpose::Seal, "seal", seal), (Purpose::Claim, "claim", &profile.claim.chain_pem)]
                .map(|(purpose, signer, chain)| first_end(profile.environment, purpose, signer, chain, now))
        });
        Ok(Overview {
            at: rfc3339(now),
            captures: captures.collect(),
            open_alerts: Count::of(open),
            failing_webhooks: Count::of(failing),
            certificates: certificates.collect(),
        })
    }
}

impl Count {
    fn of((count, more): (usize, bool)) -> Self {
        Self { count, more }
    }
}

fn first_end(
    environment: Environment,
    purpose: Purpose,
    signer: &'static str,
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
        not_after: first.as_ref().map(|expiry| rfc3339(expiry.not_after)),
        subject: first.map(|expiry| expiry.subject),
    }
}
