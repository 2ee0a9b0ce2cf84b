//! Imports a private key into KMS with `RSA_AES_KEY_WRAP_SHA_256`; the key leaves this process only in encrypted form.
//!
//! KMS provides an RSA public key. A new AES-256 key is encrypted under it with RSA-OAEP, and the private key under the
//! AES key with RFC 5649.

use std::{future::Future, time::Duration};

use aes_kw::KekAes256;
use aws_sdk_kms::{
    config::{Config, timeout::TimeoutConfig},
    error::{ProvideErrorMetadata, SdkError},
    primitives::Blob,
    types::{AlgorithmSpec, ExpirationModelType, WrappingKeySpec},
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use rsa::{Oaep, RsaPublicKey, pkcs8::DecodePublicKey, rand_core::OsRng};
use sha2::Sha256;
use tokio::time::Instant;
use zeroize::Zeroizing;

use crate::{Error, OperatorKeys, budgets::InTime, error::unavailable};

/// KMS generates an RSA key for this call, which takes a varying time.
const KEY_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a new key may be unknown to KMS, which is eventually consistent.
const SETTLING: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The size of the RSA wrapping key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrappingKey {
    /// 4096 bits.
    #[default]
    Rsa4096,
    /// 2048 bits: not weaker than an RSA-2048 key that it wraps, and fast to generate in a KMS emulator.
    Rsa2048,
}

impl WrappingKey {
    fn spec(self) -> WrappingKeySpec {
        match self {
            Self::Rsa4096 => WrappingKeySpec::Rsa4096,
            Self::Rsa2048 => WrappingKeySpec::Rsa2048,
        }
    }
}

impl OperatorKeys {
    /// Imports a private key (PKCS#8, DER) into a newly created KMS key, and waits until the key is usable. Returns its
    /// public key as KMS states it: a `SubjectPublicKeyInfo` in DER.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: the key material may have been imported.
    pub async fn import(&self, key_arn: &str, pkcs8: &[u8], wrapping: WrappingKey) -> Result<Vec<u8>, Error> {
        let (wrapping_key, token) = self.import_parameters(key_arn, wrapping).await?;
        let material = Blob::new(wrap(wrapping_key.as_ref(), pkcs8)?);
        let import = self.client.import_key_material().key_id(key_arn).import_token(token);
        let import = import.expiration_model(ExpirationModelType::KeyMaterialDoesNotExpire);
        let imported =
            settled(SETTLING, || import.clone().encrypted_key_material(material.clone()).send().in_time()).await;
        imported.map_err(|error| unavailable("ImportKeyMaterial", &error))?;
        let answer = settled(SETTLING, || self.client.get_public_key().key_id(key_arn).send().in_time()).await;
        let answer = answer.map_err(|error| unavailable("GetPublicKey", &error))?;
        let public_key = answer.public_key.map(Blob::into_inner);
        public_key.ok_or_else(|| Error::Unavailable("GetPublicKey returned no key".into()))
    }

    /// Requests the wrapping key and the import token.
    async fn import_parameters(&self, key_arn: &str, wrapping: WrappingKey) -> Result<(Blob, Blob), Error> {
        let slow = TimeoutConfig::builder().operation_attempt_timeout(KEY_TIMEOUT).operation_timeout(KEY_TIMEOUT);
        let slow = Config::builder().timeout_config(slow.build());
        let ask = self.client.get_parameters_for_import().key_id(key_arn);
        let ask = ask.wrapping_algorithm(AlgorithmSpec::RsaAesKeyWrapSha256).wrapping_key_spec(wrapping.spec());
        let parameters =
            settled(SETTLING, || ask.clone().customize().config_override(slow.clone()).send().in_time()).await;
        let parameters = parameters.map_err(|error| unavailable("GetParametersForImport", &error))?;
        let incomplete = || Error::Unavailable("GetParametersForImport returned no key or no token".into());
        parameters.public_key.zip(parameters.import_token).ok_or_else(incomplete)
    }
}

/// Retries with increasing delays while KMS does not know the key, or its material, yet.
async fn settled<T, E, F>(settling: Duration, call: impl Fn() -> F) -> Result<T, SdkError<E, HttpResponse>>
where
    E: ProvideErrorMetadata,
    F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
{
    let (end, mut pause) = (Instant::now() + settling, FIRST_PAUSE);
    loop {
        match call().await {
            Err(error) if is_too_early(&error) && Instant::now() + pause < end => tokio::time::sleep(pause).await,
            answer => return answer,
        }
        pause *= 2;
    }
}

fn is_too_early<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> bool {
    matches!(error.code(), Some("NotFoundException" | "KMSInvalidStateException"))
}

fn wrap(wrapping_key: &[u8], pkcs8: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |_: &dyn std::fmt::Display| Error::Unavailable("the key could not be wrapped for its import".into());
    let wrapping_key = RsaPublicKey::from_public_key_der(wrapping_key).map_err(|error| failed(&error))?;
    let aes = Zeroizing::new(crate::entropy::<32>());
    let mut wrapped = wrapping_key.encrypt(&mut OsRng, Oaep::new::<Sha256>(), &*aes).map_err(|error| failed(&error))?;
    let material = KekAes256::from(*aes).wrap_with_padding_vec(pkcs8).map_err(|error| failed(&error))?;
    wrapped.extend(material);
    Ok(wrapped)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::cell::Cell;

    use aws_sdk_kms::error::ErrorMetadata;
    use aws_smithy_types::body::SdkBody;

    use super::*;

    async fn refused(code: &str) -> Result<(), SdkError<ErrorMetadata, HttpResponse>> {
        let answer = HttpResponse::new(400.try_into().unwrap(), SdkBody::empty());
        Err(SdkError::service_error(ErrorMetadata::builder().code(code).build(), answer))
    }

    #[tokio::test]
    async fn stops_waiting_for_an_unknown_key() {
        let asked = Cell::new(0);
        let ask = || {
            asked.set(asked.get() + 1);
            refused("NotFoundException")
        };
        assert!(settled(4 * FIRST_PAUSE, ask).await.is_err());
        // After one delay or, on a fast machine, two.
        assert!((2..=3).contains(&asked.get()));
    }

    #[tokio::test]
    async fn any_other_refusal_is_final() {
        let asked = Cell::new(0);
        let ask = || {
            asked.set(asked.get() + 1);
            refused("AccessDeniedException")
        };
        assert!(settled(SETTLING, ask).await.is_err());
        assert_eq!(asked.get(), 1);
    }
}
