//! The secrets that sign webhooks: per client and environment, so that what signs for the sandbox signs nothing live.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{ClientId, Environment};

const PREFIX: &str = "whsec_";

/// A secret of Standard Webhooks: 32 random bytes, written as `whsec_` and base64.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// A new secret.
    #[must_use]
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self(entropy)
    }

    /// The bytes, which the signature is made with.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The text, for the one moment at which it is shown.
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

/// The record of a secret, which is kept beside it encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookSecretRecord {
    /// Its identity, a UUID.
    pub id: String,
    /// The client.
    pub client_id: ClientId,
    /// The environment.
    pub environment: Environment,
    /// When it was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
    /// When it stops signing, set by a rotation or a revocation.
    #[serde(default, with = "crate::exact::optional_millis", skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<OffsetDateTime>,
}

impl WebhookSecretRecord {
    /// Whether it signs at `now`.
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
    fn a_secret_is_standard_webhooks_and_does_not_show_itself() {
        let secret = WebhookSecret::from_entropy([0; 32]);
        assert_eq!(secret.expose(), "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        assert_eq!(format!("{secret:?}"), "WebhookSecret(redacted)");
    }

    #[test]
    fn a_secret_signs_until_its_end() {
        let now = datetime!(2026-11-23 12:00 UTC);
        let mut record = WebhookSecretRecord {
            id: String::new(),
            client_id: ClientId("c".into()),
            environment: Environment::Sandbox,
            issued_at: now,
            ends_at: None,
        };
        assert!(record.is_live(now));
        record.ends_at = Some(now + Duration::HOUR);
        assert!(record.is_live(now) && !record.is_live(now + Duration::HOUR));
    }
}
