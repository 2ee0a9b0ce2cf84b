//! A signer profile, read once and used for all captures of a warm process.

use async_trait::async_trait;
use der::Encode;
use lacre_domain::{Environment, FrameHash, SignError, SignerProfile};
use lacre_proof::{
    TimestampFailure, Timestamps,
    certificate::{Chain, Scheme},
    policy::Policy,
    sealed::SealedStatements,
    trust::MAX_CERTIFICATES,
};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::{
    Facts, FrameSignature, SealError, cades,
    manifest::{self, Writer},
    statements::Statements,
};

/// A key that is elsewhere (in KMS) and signs SHA-256 digests.
#[async_trait]
pub trait DigestSigner: Send + Sync {
    /// Signs a digest. An RSA key answers the PKCS#1 v1.5 signature, an elliptic curve key the DER of `r` and `s`.
    ///
    /// # Errors
    /// [`SignError`].
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError>;
}

/// Why a signer profile cannot sign.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The ICP-Brasil part cannot be read.
    #[error("ICP-Brasil signer: {0}")]
    Seal(String),
    /// The C2PA part cannot be read.
    #[error("claim signer: {0}")]
    Claim(String),
    /// The signature policy cannot be read.
    #[error("signature policy: {0}")]
    Policy(String),
    /// The C2PA library cannot prepare a manifest.
    #[error("C2PA library: {0}")]
    Library(String),
    /// A certificate is expired or not yet valid.
    #[error("not valid at this time: {0}")]
    OutOfDate(String),
}

/// Both signers of an environment with everything that can be prepared before a capture is known.
pub struct Signers {
    pub(crate) environment: Environment,
    pub(crate) seal: Signer,
    pub(crate) claim: Signer,
    /// The policy of ICP-Brasil signatures without a timestamp.
    policy: Policy,
    /// That of those with one, where the profile names authorities.
    timestamp_policy: Option<Policy>,
    pub(crate) icp_brasil: bool,
    /// The bytes of a claim signature without a timestamp.
    pub(crate) claim_signature_length: usize,
    pub(crate) writer: Writer,
}

/// A signer: a certificate chain and the leaf's key.
pub(crate) struct Signer {
    pub(crate) chain: Chain,
    scheme: Scheme,
    spki: Vec<u8>,
}

impl Signers {
    /// Reads a profile: both chains, both leaf keys, the policies.
    ///
    /// # Errors
    /// [`ProfileError`] naming the part that cannot be read or that must not sign in this environment.
    pub fn parse(profile: &SignerProfile) -> Result<Self, ProfileError> {
        let seal = Signer::parse(&profile.seal.chain_pem, Scheme::Rsa).map_err(ProfileError::Seal)?;
        let claim = Signer::parse(&profile.claim.chain_pem, Scheme::P256).map_err(ProfileError::Claim)?;
        seal.chain.check_environment(profile.environment, profile.seal.icp_brasil).map_err(ProfileError::Seal)?;
        let policy = |policy| Policy::parse(policy).map_err(ProfileError::Policy);
        let timestamps = profile.timestamps.as_ref();
        Ok(Self {
            environment: profile.environment,
            seal,
            policy: policy(&profile.seal.policy)?,
            timestamp_policy: timestamps.map(|timestamps| policy(&timestamps.policy)).transpose()?,
            icp_brasil: profile.seal.icp_brasil,
            claim_signature_length: manifest::signature_length(claim.chain.der()),
            writer: Writer::new().map_err(ProfileError::Library)?,
            claim,
        })
    }

    /// The `SubjectPublicKeyInfo` (DER) that the ICP-Brasil key must have.
    #[must_use]
    pub fn seal_public_key(&self) -> &[u8] {
        &self.seal.spki
    }

    /// The `SubjectPublicKeyInfo` (DER) that the claim key must have.
    #[must_use]
    pub fn claim_public_key(&self) -> &[u8] {
        &self.claim.spki
    }

    /// Refuses when any certificate of the two chains is not valid now: the keys' home knows nothing of certificates, and
    /// would go on signing.
    ///
    /// # Errors
    /// [`ProfileError::OutOfDate`] naming the certificate's subject.
    pub fn check_dates(&self, now: OffsetDateTime) -> Result<(), ProfileError> {
        let invalid = self.seal.chain.invalid_at(now).or_else(|| self.claim.chain.invalid_at(now));
        invalid.map_or(Ok(()), |subject| Err(ProfileError::OutOfDate(subject)))
    }

