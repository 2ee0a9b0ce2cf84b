//! A signer profile, parsed once and used for all captures of a process.

use async_trait::async_trait;
use const_oid::ObjectIdentifier;
use der::Encode;
use lacre_domain::{Environment, FrameHash, SignError, SignerProfile};
use lacre_proof::{
    TimestampFailure, Timestamps,
    certificate::{Chain, Scheme},
    policy::Policy,
    revocation::{Staple, StapleFault},
    sealed::SealedStatements,
    trust::MAX_CERTIFICATES,
};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::{
    Facts, FrameSignature, ProofFailure,
    cades::{self, Content},
    manifest::Writer,
    statements::Statements,
};

/// A remote key (in KMS) that signs SHA-256 digests.
#[async_trait]
pub trait DigestSigner: Send + Sync {
    /// Signs a digest. An RSA key returns a PKCS#1 v1.5 signature, an elliptic curve key returns `r` and `s` in DER.
    ///
    /// # Errors
    /// [`SignError`].
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError>;
}

/// Why a signer profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The seal's part cannot be parsed.
    #[error("ICP-Brasil signer: {0}")]
    Seal(String),
    /// The claim's part cannot be parsed.
    #[error("claim signer: {0}")]
    Claim(String),
    /// The signature policy cannot be parsed.
    #[error("signature policy: {0}")]
    Policy(String),
    /// The C2PA library cannot be configured for the profile.
    #[error("C2PA library: {0}")]
    Library(String),
    /// A certificate is expired or not yet valid.
    #[error("not valid at this time: {0}")]
    OutOfDate(String),
}

/// Both signers of an environment, with everything prepared that does not depend on a capture.
pub struct Signers {
    pub(crate) environment: Environment,
    pub(crate) seal: Signer,
    pub(crate) claim: Signer,
    /// The policy of seals without a timestamp.
    policy: Policy,
    /// The policy of seals with a timestamp, if the profile names timestamp authorities.
    timestamp_policy: Option<Policy>,
    pub(crate) icp_brasil: bool,
    pub(crate) writer: Writer,
}

/// A CAdES signature by the seal's key.
struct Seal {
    der: Vec<u8>,
    policy: ObjectIdentifier,
    token_length: Option<usize>,
}

/// A certificate chain and the scheme and public key of its leaf.
pub(crate) struct Signer {
    pub(crate) chain: Chain,
    scheme: Scheme,
    spki: Vec<u8>,
}

