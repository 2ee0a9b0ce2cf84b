//! Data keys: generated, and decrypted under the encryption context that they were generated with.

use std::collections::BTreeMap;

use base64::{Engine, prelude::BASE64_STANDARD};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde_json::{Value, json};

use super::{
    Exception,
    input::{blob, key_id, text},
    keys::{KeyStore, key_arn},
};

/// Length of the key id at the beginning of a ciphertext, by which decryption finds the key, as in real KMS.
const ID_LENGTH: usize = 36;

pub(super) fn generate_data_key(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    if text(input, "KeySpec")? != "AES_256" {
        return Err(Exception::validation("this stand-in makes data keys of AES_256 only"));
    }
    let id = key_id(keys, input)?;
    let (plain, nonce): ([u8; 32], [u8; NONCE_LEN]) = (lacre_storage::entropy(), lacre_storage::entropy());
    let mut sealed = plain.to_vec();
    let sealing = cipher(keys, &id)?.seal_in_place_append_tag(nonce_of(nonce), context(input), &mut sealed);
    sealing.map_err(Exception::internal)?;
    let ciphertext = [id.as_bytes(), &nonce, &sealed].concat();
    Ok(json!({
        "KeyId": key_arn(&id),
        "Plaintext": BASE64_STANDARD.encode(plain),
        "CiphertextBlob": BASE64_STANDARD.encode(ciphertext),
    }))
}

pub(super) fn decrypt(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    let invalid = || Exception::new("InvalidCiphertextException", "");
    let ciphertext = blob(input, "CiphertextBlob")?;
    let (id, rest) = ciphertext.split_first_chunk::<ID_LENGTH>().ok_or_else(invalid)?;
    let id = keys.resolve(std::str::from_utf8(id).map_err(|_| invalid())?).map_err(|_| invalid())?;
    if input.get("KeyId").is_some() && key_id(keys, input)? != id {
        return Err(Exception::new("IncorrectKeyException", "the ciphertext belongs to another key"));
    }
    let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(invalid)?;
    let mut sealed = sealed.to_vec();
    let opened = cipher(keys, &id)?.open_in_place(nonce_of(*nonce), context(input), &mut sealed);
    let plain = opened.map_err(|_| invalid())?;
    Ok(json!({
        "KeyId": key_arn(&id), "Plaintext": BASE64_STANDARD.encode(plain), "EncryptionAlgorithm": "SYMMETRIC_DEFAULT",
    }))
}

fn cipher(keys: &KeyStore, id: &str) -> Result<LessSafeKey, Exception> {
    let key = keys.key(id)?.symmetric_key(&key_arn(id))?;
    Ok(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).map_err(Exception::internal)?))
}

fn nonce_of(nonce: [u8; NONCE_LEN]) -> Nonce {
    Nonce::assume_unique_for_key(nonce)
}

/// The encryption context as additional authenticated data, sorted by name.
fn context(input: &Value) -> Aad<String> {
    let pairs: BTreeMap<&String, &Value> = input["EncryptionContext"].as_object().into_iter().flatten().collect();
    Aad::from(format!("{pairs:?}"))
}
