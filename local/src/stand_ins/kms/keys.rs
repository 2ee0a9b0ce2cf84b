//! The keys, their states and aliases, and the file that stores them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use ed25519_dalek::Signer;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use rsa::{
    Pkcs1v15Sign, RsaPrivateKey,
    pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey},
    rand_core::OsRng,
    traits::PublicKeyParts,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    super::{Error, Storage, files::write_whole},
    Exception,
    import::PendingImport,
};

const FILE: &str = "kms.json";
const ACCOUNT: &str = "000000000000";
const REGION: &str = "sa-east-1";

/// The key spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KeySpec {
    #[serde(rename = "RSA_2048")]
    Rsa2048,
    #[serde(rename = "RSA_3072")]
    Rsa3072,
    #[serde(rename = "RSA_4096")]
    Rsa4096,
    #[serde(rename = "ECC_NIST_P256")]
    EccNistP256,
    /// Key specs that the service cannot use. Such keys can be created and described, but they sign nothing here.
    #[serde(rename = "ECC_NIST_P384")]
    EccNistP384,
    #[serde(rename = "ECC_NIST_EDWARDS25519")]
    EccNistEdwards25519,
    /// AES-256, which encrypts data keys.
    #[serde(rename = "SYMMETRIC_DEFAULT")]
    SymmetricDefault,
}

impl KeySpec {
    /// The only algorithm that the service uses with this key spec, or would use.
    pub(crate) fn algorithm(self) -> &'static str {
        match self {
            Self::Rsa2048 | Self::Rsa3072 | Self::Rsa4096 => "RSASSA_PKCS1_V1_5_SHA_256",
            Self::EccNistP256 => "ECDSA_SHA_256",
            Self::EccNistP384 => "ECDSA_SHA_384",
            Self::EccNistEdwards25519 => "ED25519_SHA_512",
            Self::SymmetricDefault => "SYMMETRIC_DEFAULT",
        }
    }

    /// The key usage, as KMS names it.
    pub(crate) fn usage(self) -> &'static str {
        if self == Self::SymmetricDefault { "ENCRYPT_DECRYPT" } else { "SIGN_VERIFY" }
    }

    fn rsa_bits(self) -> Option<usize> {
        match self {
            Self::Rsa2048 => Some(2048),
            Self::Rsa3072 => Some(3072),
            Self::Rsa4096 => Some(4096),
            Self::EccNistP256 | Self::EccNistP384 | Self::EccNistEdwards25519 | Self::SymmetricDefault => None,
        }
    }

    /// Generates key material: DER PKCS#8, or 32 bytes for a symmetric key.
    fn generate(self) -> Result<Vec<u8>, Exception> {
        if self == Self::SymmetricDefault {
            return Ok(lacre_storage::entropy::<32>().to_vec());
        }
        let der = match (self.rsa_bits(), self) {
            (Some(bits), _) => RsaPrivateKey::new(&mut OsRng, bits).map_err(Exception::internal)?.to_pkcs8_der(),
            (None, Self::EccNistP384) => p384::SecretKey::random(&mut OsRng).to_pkcs8_der(),
            (None, Self::EccNistEdwards25519) => {
                ed25519_dalek::SigningKey::from_bytes(&lacre_storage::entropy()).to_pkcs8_der()
            }
            (None, _) => p256::SecretKey::random(&mut OsRng).to_pkcs8_der(),
        };
        Ok(der.map_err(Exception::internal)?.as_bytes().to_vec())
    }

    /// The public key of a private key (DER PKCS#8) of this spec, as DER `SubjectPublicKeyInfo`.
    fn public_key(self, pkcs8: &[u8]) -> Result<Vec<u8>, Exception> {
        if self == Self::SymmetricDefault {
            return Err(Exception::new("UnsupportedOperationException", "a symmetric key has no public key"));
        }
        let spki = match (self.rsa_bits(), self) {
            (Some(bits), _) => match rsa_key(pkcs8)? {
                key if key.size() * 8 == bits && key.validate().is_ok() => key.to_public_key().to_public_key_der(),
                _ => return Err(Exception::internal("the key's size does not match its spec, or the key is invalid")),
            },
            (None, Self::EccNistP384) => {
                p384::SecretKey::from_pkcs8_der(pkcs8).map_err(Exception::internal)?.public_key().to_public_key_der()
            }
            (None, Self::EccNistEdwards25519) => ed25519_key(pkcs8)?.verifying_key().to_public_key_der(),
            (None, _) => ec_key(pkcs8)?.public_key().to_public_key_der(),
        };
        Ok(spki.map_err(Exception::internal)?.into_vec())
    }
}

