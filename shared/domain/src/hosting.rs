//! The stored records of what a client's hosted sessions show: its capture kits and its sender.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The state of a kit: the only record of a kit that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KitState {
    /// The current version, from 1: the one of new sessions that name no version.
    pub version: u32,
    /// Whether the kit is retired: new sessions cannot use it, whatever version they name.
    pub retired: bool,
}

/// A version of a kit, which never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KitRecord {
    /// The version.
    pub version: u32,
    /// The kit as canonical JSON.
    pub json: String,
    /// When the version was put.
    #[serde(with = "crate::exact::millis")]
    pub put_at: OffsetDateTime,
}

/// The sender of a client's hosted sessions in an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderRecord {
    /// The sender as canonical JSON.
    pub json: String,
    /// When the sender was set.
    #[serde(with = "crate::exact::millis")]
    pub set_at: OffsetDateTime,
}
