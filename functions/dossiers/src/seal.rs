//! Makes the seal over an index, with a timestamp if the environment has authorities.

use std::sync::Arc;

use async_trait::async_trait;
use lacre_api::Refusal;
use lacre_domain::{Clock, Environment, Sha256Digest, SignError};
use lacre_http::{OrRefuse, OrRefuseAs, Rejection};
use lacre_metrics::{Metric, Unit::Count};
use lacre_proof::{AskedTimestamp, TimestampFailure, TimestampSource, Timestamps, times};
use lacre_sign::{DigestSigner, ProofFailure, Signers};
use lacre_storage::{Connection, SignatureAlgorithm, SignerProfiles, SigningKeys, TimeBudgets, until_deadline};
use lacre_tsa::{Asking, Authorities};
use time::OffsetDateTime;
use tokio::time::Instant;

/// The count of signatures with the seal's key, which the alarm on signatures compares with that of KMS.
const SEALS: Metric = Metric::new("SealsOfDossiers", Count);

/// Makes seals over indexes.
pub(crate) struct Sealer {
    profiles: SignerProfiles,
    keys: SigningKeys,
    budgets: TimeBudgets,
    clock: Arc<dyn Clock>,
}

impl Sealer {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let (profiles, keys) = (SignerProfiles::new(connection), SigningKeys::new(connection));
        Self { profiles, keys, budgets: connection.config().budgets, clock }
    }

    /// The seal over an index, in DER.
    pub(crate) async fn seal(
        &self,
        environment: Environment,
        index: &[u8],
        now: OffsetDateTime,
    ) -> Result<Vec<u8>, Rejection> {
        let profiles = self.profiles.in_force().await.or_refuse(Refusal::UpstreamUnavailable)?;
        let profile = profiles.into_iter().find(|profile| profile.environment == environment);
        let profile = profile.ok_or(Refusal::SignerUnavailable)?;
        let signers = Signers::parse(&profile).or_refuse(Refusal::SignerRejected)?;
        signers.check_dates(now).or_refuse(Refusal::SignerRejected)?;
        let authorities = profile.timestamps.as_ref().map(|timestamps| {
            Authorities::new(&timestamps.authorities, &timestamps.roots_pem, Arc::clone(&self.clock))
                .map_err(|fault| Rejection::because(Refusal::SignerRejected, &fault))
        });
        let authorities = authorities.transpose()?;
        let deadline = Instant::now() + self.budgets.timestamps;
        let stamping = authorities.as_ref().map(|authorities| Stamping {
            asking: authorities.until(deadline, self.budgets.timestamp_attempt),
            made_at: now,
        });
        let timestamps = stamping.as_ref().map_or(Timestamps::None, |source| Timestamps::Required(source));
        let key = SealKey { keys: &self.keys, arn: &profile.seal.key_arn };
        let sha256 = *Sha256Digest::of(index).as_bytes();
        signers.sign_dossier(sha256, now, &key, timestamps).await.or_refuse_as(no_seal)
    }
}

/// The key of an environment's seal in KMS.
struct SealKey<'a> {
    keys: &'a SigningKeys,
    arn: &'a str,
}

#[async_trait]
impl DigestSigner for SealKey<'_> {
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError> {
        let signed = self.keys.sign(self.arn, SignatureAlgorithm::RsaPkcs1Sha256, digest).await;
        signed.inspect(|_| lacre_metrics::add(SEALS, 1.0))
    }
}

/// Requests the timestamp of a dossier.
struct Stamping<'a> {
    asking: Asking<'a>,
    made_at: OffsetDateTime,
}

impl TimestampSource for Stamping<'_> {
    fn timestamp(&self, message_sha256: [u8; 32]) -> AskedTimestamp<'_> {
        Box::pin(async move {
            let asked = until_deadline(self.asking.timestamp(message_sha256)).await;
            let token = asked.unwrap_or_else(|time_is_up| Err(TimestampFailure(time_is_up.to_string())))?;
            times::check_timestamp(self.made_at, token.time()).map_err(TimestampFailure)?;
            Ok(token)
        })
    }
}

fn no_seal(error: &ProofFailure) -> Refusal {
    match error {
        ProofFailure::Rejected(_) => Refusal::SignerRejected,
        ProofFailure::Unavailable(_) | ProofFailure::NotTimestamped(_) => Refusal::SignerUnavailable,
        ProofFailure::InvalidResponse(_) => Refusal::SignerResponseInvalid,
    }
}
