//! What operators keep for a client's hosted sessions in an environment: its kits, and who sends the links.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The state of a kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KitState {
    /// The current version, from 1.
    pub version: u32,
    /// Whether new sessions are refused the kit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
}

/// A version of a kit. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KitRecord {
    /// The version, from 1.
    pub version: u32,
    /// The kit as canonical JSON.
    pub json: String,
    /// When operators put the version.
    #[serde(with = "crate::exact::millis")]
    pub put_at: OffsetDateTime,
}

/// The sender of the links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderRecord {
    /// The sender as canonical JSON.
    pub json: String,
    /// When operators set the sender.
    #[serde(with = "crate::exact::millis")]
    pub set_at: OffsetDateTime,
}