/// Whether KMS generated the key material or it is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KeyOrigin {
    #[serde(rename = "AWS_KMS")]
    AwsKms,
    #[serde(rename = "EXTERNAL")]
    External,
}

/// The key state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KeyState {
    Enabled,
    Disabled,
    PendingImport,
    PendingDeletion,
}

/// A key with its private key material, which leaves this process only for its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) spec: KeySpec,
    pub(crate) origin: KeyOrigin,
    pub(crate) state: KeyState,
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) tags: BTreeMap<String, String>,
    /// The key policy, which is stored but not enforced.
    #[serde(default = "default_policy")]
    pub(crate) policy: String,
    /// Creation time, in seconds since the Unix epoch.
    pub(crate) created_at: i64,
    /// Key material in hexadecimal: DER PKCS#8, or an AES key; `None` until it is imported.
    material: Option<String>,
}

/// The default policy that KMS gives a key.
fn default_policy() -> String {
    let root = format!("arn:aws:iam::{ACCOUNT}:root");
    let statement = json!({
        "Sid": "Enable IAM User Permissions", "Effect": "Allow", "Principal": { "AWS": root }, "Action": "kms:*",
        "Resource": "*",
    });
    json!({ "Version": "2012-10-17", "Statement": [statement] }).to_string()
}

impl Key {
    /// Creates a key, with generated material or waiting for an import.
    pub(crate) fn create(
        spec: KeySpec,
        origin: KeyOrigin,
        description: String,
        tags: BTreeMap<String, String>,
    ) -> Result<Self, Exception> {
        let created_at = time::OffsetDateTime::now_utc().unix_timestamp();
        let state = KeyState::PendingImport;
        let policy = default_policy();
        let mut key = Self { spec, origin, state, description, tags, policy, created_at, material: None };
        if origin == KeyOrigin::AwsKms {
            key.set_material(&spec.generate()?)?;
        }
        Ok(key)
    }

    /// Imports a private key (DER PKCS#8) of the key's spec. As in KMS, imported material cannot be replaced with
    /// different material.
    pub(crate) fn set_material(&mut self, pkcs8: &[u8]) -> Result<(), Exception> {
        if self.spec != KeySpec::SymmetricDefault && self.spec.public_key(pkcs8).is_err() {
            return Err(Exception::new("InvalidCiphertextException", "the key material does not match the key spec"));
        }
        let material = hex::encode(pkcs8);
        if self.material.as_ref().is_some_and(|known| *known != material) {
            return Err(Exception::new("IncorrectKeyMaterialException", "other material was imported before"));
        }
        self.material = Some(material);
        self.state = KeyState::Enabled;
        Ok(())
    }

    /// The public key as DER `SubjectPublicKeyInfo`.
    pub(crate) fn public_key(&self, arn: &str) -> Result<Vec<u8>, Exception> {
        self.spec.public_key(&self.usable_material(arn)?)
    }

