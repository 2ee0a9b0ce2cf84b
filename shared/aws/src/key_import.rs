//! The import of a private key into KMS, by `RSA_AES_KEY_WRAP_SHA_256`: the key leaves this process only encrypted.
//!
//! KMS hands out an RSA key. A fresh AES-256 key goes under it by RSA-OAEP, and the private key under that one by RFC 5649.

use std::time::Duration;

use aes_kw::KekAes256;
use aws_sdk_kms::{
    config::{Config, timeout::TimeoutConfig},
    primitives::Blob,
    types::{AlgorithmSpec, ExpirationModelType, WrappingKeySpec},
};
use rsa::{Oaep, RsaPublicKey, pkcs8::DecodePublicKey, rand_core::OsRng};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::{Error, OperatorKeys, error::unavailable, patience::InTime};

/// For the answer to this call an RSA key is made, which is a matter of luck.
const KEY_PATIENCE: Duration = Duration::from_secs(60);

/// How large the RSA key is that KMS hands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrappingKey {
    /// 4096 bits.
    #[default]
    Rsa4096,
    /// 2048 bits: no weaker than an RSA-2048 key that it wraps, and quick to make where KMS is a stand-in.
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
    /// Brings a private key (PKCS#8, DER) to a key that waits for it.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: the key may have its material.
    pub async fn import(&self, key_arn: &str, pkcs8: &[u8], wrapping: WrappingKey) -> Result<(), Error> {
        let patient = TimeoutConfig::builder().operation_attempt_timeout(KEY_PATIENCE).operation_timeout(KEY_PATIENCE);
        let patient = patient.build();
        let parameters = self
            .client
            .get_parameters_for_import()
            .key_id(key_arn)
            .wrapping_algorithm(AlgorithmSpec::RsaAesKeyWrapSha256)
            .wrapping_key_spec(wrapping.spec())
            .customize()
            .config_override(Config::builder().timeout_config(patient))
            .send()
            .in_time()
            .await
            .map_err(|error| unavailable("GetParametersForImport", &error))?;
        let incomplete = || Error::Unavailable("GetParametersForImport answered without a key or a token".into());
        let wrapping_key = parameters.public_key.ok_or_else(incomplete)?;
        let token = parameters.import_token.ok_or_else(incomplete)?;
        self.client
            .import_key_material()
            .key_id(key_arn)
            .import_token(token)
            .encrypted_key_material(Blob::new(wrap(wrapping_key.as_ref(), pkcs8)?))
            .expiration_model(ExpirationModelType::KeyMaterialDoesNotExpire)
            .send()
            .in_time()
            .await
            .map(|_| ())
            .map_err(|error| unavailable("ImportKeyMaterial", &error))
    }
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
