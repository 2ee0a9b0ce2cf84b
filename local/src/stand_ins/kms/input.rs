//! Reads the fields of a request.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Exception, keys::KeyStore};

pub(super) fn key_id(keys: &KeyStore, input: &Value) -> Result<String, Exception> {
    keys.resolve(text(input, "KeyId")?)
}

pub(super) fn text<'a>(input: &'a Value, field: &str) -> Result<&'a str, Exception> {
    let value = input.get(field).and_then(Value::as_str);
    value.ok_or_else(|| Exception::validation(format!("{field} is missing, or no text.")))
}

pub(super) fn blob(input: &Value, field: &str) -> Result<Vec<u8>, Exception> {
    let bytes = BASE64_STANDARD.decode(text(input, field)?);
    bytes.map_err(|_| Exception::validation(format!("{field} is not base64.")))
}

pub(super) fn one_of<T: DeserializeOwned>(input: &Value, field: &str) -> Result<T, Exception> {
    let name = text(input, field)?;
    let value = serde_json::from_value(name.into());
    value.map_err(|_| Exception::validation(format!("{field} {name} is not supported by this stand-in.")))
}