    /// Signs a message or its digest.
    pub(crate) fn sign(
        &self,
        arn: &str,
        algorithm: &str,
        message: &[u8],
        is_digest: bool,
    ) -> Result<Vec<u8>, Exception> {
        let der = self.usable_material(arn)?;
        if algorithm != self.spec.algorithm() {
            let message = format!("Algorithm {algorithm} is incompatible with key spec {:?}.", self.spec);
            return Err(Exception::new("InvalidKeyUsageException", message));
        }
        if self.spec == KeySpec::EccNistEdwards25519 {
            if is_digest {
                return Err(Exception::validation(format!("Algorithm {algorithm} signs messages of type RAW.")));
            }
            return Ok(ed25519_key(&der)?.sign(message).to_vec());
        }
        let digest: [u8; 32] = match is_digest {
            true => message
                .try_into()
                .map_err(|_| Exception::validation(format!("Digest is invalid length for algorithm {algorithm}.")))?,
            false => Sha256::digest(message).into(),
        };
        match self.spec {
            KeySpec::Rsa2048 | KeySpec::Rsa3072 | KeySpec::Rsa4096 => rsa_key(&der)?
                .sign_with_rng(&mut OsRng, Pkcs1v15Sign::new::<Sha256>(), &digest)
                .map_err(Exception::internal),
            KeySpec::EccNistP256 => {
                let key = p256::ecdsa::SigningKey::from(ec_key(&der)?);
                let signature: p256::ecdsa::Signature = key.sign_prehash(&digest).map_err(Exception::internal)?;
                Ok(signature.to_der().as_bytes().to_vec())
            }
            KeySpec::EccNistP384 | KeySpec::EccNistEdwards25519 | KeySpec::SymmetricDefault => {
                Err(Exception::new("UnsupportedOperationException", "this stand-in signs with P-256"))
            }
        }
    }

    /// The AES key of a symmetric key.
    pub(crate) fn symmetric_key(&self, arn: &str) -> Result<Vec<u8>, Exception> {
        let material = self.usable_material(arn)?;
        if self.spec == KeySpec::SymmetricDefault {
            return Ok(material);
        }
        Err(Exception::new("InvalidKeyUsageException", format!("{arn} is not a key that encrypts.")))
    }

    /// Enables or disables the key.
    pub(crate) fn set_enabled(&mut self, arn: &str, enabled: bool) -> Result<(), Exception> {
        match self.state {
            KeyState::PendingImport | KeyState::PendingDeletion => Err(self.unusable(arn)),
            KeyState::Enabled | KeyState::Disabled => {
                self.state = if enabled { KeyState::Enabled } else { KeyState::Disabled };
                Ok(())
            }
        }
    }

    /// Marks the key for deletion. The stand-in never deletes it.
    pub(crate) fn schedule_deletion(&mut self, arn: &str) -> Result<(), Exception> {
        if self.state == KeyState::PendingDeletion {
            return Err(self.unusable(arn));
        }
        self.state = KeyState::PendingDeletion;
        Ok(())
    }

    /// Cancels the deletion. The key is then disabled, or still waits for its material.
    pub(crate) fn cancel_deletion(&mut self, arn: &str) -> Result<(), Exception> {
        if self.state != KeyState::PendingDeletion {
            return Err(Exception::new("KMSInvalidStateException", format!("{arn} is not pending deletion.")));
        }
        self.state = if self.material.is_some() { KeyState::Disabled } else { KeyState::PendingImport };
        Ok(())
    }

    fn usable_material(&self, arn: &str) -> Result<Vec<u8>, Exception> {
        match (self.state, &self.material) {
            (KeyState::Disabled, _) => Err(Exception::new("DisabledException", format!("{arn} is disabled."))),
            (KeyState::Enabled, Some(material)) => hex::decode(material).map_err(Exception::internal),
            _ => Err(self.unusable(arn)),
        }
    }

    fn unusable(&self, arn: &str) -> Exception {
        let state = if self.state == KeyState::PendingDeletion { "pending deletion" } else { "pending import" };
        Exception::new("KMSInvalidStateException", format!("{arn} is {state}."))
    }
}

/// All keys and aliases.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct KeyStore {
    keys: BTreeMap<String, Key>,
    /// Key ids by alias, including the prefix `alias/`.
    aliases: BTreeMap<String, String>,
    /// Prepared imports by key id. They are lost with the process; on AWS they expire within a day.
    #[serde(skip)]
    pub(crate) imports: BTreeMap<String, PendingImport>,
    #[serde(skip)]
    file: Option<PathBuf>,
}

impl KeyStore {
    /// Reads the stored keys.
    pub(crate) fn open(storage: &Storage) -> Result<Self, Error> {
        let Storage::Directory(directory) = storage else { return Ok(Self::default()) };
        let path = directory.join(FILE);
        let mut store = if path.exists() { Self::read(&path)? } else { Self::default() };
        store.file = Some(path);
        Ok(store)
    }

