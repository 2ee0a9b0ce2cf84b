//! `signer install-claim-certificate`: adds a certificate for a P-256 key in KMS to the draft.

use lacre_domain::{AuditEntry, ClaimSigner, Environment, Operation};
use lacre_proof::{Purpose, SigningChain};
use lacre_storage::SignatureAlgorithm;

use super::{SignerAdministration, install::Part};
use crate::Error;

impl SignerAdministration {
    /// Installs a chain in PEM, leaf first. A root at its end is dropped, because proofs contain none. Without a key
    /// ARN the certificate is for the stack's own claim key or, if that is not known, for the environment's current
    /// key.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the chain cannot sign claims or belongs to another key, or the key is not the stack's;
    /// [`Error::NotFound`] if the key does not exist; [`Error::Refused`] if the draft or the profile was changed in the
    /// meantime.
    pub async fn install_claim_certificate(
        &self,
        environment: Environment,
        chain_pem: &str,
        key_arn: Option<&str>,
    ) -> Result<(), Error> {
        let entry = self.auditor.entry(Operation::InstallClaimCertificate).about(environment.name());
        let installed = self.install_claim_as(environment, chain_pem, key_arn, &entry).await;
        self.auditor.keep(&entry, installed).await
    }

    async fn install_claim_as(
        &self,
        environment: Environment,
        chain_pem: &str,
        key_arn: Option<&str>,
        entry: &AuditEntry,
    ) -> Result<(), Error> {
        let chain = SigningChain::parse(Purpose::Claim, chain_pem).map_err(Error::Invalid)?;
        let entry = entry.clone().with_detail(chain.subject());
        chain.check(self.clock.now()).and_then(|()| chain.check_issuer()).map_err(Error::Invalid)?;
        let chain = chain.without_root().map_err(Error::Invalid)?;
        let before = self.profiles.state(environment).await?;
        let key_arn = self.claim_key(environment, key_arn).await?;
        self.check_claim_key(&key_arn).await?;
        self.check_key(&key_arn, &chain, SignatureAlgorithm::EcdsaSha256).await?;
        let claim = ClaimSigner { key_arn, chain_pem: chain.to_pem().map_err(Error::Invalid)? };
        self.install(environment, &before, Part::Claim(claim), &entry).await
    }
}
