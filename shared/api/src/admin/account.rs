//! Clients and their API keys.

use serde::{Deserialize, Serialize};

use super::{ClientId, KeyId, KeySuffix};
use crate::{Environment, Time, values::words};

words! {
    /// Whether a client may use the service.
    ClientStatus {
        /// Active.
        Active = "active",
        /// Its keys and licenses are refused until it is resumed.
        Suspended = "suspended",
    }

    /// Whether a key is in force.
    KeyStatus {
        /// In force.
        Active = "active",
        /// Revoked, or replaced by rotation.
        Revoked = "revoked",
    }
}

/// A client that is to be created.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewClient {
    /// Its name, for people: without control characters.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::NAME_CHARS)))]
    pub name: String,
}

/// A client: the company that integrates the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Client {
    /// Its identity.
    pub id: ClientId,
    /// Its name, for people.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::NAME_CHARS)))]
    pub name: String,
    /// Whether it may use the service.
    pub status: ClientStatus,
}

/// An API key that is to be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApiKeyRequest {
    /// The environment that it is for.
    pub environment: Environment,
    /// The name that operators see: without control characters.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::NAME_CHARS)))]
    pub name: String,
}

/// An API key as operators see it: never the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "ApiKey"))]
pub struct ApiKeyView {
    /// The beginning of the key's hash.
    pub id: KeyId,
    /// The name that operators see.
    pub name: String,
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it is for.
    pub environment: Environment,
    /// Whether it is in force.
    pub status: KeyStatus,
    /// Whether its client is suspended, and the key refused.
    pub client_status: ClientStatus,
    /// When it was issued.
    pub issued_at: Time,
    /// How the key begins.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = "svc_api_")))]
    pub key_prefix: String,
    /// How the key ends; null for one of an earlier version.
    pub key_suffix: Option<KeySuffix>,
}

/// An API key that was issued: the one time at which the key is shown.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NewApiKey {
    /// The key itself.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^svc_api_[1-9A-HJ-NP-Za-km-z]+$")))]
    pub api_key: String,
    /// What is stored of it.
    #[serde(flatten)]
    pub view: ApiKeyView,
}
