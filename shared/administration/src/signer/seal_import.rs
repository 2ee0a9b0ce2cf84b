//! `signer import-a1`: a key for the seal goes into KMS, and into the draft of the environment's signer profile.

use lacre_domain::{AuditEntry, Environment, Operation, SealSigner, SignaturePolicy};
use lacre_storage::{SignatureAlgorithm, WrappingKey};
use serde::Serialize;

use super::{SealMaterial, SignerAdministration, check_certified, install::Part};
use crate::Error;

/// The use of imported key material.
pub struct SealImport {
    /// The environment that signs with it.
    pub environment: Environment,
    /// The stack whose function may use the key.
    pub stack: String,
    /// The signature policy.
    pub policy: SignaturePolicy,
    /// ICP-Brasil's roots in PEM: a chain is ICP-Brasil's when it ends in one of them. Such a chain, and one that ends in a
    /// root of their name, is for production only.
    pub icp_brasil_roots_pem: Option<String>,
    /// Whether production may sign with a certificate that is not ICP-Brasil's.
    pub allow_development: bool,
    /// The wrapping key of the import.
    pub wrapping: WrappingKey,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedSeal {
    /// The environment.
    pub environment: Environment,
    /// The key in KMS.
    pub key_arn: String,
    /// The subject of the certificate (RFC 4514).
    pub subject: String,
    /// The company's CNPJ, where the certificate says it.
    pub cnpj: Option<String>,
    /// Whether the chain is ICP-Brasil's.
    pub icp_brasil: bool,
}

impl SignerAdministration {
    /// Imports a key and its certificate.
    ///
    /// # Errors
    /// [`Error::Invalid`] for material that cannot sign: nothing is changed. Behind that, the text names the key that was
    /// made and is not used.
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
            // Not given up: it may be in the draft.
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

    /// Imports a key, which no profile uses yet. Returns its ARN; its signature was verified.
    async fn import_key(&self, material: &SealMaterial, import: &SealImport) -> Result<String, Error> {
        let description = format!("ICP-Brasil signatures, {}", import.environment.name());
        let key_arn = self.keys.create_seal_key(material.size, &import.stack, &description).await?;
        let imported = async {
            let public_key = self.keys.import(&key_arn, &material.pkcs8, import.wrapping).await?;
            check_certified(&key_arn, &public_key, &material.chain)?;
            self.check_signature(&key_arn, &material.chain, SignatureAlgorithm::RsaPkcs1Sha256).await?;
            // Last: it may deny this caller's signatures too.
            self.restrict(&key_arn, import.environment).await
        };
        match imported.await {
            Ok(()) => Ok(key_arn),
            Err(error) => Err(self.unused(&key_arn, error).await),
        }
    }

    /// Gives a key the key policy of its environment's claim key, where the stack's is known: the same roles may sign.
    async fn restrict(&self, key_arn: &str, environment: Environment) -> Result<(), Error> {
        let Some(claim_key) = self.connection.config().claim_keys.of(environment) else { return Ok(()) };
        let policy = self.keys.policy(claim_key).await?;
        Ok(self.keys.set_policy(key_arn, &policy).await?)
    }

    /// Checks everything that needs no KMS call. Returns whether the chain is ICP-Brasil's.
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

    /// Gives up a key that nothing uses, as far as that goes, and names it.
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

/// The same error with a remark behind it.
fn naming(remark: String, error: Error) -> Error {
    match error {
        Error::NotFound(text) => Error::NotFound(format!("{text}; {remark}")),
        Error::Invalid(text) => Error::Invalid(format!("{text}; {remark}")),
        Error::Refused(text) => Error::Refused(format!("{text}; {remark}")),
        Error::Stale(text) => Error::Stale(format!("{text}; {remark}")),
        Error::Unavailable(lacre_storage::Error::NothingChanged(cause)) => {
            Error::Unavailable(lacre_storage::Error::NothingChanged(format!("{cause}; {remark}")))
        }
        Error::Unavailable(cause) => {
            Error::Unavailable(lacre_storage::Error::Unavailable(format!("{cause}; {remark}")))
        }
        repeated @ Error::Repeated { .. } => repeated,
    }
}