    /// Finds a key by id, ARN, alias or alias ARN, and returns its id.
    pub(crate) fn resolve(&self, reference: &str) -> Result<String, Exception> {
        let name = reference.strip_prefix(&arn("")).unwrap_or(reference);
        let id = match name.strip_prefix("key/").unwrap_or(name) {
            alias if alias.starts_with("alias/") => self.aliases.get(alias).map(String::as_str),
            id => Some(id),
        };
        let id = id.filter(|id| self.keys.contains_key(*id));
        id.map(str::to_owned).ok_or_else(|| Exception::new("NotFoundException", format!("Invalid keyId '{reference}'")))
    }

    pub(crate) fn key(&self, id: &str) -> Result<&Key, Exception> {
        self.keys.get(id).ok_or_else(|| Exception::new("NotFoundException", format!("Invalid keyId '{id}'")))
    }

    /// Changes a key, and stores the change before the response is sent.
    pub(crate) fn change(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut Key) -> Result<(), Exception>,
    ) -> Result<(), Exception> {
        let mut key = self.key(id)?.clone();
        change(&mut key)?;
        self.keys.insert(id.to_owned(), key);
        self.save()
    }

    /// Adds a key and returns its id.
    pub(crate) fn add(&mut self, key: Key) -> Result<String, Exception> {
        let id = uuid::Uuid::new_v4().to_string();
        self.keys.insert(id.clone(), key);
        self.save()?;
        Ok(id)
    }

    /// Creates an alias for a key, or with `moves` points an existing alias to it.
    pub(crate) fn set_alias(&mut self, alias: &str, id: &str, moves: bool) -> Result<(), Exception> {
        if !alias.starts_with("alias/") || alias.starts_with("alias/aws/") {
            return Err(Exception::validation(format!("Invalid alias '{alias}'")));
        }
        match (self.aliases.contains_key(alias), moves) {
            (true, false) => {
                Err(Exception::new("AlreadyExistsException", format!("An alias with the name {alias} already exists")))
            }
            (false, true) => Err(Exception::new("NotFoundException", format!("Alias {alias} is not found."))),
            _ => {
                self.aliases.insert(alias.to_owned(), id.to_owned());
                self.save()
            }
        }
    }

    /// The aliases of one key or of all, as `ListAliases` returns them.
    pub(crate) fn aliases(&self, of: Option<&str>) -> Vec<Value> {
        let wanted = self.aliases.iter().filter(|(_, id)| of.is_none_or(|of| of == id.as_str()));
        wanted.map(|(alias, id)| json!({ "AliasName": alias, "AliasArn": arn(alias), "TargetKeyId": id })).collect()
    }

    fn read(path: &Path) -> Result<Self, Error> {
        serde_json::from_slice(&std::fs::read(path)?).map_err(|error| Error::unreadable(path, &error))
    }

    fn save(&self) -> Result<(), Exception> {
        let Some(file) = &self.file else { return Ok(()) };
        let text = serde_json::to_vec_pretty(self).map_err(Exception::internal)?;
        write_whole(file, &[&text]).map_err(Exception::internal)
    }
}

/// A key's ARN.
pub(crate) fn key_arn(id: &str) -> String {
    arn(&format!("key/{id}"))
}

fn arn(resource: &str) -> String {
    format!("arn:aws:kms:{REGION}:{ACCOUNT}:{resource}")
}

fn rsa_key(der: &[u8]) -> Result<RsaPrivateKey, Exception> {
    RsaPrivateKey::from_pkcs8_der(der).map_err(Exception::internal)
}

fn ec_key(der: &[u8]) -> Result<p256::SecretKey, Exception> {
    p256::SecretKey::from_pkcs8_der(der).map_err(Exception::internal)
}

fn ed25519_key(der: &[u8]) -> Result<ed25519_dalek::SigningKey, Exception> {
    ed25519_dalek::SigningKey::from_pkcs8_der(der).map_err(Exception::internal)
}
