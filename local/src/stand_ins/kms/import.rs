//! Import of key material: returns a wrapping key, and imports material that was wrapped with it.
//!
//! `RSA_AES_KEY_WRAP_SHA_256`: RSA-OAEP with SHA-256 wraps an AES-256 key, which wraps the PKCS#8 key (RFC 5649).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use aes_kw::KekAes256;
use rsa::{Oaep, RsaPrivateKey, rand_core::OsRng, traits::PublicKeyParts};
use sha2::Sha256;

use super::Exception;

/// A prepared import.
#[derive(Clone, Debug)]
pub(crate) struct PendingImport {
    /// The import token.
    pub(crate) token: Vec<u8>,
    /// The private wrapping key.
    pub(crate) wrapping_key: Arc<RsaPrivateKey>,
}

impl PendingImport {
    /// Prepares an import.
    pub(crate) fn prepare(wrapping_algorithm: &str, wrapping_spec: &str) -> Result<Self, Exception> {
        if wrapping_algorithm != "RSA_AES_KEY_WRAP_SHA_256" {
            let message = format!("Wrapping algorithm {wrapping_algorithm} is not supported by this stand-in.");
            return Err(Exception::new("UnsupportedOperationException", message));
        }
        let bits = match wrapping_spec {
            "RSA_2048" => 2048,
            "RSA_3072" => 3072,
            "RSA_4096" => 4096,
            other => return Err(Exception::validation(format!("Wrapping key spec {other} is invalid."))),
        };
        Ok(Self { token: lacre_storage::entropy::<32>().to_vec(), wrapping_key: wrapping_key(bits)? })
    }

    /// Unwraps the key material, which is PKCS#8 in DER.
    pub(crate) fn unwrap(&self, wrapped: &[u8]) -> Result<Vec<u8>, Exception> {
        let invalid = || Exception::new("InvalidCiphertextException", "the key material cannot be unwrapped");
        let (wrapped_aes, wrapped_key) = wrapped.split_at_checked(self.wrapping_key.size()).ok_or_else(invalid)?;
        let aes = self.wrapping_key.decrypt(Oaep::new::<Sha256>(), wrapped_aes).map_err(|_| invalid())?;
        let aes: [u8; 32] = aes.try_into().map_err(|_| invalid())?;
        KekAes256::from(aes).unwrap_with_padding_vec(wrapped_key).map_err(|_| invalid())
    }
}

/// The wrapping key of a size. KMS returns another one each time; here generating one takes seconds and protects
/// nothing on loopback, so a process generates one of each size at its first use.
fn wrapping_key(bits: usize) -> Result<Arc<RsaPrivateKey>, Exception> {
    static KEYS: OnceLock<Mutex<BTreeMap<usize, Arc<RsaPrivateKey>>>> = OnceLock::new();
    let mut keys = KEYS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = keys.get(&bits) {
        return Ok(Arc::clone(key));
    }
    let key = Arc::new(RsaPrivateKey::new(&mut OsRng, bits).map_err(Exception::internal)?);
    keys.insert(bits, Arc::clone(&key));
    Ok(key)
}