    /// Lets the ICP-Brasil key sign a message that is no capture, and verifies the signature.
    ///
    /// # Errors
    /// [`SealError`].
    pub async fn try_seal(&self, key: &dyn DigestSigner, message: &[u8]) -> Result<(), SealError> {
        self.seal.try_key(key, message).await
    }

    /// The same with the claim key.
    ///
    /// # Errors
    /// [`SealError`].
    pub async fn try_claim(&self, key: &dyn DigestSigner, message: &[u8]) -> Result<(), SealError> {
        self.claim.try_key(key, message).await
    }

    /// Makes the detached CAdES signature over a frame and over what the manifest will state of it, with a timestamp where one
    /// is wanted: the first of the two signatures. Its time is that of the ingest.
    ///
    /// The policy that a signature names says whether it carries a timestamp. So where one was wanted as a best effort and
    /// is not there, the frame is signed a second time, and the signature under the other policy is discarded.
    ///
    /// # Errors
    /// [`SealError::Rejected`] when the key refused at once, so that nothing was signed; [`SealError::Unavailable`];
    /// [`SealError::InvalidResponse`] when the signature is not the certificate's, or when the key signed once and refused
    /// the second time; [`SealError::NotTimestamped`] when a timestamp is required and not there.
    pub async fn sign_frame(
        &self,
        hash: &FrameHash,
        facts: &Facts,
        key: &dyn DigestSigner,
        timestamps: Timestamps<'_>,
    ) -> Result<FrameSignature, SealError> {
        let statements = Statements::new(self, hash, facts)?;
        let sealed = SealedStatements::new(self.environment, statements.cbor(), self.claim.chain.leaf_der());
        let sealed = sealed.map_err(cades::encoding)?;
        let request =
            |policy| cades::Request::new(&self.seal.chain, policy, hash.as_bytes(), &sealed, facts.ingested_at);
        if timestamps.are_wanted() {
            let policy = self.timestamp_policy.as_ref().ok_or_else(|| {
                SealError::NotTimestamped(TimestampFailure("the signer profile names no policy for it".into()))
            })?;
            let request = request(policy)?;
            let signature = self.seal_with(&request, key, SealError::first).await?;
            let token = timestamps.over(Sha256::digest(&signature).into()).await.map_err(SealError::NotTimestamped)?;
            if let Some(token) = token {
                let der = request.assemble(&signature, Some(&token))?;
                return Ok(FrameSignature { der, policy: policy.oid, statements });
            }
        }
        let request = request(&self.policy)?;
        let failed = if timestamps.are_wanted() { SealError::later } else { SealError::first };
        let signature = self.seal_with(&request, key, failed).await?;
        Ok(FrameSignature { der: request.assemble(&signature, None)?, policy: self.policy.oid, statements })
    }

    /// Signs the attributes of a request. `failed` says what it means that the key did not.
    async fn seal_with(
        &self,
        request: &cades::Request<'_>,
        key: &dyn DigestSigner,
        failed: fn(SignError) -> SealError,
    ) -> Result<Vec<u8>, SealError> {
        let signature = key.sign(request.digest()).await.map_err(failed)?;
        match self.seal.verifies(request.signed(), &signature) {
            true => Ok(signature),
            false => Err(SealError::InvalidResponse("the signature is not of the ICP-Brasil certificate's key".into())),
        }
    }
}

impl Signer {
    fn parse(chain_pem: &str, scheme: Scheme) -> Result<Self, String> {
        let chain = Chain::from_pem(chain_pem)?;
        let certificates = chain.der().len();
        if certificates > MAX_CERTIFICATES {
            return Err(format!("{certificates} certificates; the limit is {MAX_CERTIFICATES}"));
        }
        let spki = &chain.leaf().tbs_certificate.subject_public_key_info;
        if !scheme.fits(spki) {
            return Err("the leaf's key is of another kind".into());
        }
        let spki = spki.to_der().map_err(|error| error.to_string())?;
        Ok(Self { chain, scheme, spki })
    }

    async fn try_key(&self, key: &dyn DigestSigner, message: &[u8]) -> Result<(), SealError> {
        let signature = key.sign(Sha256::digest(message).into()).await.map_err(SealError::first)?;
        match self.verifies(message, &signature) {
            true => Ok(()),
            false => Err(SealError::InvalidResponse("the signature is not of the certificate's key".into())),
        }
    }

    /// Checks a signature over a message with the leaf's key.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.scheme.verifies(self.chain.leaf_der(), message, signature)
    }
}
