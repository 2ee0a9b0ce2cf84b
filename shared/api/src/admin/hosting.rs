//! What a client's hosted sessions show: its capture kits and its sender.
//!
//! The types are generic over the document, which the service keeps as canonical JSON: programs that parse responses may use
//! [`kit::Kit`](crate::kit::Kit) or any JSON value.

use serde::{Deserialize, Serialize};

use super::{ClientId, Cursor, Digest, LimitText};
use crate::{Environment, Time, kit::KitName};

/// A kit to be put.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "KitRequest"))]
#[serde(deny_unknown_fields)]
pub struct KitRequest<K> {
    /// The environment in which sessions may use the kit.
    pub environment: Environment,
    /// The kit. All rules that it breaks are answered at once.
    pub kit: K,
}

/// The environment of a list of kits, and the requested page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KitParameters {
    /// The environment.
    pub environment: Environment,
    /// Maximum number of entries on the page.
    pub limit: Option<LimitText>,
    /// The `next` of the previous page of the same list.
    pub cursor: Option<Cursor>,
}

/// The wanted version of a kit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KitVersionParameters {
    /// The version, from 1. The default is the current one.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<u32>", range(min = 1, max = super::limits::KIT_VERSION_MAX)))]
    pub version: Option<String>,
}

/// A kit of a client, without its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "ListedKit"))]
pub struct KitView {
    /// The client that the kit belongs to.
    pub client_id: ClientId,
    /// The environment in which sessions may use the kit.
    pub environment: Environment,
    /// The kit's name.
    pub name: KitName,
    /// The version of new sessions that name no version.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub current_version: u32,
    /// Whether the kit is retired: new sessions are refused, whatever version they name. Open sessions keep it.
    pub retired: bool,
}

/// A version of a kit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "KitVersion"))]
pub struct KitVersionView<K> {
    /// The kit.
    #[serde(flatten)]
    pub view: KitView,
    /// The version that is shown. A version never changes, and is never deleted.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub version: u32,
    /// The SHA-256 of the kit's canonical JSON.
    pub sha256: Digest,
    /// When the version was put.
    pub put_at: Time,
    /// The kit in canonical form.
    pub kit: K,
}

/// A sender to be set.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "SenderRequest"))]
#[serde(deny_unknown_fields)]
pub struct SenderRequest<S> {
    /// The environment whose hosted sessions show the sender.
    pub environment: Environment,
    /// The sender, who asks customers for photos. All rules that it breaks are answered at once.
    pub sender: S,
}

/// The sender of a client's hosted sessions in an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "SenderOfClient"))]
pub struct SenderView<S> {
    /// The client.
    pub client_id: ClientId,
    /// The environment.
    pub environment: Environment,
    /// The SHA-256 of the sender's canonical JSON.
    pub sha256: Digest,
    /// When the sender was set.
    pub set_at: Time,
    /// The sender in canonical form, as customers see it.
    pub sender: S,
}
