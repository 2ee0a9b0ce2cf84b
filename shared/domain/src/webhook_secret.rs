//! The secrets that sign webhooks. Each client and environment has its own, so that a sandbox secret cannot sign live
//! messages.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{ClientId, Environment, WebhookSecretId};

const PREFIX: &str = "whsec_";

/// A webhook secret as in Standard Webhooks: 32 random bytes, written as `whsec_` and base64.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// A new secret from random bytes.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self(entropy)
    }

    /// The bytes of the signing key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The secret as text, for the one response that shows it.
    #[must_use]
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(redacted)")
    }
}

/// The record of a secret. The secret itself is stored beside it, encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookSecretRecord {
    /// The id of the secret.
    pub id: WebhookSecretId,
    /// The client whose webhooks the secret signs.
    pub client_id: ClientId,
    /// The environment whose webhooks the secret signs.
    pub environment: Environment,
    /// When the secret was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
    /// When the secret stops signing, set by a rotation or a revocation; `None` while no end is set.
    #[serde(default, with = "crate::exact::optional_millis", skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<OffsetDateTime>,
}

impl WebhookSecretRecord {
    /// Whether the secret signs messages at `now`.
    #[must_use]
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::{Duration, macros::datetime};

    #[test]
    fn a_secret_is_encoded_and_redacted() {
        let secret = WebhookSecret::from_entropy([0; 32]);
        assert_eq!(secret.expose(), "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        assert_eq!(format!("{secret:?}"), "WebhookSecret(redacted)");
    }

    #[test]
    fn a_secret_signs_until_its_end() {
        let now = datetime!(2026-11-23 12:00 UTC);
        let mut record = WebhookSecretRecord {
            id: WebhookSecretId::from_u128(3),
            client_id: ClientId::from_u128(1),
            environment: Environment::Sandbox,
            issued_at: now,
            ends_at: None,
        };
        assert!(record.is_live(now));
        record.ends_at = Some(now + Duration::HOUR);
        assert!(record.is_live(now) && !record.is_live(now + Duration::HOUR));
    }
}
