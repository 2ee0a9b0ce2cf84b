//! Clients and their API keys.

use serde::{Deserialize, Serialize};

use super::{ClientId, KeyIdText, KeySuffix};
use crate::{Environment, Time, values::words};

words! {
    /// Whether a client may use the service.
    ClientStatus {
        /// The client's API keys and licenses work.
        Active = "active",
        /// The client's API keys and licenses are refused until it is resumed.
        Suspended = "suspended",
    }

    /// Whether a key is active.
    KeyStatus {
        /// The key works.
        Active = "active",
        /// The key was revoked, or replaced by a rotation.
        Revoked = "revoked",
    }
}

/// A client to be created.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewClient {
    /// The client's name for people, without control characters.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::NAME_CHARS)))]
    pub name: String,
}

/// A client: the company that integrates the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Client {
    /// The client's id.
    pub id: ClientId,
    /// The client's name for people.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::NAME_CHARS)))]
    pub name: String,
    /// Whether the client may use the service.
    pub status: ClientStatus,
}

/// An API key to be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApiKeyRequest {
    /// The environment in which the key creates sessions.
    pub environment: Environment,
    /// A name for operators, without control characters.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::NAME_CHARS)))]
    pub name: String,
}

/// An API key as operators see it, without the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "ApiKey"))]
pub struct ApiKeyView {
    /// The beginning of the SHA-256 of the key.
    pub id: KeyIdText,
    /// The name that operators gave the key.
    pub name: String,
    /// The client that the key was issued to.
    pub client_id: ClientId,
    /// The environment in which the key creates sessions.
    pub environment: Environment,
    /// Whether the key is active.
    pub status: KeyStatus,
    /// Whether the client is suspended, in which case the key is refused.
    pub client_status: ClientStatus,
    /// When the key was issued.
    pub issued_at: Time,
    /// The first characters of the key.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = "svc_api_")))]
    pub key_prefix: String,
    /// The last characters of the key; null for keys that were issued before they were stored.
    pub key_suffix: Option<KeySuffix>,
}

/// A new API key. This response is the only one that shows the key.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NewApiKey {
    /// The key itself.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^svc_api_[1-9A-HJ-NP-Za-km-z]+$")))]
    pub api_key: String,
    /// The record of the key.
    #[serde(flatten)]
    pub view: ApiKeyView,
}
