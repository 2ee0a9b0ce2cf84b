//! The stored records of API keys.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{ClientId, ClientStatus, Environment, KeyStatus};

/// The part of an API key's record that requests read. It copies the client's status, so that creating a session takes
/// one read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKeyRecord {
    /// The client that the key was issued to.
    pub client_id: ClientId,
    /// The environment in which the key creates sessions.
    pub environment: Environment,
    /// Whether the key is active or revoked.
    pub status: KeyStatus,
    /// Whether the client is active or suspended: the copy of its own record's status.
    pub client_status: ClientStatus,
}

/// The part of an API key's record that only operators see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKeyIssue {
    /// The name that operators gave the key.
    pub name: String,
    /// The last four characters of the key, by which people recognize it. `None` in records that were written before it
    /// was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_suffix: Option<String>,
    /// When the key was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
}

impl ApiKeyRecord {
    /// Whether the key authenticates requests: it is active and its client is not suspended.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.status == KeyStatus::Active && self.client_status == ClientStatus::Active
    }
}
