//! The key material of signatures: operators install, renew and examine it.
//!
//! A signer profile has two signers: the seal signer (an imported RSA key with its ICP-Brasil certificate) and the
//! claim signer (a P-256 key that is generated in KMS, with its C2PA certificate). A new signer is first stored in the
//! environment's draft, which signs nothing, so that the ingest function can prove that it may use the keys. Activating
//! the draft puts a new version of the profile in force from the next capture on. An earlier version can be put in
//! force again. A profile may also name timestamp authorities for both signatures.
//!
//! Everything that can be checked is checked before anything is changed.

mod authority;
mod ber;
mod claim_certificate;
mod claim_request;
pub mod doctor;
mod install;
mod key_file;
mod overview;
mod seal_import;
mod seal_material;
mod timestamps;

use std::sync::Arc;

use lacre_domain::Clock;
use lacre_proof::SigningChain;
use lacre_storage::{Connection, OperatorKeys, SignatureAlgorithm, SignerProfiles, SigningKeys};
use sha2::{Digest, Sha256};

use crate::{
    Error,
    caller::{Auditor, Caller},
};

pub use install::Standing;
pub use overview::{CertificateView, EnvironmentView, SignerView, SignersView, TimestampsView};
pub use seal_import::{ImportedSeal, SealImport};
pub use seal_material::SealMaterial;

/// The operations on key material, with their ports.
pub struct SignerAdministration {
    connection: Connection,
    profiles: SignerProfiles,
    keys: OperatorKeys,
    signing: SigningKeys,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl SignerAdministration {
    /// Creates the operations from a connection, for a caller.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        Self {
            connection: connection.clone(),
            profiles: SignerProfiles::new(connection),
            keys: OperatorKeys::new(connection),
            signing: SigningKeys::new(connection),
            auditor: Auditor::new(connection, Arc::clone(&clock), caller),
            clock,
        }
    }

    /// Checks that a KMS key matches a chain, and that a signature of the key verifies.
    async fn check_key(&self, key_arn: &str, chain: &SigningChain, algorithm: SignatureAlgorithm) -> Result<(), Error> {
        let public_key = self.signing.public_key(key_arn).await.map_err(signing_failed)?;
        check_certified(key_arn, &public_key, chain)?;
        self.check_signature(key_arn, chain, algorithm).await
    }

    /// Signs a test message that cannot be mistaken for a capture, and verifies the signature.
    async fn check_signature(
        &self,
        key_arn: &str,
        chain: &SigningChain,
        algorithm: SignatureAlgorithm,
    ) -> Result<(), Error> {
        let message = lacre_storage::test_message();
        let digest = Sha256::digest(message.as_bytes()).into();
        let signature = self.signing.sign(key_arn, algorithm, digest).await.map_err(signing_failed)?;
        match chain.verifies(message.as_bytes(), &signature) {
            true => Ok(()),
            false => Err(Error::Refused(format!("a signature by {key_arn} does not verify under its certificate"))),
        }
    }
}

/// Checks that a chain's leaf is for the given public key (`SubjectPublicKeyInfo` in DER).
fn check_certified(key_arn: &str, public_key: &[u8], chain: &SigningChain) -> Result<(), Error> {
    match chain.public_key().map_err(Error::Invalid)? == public_key {
        true => Ok(()),
        false => {
            Err(Error::Invalid(format!("the certificate of {} does not match the key {key_arn}", chain.subject())))
        }
    }
}

/// The error for a KMS key that refused to sign or did not respond.
fn signing_failed(error: lacre_domain::SignError) -> Error {
    Error::Unavailable(lacre_storage::Error::Unavailable(error.to_string()))
}
