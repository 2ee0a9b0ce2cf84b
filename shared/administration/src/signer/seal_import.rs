//! `signer import-a1`: imports a key for the seal into KMS, and adds it to the draft of the environment's signer
//! profile.

use lacre_domain::{AuditEntry, Environment, Operation, SealSigner, SignaturePolicy};
use lacre_storage::{SignatureAlgorithm, WrappingKey};
use serde::Serialize;

use super::{SealMaterial, SignerAdministration, check_certified, install::Part};
use crate::Error;

/// How imported key material will be used.
pub struct SealImport {
    /// The environment whose proofs the key will sign.
    pub environment: Environment,
    /// The stack whose function may use the key.
    pub stack: String,
    /// The signature policy.
    pub policy: SignaturePolicy,
    /// ICP-Brasil's roots in PEM. A chain is ICP-Brasil's if it ends in one of them. Such a chain, and one that ends in
    /// a root with the name of an ICP-Brasil root, is accepted for production only.
    pub icp_brasil_roots_pem: Option<String>,
    /// Whether production may sign with a certificate that is not ICP-Brasil's.
    pub allow_development: bool,
    /// The size of the wrapping key for the import.
    pub wrapping: WrappingKey,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedSeal {
    /// The environment.
    pub environment: Environment,
    /// The ARN of the KMS key.
    pub key_arn: String,
    /// The subject of the certificate (RFC 4514).
    pub subject: String,
    /// The company's CNPJ, if the certificate contains it.
    pub cnpj: Option<String>,
    /// Whether the chain is ICP-Brasil's.
    pub icp_brasil: bool,
}

impl SignerAdministration {
    /// Imports a key and its certificate.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the material cannot sign; nothing was changed. The text of a later error names the KMS key
    /// that was created but is not used.
    pub async fn import_seal(&self, material: &SealMaterial, import: &SealImport) -> Result<ImportedSeal, Error> {
        let entry = self.auditor.entry(Operation::ImportSeal).about(import.environment.name());
        let entry = entry.with_detail(material.chain.subject());
        let imported = self.import_as(material, import, &entry).await;
        self.auditor.keep(&entry, imported).await
    }

    async fn import_as(
        &self,
        material: &SealMaterial,
        import: &SealImport,
        entry: &AuditEntry,
    ) -> Result<ImportedSeal, Error> {
        let icp_brasil = self.check_seal(material, import)?;
        let chain_pem = material.chain.to_pem().map_err(Error::Invalid)?;
        let before = self.profiles.state(import.environment).await?;
        let key_arn = self.import_key(material, import).await?;
        let seal = SealSigner { key_arn: key_arn.clone(), chain_pem, policy: import.policy.clone(), icp_brasil };
        let installed = self.install(import.environment, &before, Part::Seal(seal), entry).await;
        match self.auditor.keep(entry, installed).await {
            Ok(()) => {}
            // The key's deletion is not scheduled, because it may be in the draft.
            Err(error @ Error::Unavailable(lacre_storage::Error::Unavailable(_))) => {
                return Err(naming(format!("the key {key_arn} may be in the draft: check it before retrying"), error));
            }
            Err(error) => return Err(self.unused(&key_arn, error).await),
        }
        Ok(ImportedSeal {
            environment: import.environment,
            key_arn,
            subject: material.chain.subject(),
            cnpj: material.chain.cnpj(),
            icp_brasil,
        })
    }

    /// Imports a key into KMS and verifies its signature. No profile uses it yet. Returns its ARN.
    async fn import_key(&self, material: &SealMaterial, import: &SealImport) -> Result<String, Error> {
        let description = format!("ICP-Brasil signatures, {}", import.environment.name());
        let key_arn = self.keys.create_seal_key(material.size, &import.stack, &description).await?;
        let imported = async {
            let public_key = self.keys.import(&key_arn, &material.pkcs8, import.wrapping).await?;
            check_certified(&key_arn, &public_key, &material.chain)?;
            self.check_signature(&key_arn, &material.chain, SignatureAlgorithm::RsaPkcs1Sha256).await?;
            // This is the last step, because the new policy may also deny this caller to sign.
            self.restrict(&key_arn, import.environment).await
        };
        match imported.await {
            Ok(()) => Ok(key_arn),
            Err(error) => Err(self.unused(&key_arn, error).await),
        }
    }

    /// Gives the key the key policy of the environment's claim key, if the stack's is known, so that the same roles may
    /// sign.
    async fn restrict(&self, key_arn: &str, environment: Environment) -> Result<(), Error> {
        let Some(claim_key) = self.connection.config().claim_keys.of(environment) else { return Ok(()) };
        let policy = self.keys.policy(claim_key).await?;
        Ok(self.keys.set_policy(key_arn, &policy).await?)
    }

    /// Makes all checks that need no call to KMS. Returns whether the chain is ICP-Brasil's.
    fn check_seal(&self, material: &SealMaterial, import: &SealImport) -> Result<bool, Error> {
        material.chain.check(self.clock.now()).map_err(Error::Invalid)?;
        let roots = import.icp_brasil_roots_pem.as_deref();
        let icp_brasil = roots.map(|roots| material.chain.ends_in_one_of(roots)).transpose();
        let icp_brasil = icp_brasil.map_err(|fault| Error::Invalid(format!("ICP-Brasil's roots: {fault}")))?;
        let icp_brasil = icp_brasil.unwrap_or(false);
        let environment = material.chain.check_environment(import.environment, icp_brasil);
        environment.map_err(|fault| {
            Error::Invalid(format!("{fault}: import it with --environment live, or bring a test certificate"))
        })?;
        let needs_icp_brasil = import.environment == Environment::Production && !import.allow_development;
        match needs_icp_brasil && !icp_brasil {
            true => Err(Error::Invalid(
                "production signs with a certificate of ICP-Brasil, and this chain ends in no root that was given as \
                 ICP-Brasil's"
                    .into(),
            )),
            false => Ok(icp_brasil),
        }
    }

    /// Schedules the deletion of an unused key, if possible, and names it in the error.
    async fn unused(&self, key_arn: &str, error: Error) -> Error {
        naming(
            match self.keys.give_up(key_arn).await {
                Ok(()) => format!("the key {key_arn} was made and is not used; KMS deletes it in 7 days"),
                Err(_) => format!("the key {key_arn} was made and is not used: schedule its deletion"),
            },
            error,
        )
    }
}

/// Appends a remark to an error.
fn naming(remark: String, error: Error) -> Error {
    match error {
        Error::NotFound(text) => Error::NotFound(format!("{text}; {remark}")),
        Error::Invalid(text) => Error::Invalid(format!("{text}; {remark}")),
        Error::Refused(text) => Error::Refused(format!("{text}; {remark}")),
        Error::Stale(text) => Error::Stale(format!("{text}; {remark}")),
        Error::NothingChanged(cause) => Error::NothingChanged(format!("{cause}; {remark}")),
        Error::Unavailable(cause) => {
            Error::Unavailable(lacre_storage::Error::Unavailable(format!("{cause}; {remark}")))
        }
        repeated @ Error::Repeated { .. } => repeated,
    }
}
