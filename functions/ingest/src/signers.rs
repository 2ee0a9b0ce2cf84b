//! Signer profiles that are ready to sign, their cache, and the adapter of KMS to the trait of `sign`.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use lacre_domain::{Clock, Environment, SignError, SignerProfile};
use lacre_metrics::Metric;
use lacre_sign::{DigestSigner, Signers};
use lacre_storage::{Connection, SignatureAlgorithm, SigningKeys};

use crate::phases::{self, Signatures};

/// A signer profile that was parsed, with its two keys and its timestamp authorities.
pub(crate) struct ReadyProfile {
    pub(crate) profile: SignerProfile,
    pub(crate) signers: Signers,
    pub(crate) seal_key: KmsKey,
    pub(crate) claim_key: KmsKey,
    /// The timestamp authorities; `None` if the profile names none.
    pub(crate) authorities: Option<lacre_tsa::Authorities>,
}

/// Why a signer profile is not ready to sign. Nothing was signed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotReady {
    /// A part of the profile cannot be parsed, or must not sign in its environment.
    #[error("the signer profile cannot be used: {0}")]
    Unusable(String),
    /// A certificate is for another key than the one in KMS.
    #[error("the certificate of {0} does not match its KMS key")]
    Mismatch(&'static str),
    /// KMS did not return the public key of a signing key.
    #[error(transparent)]
    Key(#[from] SignError),
}

impl ReadyProfile {
    /// Parses a profile, and compares its certificates with the public keys in KMS. `counted` are the metrics that count
    /// its signatures.
    ///
    /// # Errors
    /// [`NotReady`].
    pub(crate) async fn prepare(
        profile: &SignerProfile,
        keys: &SigningKeys,
        clock: &Arc<dyn Clock>,
        counted: Signatures,
    ) -> Result<Self, NotReady> {
        let signers = Signers::parse(profile).map_err(|error| NotReady::Unusable(error.to_string()))?;
        let authorities = authorities(profile, clock).map_err(NotReady::Unusable)?;
        let (seal, claim) =
            tokio::try_join!(keys.public_key(&profile.seal.key_arn), keys.public_key(&profile.claim.key_arn))?;
        if seal != signers.seal_public_key() {
            return Err(NotReady::Mismatch("the seal"));
        }
        if claim != signers.claim_public_key() {
            return Err(NotReady::Mismatch("the claim"));
        }
        let key =
            |arn: &str, algorithm, counted| KmsKey { keys: keys.clone(), arn: arn.to_owned(), algorithm, counted };
        Ok(Self {
            seal_key: key(&profile.seal.key_arn, SignatureAlgorithm::RsaPkcs1Sha256, counted.seals),
            claim_key: key(&profile.claim.key_arn, SignatureAlgorithm::EcdsaSha256, counted.claims),
            profile: profile.clone(),
            signers,
            authorities,
        })
    }
}

fn authorities(profile: &SignerProfile, clock: &Arc<dyn Clock>) -> Result<Option<lacre_tsa::Authorities>, String> {
    let Some(timestamps) = &profile.timestamps else { return Ok(None) };
    lacre_tsa::Authorities::new(&timestamps.authorities, &timestamps.roots_pem, Arc::clone(clock)).map(Some)
}

/// The profiles that sign captures, by environment. Each version of a profile is prepared once per process. A new
/// version replaces the old one when it is first used.
pub(crate) struct SignerCache {
    keys: SigningKeys,
    clock: Arc<dyn Clock>,
    ready: Mutex<HashMap<Environment, Arc<ReadyProfile>>>,
}

impl SignerCache {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self { keys: SigningKeys::new(connection), clock, ready: Mutex::default() }
    }

    /// Returns the profile ready to sign, from the cache or newly prepared.
    ///
    /// # Errors
    /// [`NotReady`].
    pub(crate) async fn ready(&self, profile: &SignerProfile) -> Result<Arc<ReadyProfile>, NotReady> {
        let known = self.lock().get(&profile.environment).filter(|known| known.profile == *profile).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let ready = ReadyProfile::prepare(profile, &self.keys, &self.clock, phases::OF_CAPTURES).await?;
        let ready = Arc::new(ready);
        self.lock().insert(profile.environment, Arc::clone(&ready));
        Ok(ready)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Environment, Arc<ReadyProfile>>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A KMS key with its signature algorithm.
#[derive(Clone, Debug)]
pub(crate) struct KmsKey {
    keys: SigningKeys,
    arn: String,
    algorithm: SignatureAlgorithm,
    /// The metric that counts the key's signatures.
    counted: Metric,
}

#[async_trait]
impl DigestSigner for KmsKey {
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError> {
        let signed = self.keys.sign(&self.arn, self.algorithm, digest).await;
        signed.inspect(|_| lacre_metrics::add(self.counted, 1.0))
    }
}
