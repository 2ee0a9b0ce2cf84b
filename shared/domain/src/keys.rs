//! The formats of API keys and license keys, and the hashes under which they are stored.
//!
//! A key is shown once, when it is issued. Afterwards the service has only its SHA-256.

use std::fmt;

use lacre_api::admin::{MalformedId, limits::KEY_ID_CHARS};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

use crate::Environment;

const API_KEY_PREFIX: &str = "svc_api_";
const LICENSE_KEY_CHARS: std::ops::RangeInclusive<usize> = 32..=33;

/// The SHA-256 of a key, token or nonce in lower-case hexadecimal, which the database stores instead of the secret.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct KeyHash(String);

impl KeyHash {
    /// Hashes a secret's text.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(hex::encode(Sha256::digest(secret.as_bytes())))
    }

    /// Reads 64 lower-case hexadecimal characters.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let is_hash = text.len() == 64 && text.bytes().all(is_lower_hex);
        is_hash.then(|| Self(text.to_owned()))
    }

    /// All 64 hexadecimal characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the key with this hash.
    #[must_use]
    pub fn id(&self) -> KeyId {
        KeyId(self.0[..KEY_ID_CHARS].to_owned())
    }

    /// The first 8 hexadecimal characters: enough to correlate log lines, useless as a credential.
    #[must_use]
    pub fn short(&self) -> &str {
        &self.0[..8]
    }
}

impl Serialize for KeyHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for KeyHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_hex(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("not a hash"))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHash({}…)", self.short())
    }
}

/// The id of an API key or license key: the first 16 hexadecimal characters of its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyId(String);

impl KeyId {
    /// Parses the id of an API key.
    ///
    /// # Errors
    /// [`MalformedId`].
    pub fn parse(text: &str) -> Result<Self, MalformedId> {
        match text.len() == KEY_ID_CHARS && text.bytes().all(is_lower_hex) {
            true => Ok(Self(text.to_owned())),
            false => Err(MalformedId::ApiKey),
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Why a text is not a valid API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyFault {
    /// The header is missing or empty.
    Missing,
    /// The text does not start with `svc_api_`.
    WrongPrefix,
    /// The text starts with `svc_api_`, but the rest is not base58.
    Malformed,
}

/// A client's API key: `svc_api_` followed by base58.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A new key of 32 random bytes.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self(format!("{API_KEY_PREFIX}{}", bs58::encode(entropy).into_string()))
    }

    /// Parses the value of the `x-api-key` header.
    ///
    /// # Errors
    /// [`ApiKeyFault`], in the order of `docs/reference/api.md#post-websessions`.
    pub fn parse(text: &str) -> Result<Self, ApiKeyFault> {
        if text.is_empty() {
            return Err(ApiKeyFault::Missing);
        }
        let rest = text.strip_prefix(API_KEY_PREFIX).ok_or(ApiKeyFault::WrongPrefix)?;
        if rest.is_empty() || !rest.bytes().all(is_base58) {
            return Err(ApiKeyFault::Malformed);
        }
        Ok(Self(text.to_owned()))
    }

    /// The hash under which the key is stored.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }

    /// The key in clear, for the one response that shows it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The prefix of every API key: `svc_api_`.
    #[must_use]
    pub const fn prefix() -> &'static str {
        API_KEY_PREFIX
    }

    /// The last four characters, by which people recognize the key.
    #[must_use]
    pub fn suffix(&self) -> &str {
        suffix(&self.0)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(redacted)")
    }
}

/// A license key: `svc_live_`, `svc_stag_` or `svc_sand_`, followed by 32 or 33 base58 characters.
#[derive(Clone, PartialEq, Eq)]
pub struct LicenseKey {
    text: String,
    environment: Environment,
}

impl LicenseKey {
    /// A new key from 24 random bytes, which take 32 or 33 characters in base58.
    #[must_use]
    pub fn from_entropy(environment: Environment, entropy: [u8; 24]) -> Self {
        let text = format!("{}{}", Self::prefix(environment), bs58::encode(entropy).into_string());
        Self { text, environment }
    }

