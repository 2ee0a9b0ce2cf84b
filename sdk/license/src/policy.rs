//! The policy of a valid license, and the reasons of a refusal, as the API sends them.

pub use lacre_api::{CaptureResolution, Environment, IntegrityEnforcement};
use serde::{Deserialize, Serialize};

/// The policy of a valid license, as `POST /validate` returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// The environment of the license.
    pub environment: Environment,
    /// How to treat a compromised device.
    pub integrity_enforcement: IntegrityEnforcement,
    /// The resolution to request from the camera.
    pub capture_resolution: CaptureResolution,
    /// Whether a capture requires a trusted timestamp.
    pub tsa_required: bool,
    /// Maximum number of photos of one session; `None` if unlimited.
    pub max_captures_per_session: Option<u32>,
    /// Captures of this month when the policy was read. Informative: the device does not count captures.
    pub captures_used: u64,
    /// Maximum captures per calendar month.
    pub volume_limit: u64,
    /// When the agreement ends, in RFC 3339. Informative: the service refuses an expired license.
    pub expires_at: String,
}

impl Policy {
    /// Whether a capture that began under the other policy may end under this one.
    pub(crate) fn same_rules(&self, other: &Self) -> bool {
        let rules = |policy: &Self| {
            (
                policy.environment,
                policy.integrity_enforcement,
                policy.capture_resolution,
                policy.tsa_required,
                policy.max_captures_per_session,
            )
        };
        rules(self) == rules(other)
    }
}

/// Why the service refuses a license.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// The key is unknown, malformed or was replaced.
    InvalidKey,
    /// The license was revoked.
    Revoked,
    /// The agreement has ended.
    Expired,
    /// The captures of the month have reached the volume limit.
    VolumeExceeded,
    /// The client is suspended.
    ClientSuspended,
    /// A reason that this version does not know, or a missing reason.
    #[serde(other)]
    Other,
}

impl Reason {
    /// The word in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidKey => "INVALID_KEY",
            Self::Revoked => "REVOKED",
            Self::Expired => "EXPIRED",
            Self::VolumeExceeded => "VOLUME_EXCEEDED",
            Self::ClientSuspended => "CLIENT_SUSPENDED",
            Self::Other => "OTHER",
        }
    }
}
