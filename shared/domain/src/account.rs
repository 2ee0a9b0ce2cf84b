//! The records behind API keys.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{ClientId, ClientStatus, Environment, KeyStatus};

/// The record of an API key, with a copy of its client's status, so that create needs one read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKeyRecord {
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it is for.
    pub environment: Environment,
    /// Whether it is in force.
    pub status: KeyStatus,
    /// Whether its client may use the service.
    pub client_status: ClientStatus,
}

/// The operator's part of an API key's record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKeyIssue {
    /// The name that operators see.
    pub name: String,
    /// The last characters of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_suffix: Option<String>,
    /// When it was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
}

impl ApiKeyRecord {
    /// Whether the key opens anything: it is in force, and its client is not suspended.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.status == KeyStatus::Active && self.client_status == ClientStatus::Active
    }
}