    /// Parses a license key; `None` if the text does not have its format.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("svc_")?;
        let (infix, body) = rest.split_once('_')?;
        let environment = Environment::ALL.into_iter().find(|e| e.key_infix() == infix)?;
        (LICENSE_KEY_CHARS.contains(&body.len()) && body.bytes().all(is_base58))
            .then(|| Self { text: text.to_owned(), environment })
    }

    /// The environment that the key's prefix names.
    #[must_use]
    pub fn environment(&self) -> Environment {
        self.environment
    }

    /// The hash under which the key is stored.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.text)
    }

    /// The key in clear, for the one response that shows it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The prefix of all license keys of an environment: `svc_live_`, `svc_stag_` or `svc_sand_`.
    #[must_use]
    pub fn prefix(environment: Environment) -> String {
        format!("svc_{}_", environment.key_infix())
    }

    /// The last four characters, by which people recognize the key.
    #[must_use]
    pub fn suffix(&self) -> &str {
        suffix(&self.text)
    }
}

impl fmt::Debug for LicenseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LicenseKey({}, redacted)", self.environment.name())
    }
}

/// The number of characters of a key that stay visible. They reveal at most 24 of its 192 or more random bits.
const SUFFIX_CHARS: usize = 4;

fn suffix(key: &str) -> &str {
    // Keys are ASCII, so any byte index is a character boundary.
    key.len().checked_sub(SUFFIX_CHARS).and_then(|start| key.get(start..)).unwrap_or_default()
}

/// Whether a byte belongs to the Bitcoin base58 alphabet, which omits `0`, `O`, `I` and `l`.
fn is_base58(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn malformed_api_keys_name_their_fault() {
        let issued = ApiKey::from_entropy([7; 32]);
        assert_eq!(ApiKey::parse(issued.expose()), Ok(issued));
        assert_eq!(ApiKey::parse(""), Err(ApiKeyFault::Missing));
        assert_eq!(ApiKey::parse("pvv_api_abc"), Err(ApiKeyFault::WrongPrefix));
        assert_eq!(ApiKey::parse("svc_api_"), Err(ApiKeyFault::Malformed));
        assert_eq!(ApiKey::parse("svc_api_0OIl"), Err(ApiKeyFault::Malformed));
    }

    #[test]
    fn any_entropy_makes_a_license_key() {
        for entropy in [[1; 24], [255; 24], leading_zeros(1), leading_zeros(2)] {
            for environment in Environment::ALL {
                let key = LicenseKey::from_entropy(environment, entropy);
                assert_eq!(LicenseKey::parse(key.expose()), Some(key));
            }
        }
    }

    #[test]
    fn keys_have_their_prefix_and_suffix() {
        let (api, license) = (ApiKey::from_entropy([7; 32]), LicenseKey::from_entropy(Environment::Staging, [7; 24]));
        for (key, prefix, suffix) in [
            (api.expose(), ApiKey::prefix().to_owned(), api.suffix()),
            (license.expose(), LicenseKey::prefix(Environment::Staging), license.suffix()),
        ] {
            assert!(key.starts_with(&prefix) && key.ends_with(suffix) && suffix.len() == 4, "{prefix} {suffix}");
        }
    }

    fn leading_zeros(n: usize) -> [u8; 24] {
        let mut entropy = [255; 24];
        entropy[..n].fill(0);
        entropy
    }

    #[test]
    fn refuses_malformed_license_keys() {
        let body = "1".repeat(32);
        assert!(LicenseKey::parse(&format!("svc_live_{body}")).is_some());
        assert!(LicenseKey::parse(&format!("svc_live_{body}2")).is_some());
        for wrong in [
            format!("svc_test_{body}"),
            format!("svc_live{body}"),
            format!("pvv_live_{body}"),
            format!("svc_live_{}", &body[1..]),
            format!("svc_live_{body}22"),
            format!("svc_live_{}0", &body[1..]),
            format!("svc_live_{body} "),
            String::new(),
        ] {
            assert_eq!(LicenseKey::parse(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn key_ids_are_prefixes_of_hashes() {
        let hash = KeyHash::of("x");
        assert!(hash.as_str().starts_with(hash.id().as_str()) && hash.id().as_str().starts_with(hash.short()));
        assert_eq!(KeyId::parse(hash.id().as_str()), Ok(hash.id()));
        for other in ["", "0123456789abcde", "0123456789ABCDEF", hash.as_str(), "svc_api_secret_x"] {
            assert_eq!(KeyId::parse(other), Err(MalformedId::ApiKey), "{other}");
        }
    }

    #[test]
    fn secrets_do_not_show_themselves() {
        let key = LicenseKey::from_entropy(Environment::Sandbox, [9; 24]);
        assert_eq!(format!("{key:?}"), "LicenseKey(SANDBOX, redacted)");
        assert_eq!(format!("{:?}", ApiKey::from_entropy([9; 32])), "ApiKey(redacted)");
        assert_eq!(format!("{:?}", KeyHash::of("x")).len(), "KeyHash(12345678…)".len());
    }
}
