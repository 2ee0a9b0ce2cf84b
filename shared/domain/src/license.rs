//! A license: what a client may capture, from where, and under which rules.

use std::fmt;

use lacre_api::{CaptureResolution, IntegrityEnforcement};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{ApiKeyRecord, ClientId, ClientStatus, Environment, KeyHash, KeyStatus, OriginPattern, limits};

/// The identity of a license; it survives the rotation of its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LicenseId(pub String);

impl fmt::Display for LicenseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a license is in force. Revocation is irreversible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LicenseStatus {
    /// In force.
    Active,
    /// Revoked, for ever.
    Revoked,
}

/// Whether the service keeps the signed JPEG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StoreAssetPolicy {
    /// Kept and served.
    Always,
    /// Not kept: the answer of the ingest carries the only copy.
    #[default]
    Never,
    /// Listed as non-retaining: treated as `NEVER`.
    PerSession,
}

impl StoreAssetPolicy {
    /// Whether the signed JPEG is kept.
    #[must_use]
    pub fn retains(self) -> bool {
        self == Self::Always
    }
}

/// How a license checks positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GpsMode {
    /// Recorded, never checked.
    Off,
    /// The shape is checked, the result recorded in the manifest.
    #[default]
    Observe,
    /// Refused without a position that is accurate enough.
    Require,
}

/// What happens to a likely photo of a screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RecaptureGate {
    /// Refused.
    #[default]
    Block,
    /// Signed, with the result in the manifest.
    Record,
    /// Not analysed.
    Off,
}

/// A license with its configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct License {
    /// Its identity, on which usage, evidence and alerts hang.
    pub id: LicenseId,
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it is for.
    pub environment: Environment,
    /// Whether it is in force.
    pub status: LicenseStatus,
    /// The end of the contract.
    #[serde(with = "crate::exact::millis")]
    pub expires_at: OffsetDateTime,
    /// Captures per calendar month, UTC.
    pub volume_limit: u64,
    /// The resolution that the component asks for.
    pub capture_resolution: CaptureResolution,
    /// Whether a proof without a trusted timestamp is refused.
    pub tsa_required: bool,
    /// The most photos of one session; `None` is unlimited.
    pub max_captures_per_session: Option<u32>,
    /// Whether the signed JPEG is kept.
    #[serde(default)]
    pub store_asset_policy: StoreAssetPolicy,
    /// How positions are checked.
    #[serde(default)]
    pub gps_mode: GpsMode,
    /// Under `REQUIRE`, the least accuracy, in metres.
    #[serde(default = "default_accuracy")]
    pub gps_max_accuracy_m: f64,
    /// The pages that may capture.
    pub authorized_origins: Vec<OriginPattern>,
    /// What happens to a likely recapture.
    #[serde(default)]
    pub recapture_gate: RecaptureGate,
    /// The evidence from which on a photo is a likely recapture: within [`limits::RECAPTURE_THRESHOLDS`].
    #[serde(default = "default_threshold")]
    pub recapture_threshold: f64,
    /// The pages to which a hosted session may send the browser at its end. A license with any is a hosted one.
    #[serde(default)]
    pub redirect_origins: Vec<OriginPattern>,
}

/// The operator's part of a license's record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseIssue {
    /// The key that is in force.
    pub key: KeyHash,
    /// The last characters of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_suffix: Option<String>,
    /// When the license was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
    /// Counts up at every change: of two operators who change a license at once, one gets an error.
    pub revision: u32,
}

fn default_accuracy() -> f64 {
    limits::GPS_MAX_ACCURACY_M
}

fn default_threshold() -> f64 {
    limits::RECAPTURE_THRESHOLD
}

/// Why a license that exists is not usable now; in the order in which the reasons take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LicenseFault {
    /// The license is revoked.
    Revoked,
    /// Its client is suspended.
    ClientSuspended,
    /// Its contract has ended.
    Expired,
}

impl License {
    /// Whether the license of a client in a status may be used at `now`.
    ///
    /// # Errors
    /// The first [`LicenseFault`] that applies.
    pub fn check_usable(&self, client: ClientStatus, now: OffsetDateTime) -> Result<(), LicenseFault> {
        if self.status == LicenseStatus::Revoked {
            Err(LicenseFault::Revoked)
        } else if client == ClientStatus::Suspended {
            Err(LicenseFault::ClientSuspended)
        } else if now >= self.expires_at {
            Err(LicenseFault::Expired)
        } else {
            Ok(())
        }
    }

    /// Whether hosted sessions may use the license.
    #[must_use]
    pub fn is_hosted(&self) -> bool {
        !self.redirect_origins.is_empty()
    }

    /// Captures per month as clients see them: the sandbox has no limit.
    #[must_use]
    pub fn effective_volume_limit(&self) -> u64 {
        if self.environment == Environment::Sandbox { limits::UNLIMITED_VOLUME } else { self.volume_limit }
    }

    /// The policy for compromised devices, which follows the environment.
    #[must_use]
    pub fn integrity_enforcement(&self) -> IntegrityEnforcement {
        match self.environment {
            Environment::Production => IntegrityEnforcement::Block,
            Environment::Staging => IntegrityEnforcement::Warn,
            Environment::Sandbox => IntegrityEnforcement::Ignore,
        }
    }
}

/// The record of a license key, with copies of its license and client, so that create needs one read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseKeyRecord {
    /// The license that it opens.
    pub license_id: LicenseId,
    /// The client that the license belongs to.
    pub client_id: ClientId,
    /// The environment that the license is for.
    pub environment: Environment,
    /// Whether this key is in force, or was replaced by rotation.
    pub status: KeyStatus,
    /// Whether the license is in force.
    pub license_status: LicenseStatus,
    /// Whether the client may use the service.
    pub client_status: ClientStatus,
    /// The end of the contract.
    #[serde(with = "crate::exact::millis")]
    pub expires_at: OffsetDateTime,
    /// The most photos of one session; `None` is unlimited.
    pub max_captures_per_session: Option<u32>,
}

impl LicenseKeyRecord {
    /// Whether a session of `total_photos` photos may be created with this key by the client of an API key. Whatever the
    /// cause of a no, it looks the same from outside.
    #[must_use]
    pub fn may_create(&self, api_key: &ApiKeyRecord, total_photos: u32, now: OffsetDateTime) -> bool {
        self.client_id == api_key.client_id
            && self.status == KeyStatus::Active
            && self.license_status == LicenseStatus::Active
            && self.client_status == ClientStatus::Active
            && now < self.expires_at
            && self.max_captures_per_session.is_none_or(|most| total_photos <= most)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A license in force, with a limit of 10 captures until 2027.
    pub(crate) fn license(environment: Environment) -> License {
        License {
            id: LicenseId("l".into()),
            client_id: ClientId("c".into()),
            environment,
            status: LicenseStatus::Active,
            expires_at: time::macros::datetime!(2027-01-01 00:00:00 UTC),
            volume_limit: 10,
            capture_resolution: CaptureResolution::Fhd,
            tsa_required: false,
            max_captures_per_session: None,
            store_asset_policy: StoreAssetPolicy::Never,
            gps_mode: GpsMode::Observe,
            gps_max_accuracy_m: 150.0,
            authorized_origins: Vec::new(),
            recapture_gate: RecaptureGate::Block,
            recapture_threshold: limits::RECAPTURE_THRESHOLD,
            redirect_origins: Vec::new(),
        }
    }
}
