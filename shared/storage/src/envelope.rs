//! Envelope encryption: a KMS data key encrypts one value with AES-256-GCM, and is stored beside it in encrypted form.
//!
//! The encryption context states the purpose and the owner of the value. IAM policies allow roles only certain
//! contexts, and a value that was copied to another record does not decrypt.

use aws_sdk_kms::{primitives::Blob, types::DataKeySpec};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use zeroize::Zeroizing;

use crate::{Connection, Error, Setting, budgets::InTime, entropy, error::unavailable};

/// The name of the purpose in the encryption context, to which IAM policies refer.
const PURPOSE: &str = "purpose";
/// The name of the record's id in the encryption context.
const ID: &str = "id";

/// What an encrypted value is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The body of a webhook message.
    WebhookMessage,
    /// A secret that signs webhooks.
    WebhookSecret,
    /// The secret from which entries of the index of fingerprints are derived.
    Prints,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::WebhookMessage => "webhook-message",
            Self::WebhookSecret => "webhook-secret",
            Self::Prints => "prints",
        }
    }
}

/// An encrypted value, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encrypted {
    /// The data key, encrypted under the KMS key.
    data_key: ByteBuf,
    /// The nonce, followed by the ciphertext with its authentication tag.
    ciphertext: ByteBuf,
}

/// A data key for one value.
pub struct DataKey {
    plain: Zeroizing<Vec<u8>>,
    encrypted: Vec<u8>,
}

/// Encrypts and decrypts values with data keys of a KMS key.
#[derive(Clone, Debug)]
pub(crate) struct Envelopes {
    client: aws_sdk_kms::Client,
    key_arn: String,
}

impl Envelopes {
    pub(crate) fn new(connection: &Connection, key_arn: &Setting<String>) -> Self {
        Self { client: connection.kms(), key_arn: key_arn.read() }
    }

    /// Generates a data key for a value that will be known later.
    pub(crate) async fn data_key(&self, purpose: Purpose, id: &str) -> Result<DataKey, Error> {
        const OPERATION: &str = "GenerateDataKey";
        let generate = self
            .client
            .generate_data_key()
            .key_id(&self.key_arn)
            .key_spec(DataKeySpec::Aes256)
            .encryption_context(PURPOSE, purpose.name())
            .encryption_context(ID, id);
        let made = generate.send().in_time().await.map_err(|error| unavailable(OPERATION, &error))?;
        let missing = || Error::Unavailable(format!("{OPERATION} returned no key"));
        Ok(DataKey {
            plain: Zeroizing::new(made.plaintext.ok_or_else(missing)?.into_inner()),
            encrypted: made.ciphertext_blob.ok_or_else(missing)?.into_inner(),
        })
    }

    /// Decrypts a value.
    pub(crate) async fn decrypt(
        &self,
        purpose: Purpose,
        id: &str,
        encrypted: &Encrypted,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        const OPERATION: &str = "Decrypt";
        let decrypt = self
            .client
            .decrypt()
            .key_id(&self.key_arn)
            .ciphertext_blob(Blob::new(encrypted.data_key.to_vec()))
            .encryption_context(PURPOSE, purpose.name())
            .encryption_context(ID, id);
        let key = decrypt.send().in_time().await.map_err(|error| unavailable(OPERATION, &error))?;
        let key = Zeroizing::new(key.plaintext.map(Blob::into_inner).unwrap_or_default());
        let corrupt = || Error::Corrupt { what: purpose.name(), cause: "it does not decrypt".into() };
        decrypted(&key, &encrypted.ciphertext).ok_or_else(corrupt)
    }
}

impl DataKey {
    /// Encrypts the one value that the key is for.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if KMS returned a key of an unexpected size.
    pub fn encrypt(self, value: &[u8]) -> Result<Encrypted, Error> {
        let wrong = |_| Error::Unavailable("the data key does not have 256 bits".into());
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &self.plain).map_err(wrong)?);
        let nonce: [u8; NONCE_LEN] = entropy();
        let mut text = value.to_vec();
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut text).map_err(wrong)?;
        let ciphertext = [&nonce[..], &text].concat();
        Ok(Encrypted { data_key: ByteBuf::from(self.encrypted), ciphertext: ByteBuf::from(ciphertext) })
    }
}

fn decrypted(key: &[u8], encrypted: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
    let (nonce, text) = encrypted.split_first_chunk::<NONCE_LEN>()?;
    let mut text = Zeroizing::new(text.to_vec());
    let length = key.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::empty(), &mut text).ok()?.len();
    text.truncate(length);
    Some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_its_key_decrypts_unchanged_values() {
        let key = || DataKey { plain: Zeroizing::new(vec![7; 32]), encrypted: vec![1] };
        let encrypted = key().encrypt(b"body").unwrap();
        assert_eq!(decrypted(&[7; 32], &encrypted.ciphertext).unwrap().as_slice(), b"body");
        assert_ne!(encrypted, key().encrypt(b"body").unwrap(), "a nonce of its own");
        assert!(decrypted(&[8; 32], &encrypted.ciphertext).is_none());
        for place in 0..encrypted.ciphertext.len() {
            let mut changed = encrypted.ciphertext.clone();
            changed[place] ^= 1;
            assert!(decrypted(&[7; 32], &changed).is_none(), "{place}");
        }
        assert!(decrypted(&[7; 32], &encrypted.ciphertext[..NONCE_LEN]).is_none());
        assert!(DataKey { plain: Zeroizing::new(vec![7; 16]), encrypted: vec![] }.encrypt(b"").is_err());
    }
}