impl Signers {
    /// Parses a profile: both chains, both public keys, the policies.
    ///
    /// # Errors
    /// [`ProfileError`], which names the part that cannot be parsed, or that must not sign in this environment.
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
            writer: Writer::new().map_err(ProfileError::Library)?,
            claim,
        })
    }

    /// The `SubjectPublicKeyInfo` (DER) that the KMS key of the seal must have.
    #[must_use]
    pub fn seal_public_key(&self) -> &[u8] {
        &self.seal.spki
    }

    /// The `SubjectPublicKeyInfo` (DER) that the KMS key of the claim must have.
    #[must_use]
    pub fn claim_public_key(&self) -> &[u8] {
        &self.claim.spki
    }

    /// Checks that all certificates of both chains are valid now. KMS does not know the certificates and would continue
    /// to sign.
    ///
    /// # Errors
    /// [`ProfileError::OutOfDate`] with the subject of the first certificate that is not valid.
    pub fn check_dates(&self, now: OffsetDateTime) -> Result<(), ProfileError> {
        let invalid = self.seal.chain.invalid_at(now).or_else(|| self.claim.chain.invalid_at(now));
        invalid.map_or(Ok(()), |subject| Err(ProfileError::OutOfDate(subject)))
    }

    /// The OCSP response (DER) as one that a manifest may carry: it says that the claim certificate is not revoked, and is
    /// current at `now` and for a while ([`STAPLE_MARGIN`](lacre_proof::revocation::STAPLE_MARGIN)).
    ///
    /// # Errors
    /// [`StapleFault`].
    pub fn staple(&self, der: &[u8], now: OffsetDateTime) -> Result<Staple, StapleFault> {
        let staple = Staple::check(der, &self.claim.chain)?;
        staple.check_current(now)?;
        Ok(staple)
    }

    /// Signs a test message with the seal's key, and verifies the signature. The message must not be one that a capture
    /// could have.
    ///
    /// # Errors
    /// [`ProofFailure`].
    pub async fn try_seal(&self, key: &dyn DigestSigner, message: &[u8]) -> Result<(), ProofFailure> {
        self.seal.try_key(key, message).await
    }

    /// Signs a test message with the claim's key, and verifies the signature.
    ///
    /// # Errors
    /// [`ProofFailure`].
    pub async fn try_claim(&self, key: &dyn DigestSigner, message: &[u8]) -> Result<(), ProofFailure> {
        self.claim.try_key(key, message).await
    }

    /// Makes the detached CAdES signature (the seal) over a frame and the statements about it, with a timestamp if one
    /// is requested. This is the first of the two signatures. Its signing time is the time of the ingest.
    ///
    /// The policy in a signature determines whether it carries a timestamp. So if a best-effort timestamp was not
    /// obtained, the frame is signed again under the other policy, and the first signature is discarded.
    ///
    /// # Errors
    /// [`ProofFailure::Rejected`] if the key refused the first request, so that nothing was signed;
    /// [`ProofFailure::Unavailable`]; [`ProofFailure::InvalidResponse`] if the signature does not match the certificate, or
    /// if the key signed once and refused the second request; [`ProofFailure::NotTimestamped`] if a required timestamp is
    /// missing.
    pub async fn sign_frame(
        &self,
        hash: &FrameHash,
        facts: &Facts,
        key: &dyn DigestSigner,
        timestamps: Timestamps<'_>,
    ) -> Result<FrameSignature, ProofFailure> {
        let statements = Statements::new(self, hash, facts)?;
        let sealed = SealedStatements::new(self.environment, statements.cbor(), self.claim.chain.leaf_der());
        let sealed = sealed.map_err(cades::encoding)?;
        let content = Content::Frame(*hash.as_bytes(), &sealed);
        let Seal { der, policy, token_length } = self.seal(content, facts.ingested_at, key, timestamps).await?;
        Ok(FrameSignature { der, policy, token_length, statements })
    }

    /// Makes the detached CAdES signature over the index of a dossier with the given SHA-256, in DER, with a timestamp if
    /// one is requested.
    ///
    /// # Errors
    /// Those of [`Self::sign_frame`].
    pub async fn sign_dossier(
        &self,
        index_sha256: [u8; 32],
        now: OffsetDateTime,
        key: &dyn DigestSigner,
        timestamps: Timestamps<'_>,
    ) -> Result<Vec<u8>, ProofFailure> {
        Ok(self.seal(Content::DossierIndex(index_sha256), now, key, timestamps).await?.der)
    }

    async fn seal(
        &self,
        content: Content<'_>,
        now: OffsetDateTime,
        key: &dyn DigestSigner,
        timestamps: Timestamps<'_>,
    ) -> Result<Seal, ProofFailure> {
        let request = |policy| cades::Request::new(&self.seal.chain, policy, content, now);
        if timestamps.are_wanted() {
            let policy = self.timestamp_policy.as_ref().ok_or_else(|| {
                ProofFailure::NotTimestamped(TimestampFailure(
                    "the signer profile has no policy for timestamped seals".into(),
                ))
            })?;
            let request = request(policy)?;
            let signature = self.seal_with(&request, key, ProofFailure::first).await?;
            let token =
                timestamps.over(Sha256::digest(&signature).into()).await.map_err(ProofFailure::NotTimestamped)?;
            if let Some(token) = token {
                let der = request.assemble(&signature, Some(&token))?;
                let token_length = Some(token.der().len());
                return Ok(Seal { der, policy: policy.oid, token_length });
            }
        }
        let request = request(&self.policy)?;
        let failed = if timestamps.are_wanted() { ProofFailure::later } else { ProofFailure::first };
        let signature = self.seal_with(&request, key, failed).await?;
        let der = request.assemble(&signature, None)?;
        Ok(Seal { der, policy: self.policy.oid, token_length: None })
    }

    /// Signs the attributes of a request. `failed` converts a failure of the key.
    async fn seal_with(
        &self,
        request: &cades::Request<'_>,
        key: &dyn DigestSigner,
        failed: fn(SignError) -> ProofFailure,
    ) -> Result<Vec<u8>, ProofFailure> {
        let signature = key.sign(request.digest()).await.map_err(failed)?;
        match self.seal.verifies(request.signed(), &signature) {
            true => Ok(signature),
            false => Err(ProofFailure::InvalidResponse(
                "the signature does not verify under the ICP-Brasil certificate".into(),
            )),
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
            return Err("the type of the leaf's key is not supported".into());
        }
        let spki = spki.to_der().map_err(|error| error.to_string())?;
        Ok(Self { chain, scheme, spki })
    }

    async fn try_key(&self, key: &dyn DigestSigner, message: &[u8]) -> Result<(), ProofFailure> {
        let signature = key.sign(Sha256::digest(message).into()).await.map_err(ProofFailure::first)?;
        match self.verifies(message, &signature) {
            true => Ok(()),
            false => Err(ProofFailure::InvalidResponse("the signature does not verify under the certificate".into())),
        }
    }

    /// Verifies a signature over a message with the leaf's key.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.scheme.verifies(self.chain.leaf_der(), message, signature)
    }
}
