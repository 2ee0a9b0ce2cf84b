//! `POST /validate`: whether a license may be used, and its policy.

use serde::{Deserialize, Serialize};

use crate::{Environment, LicenseKeyText, Time, Uuid, values::words};

/// The request of an SDK on `{license_url}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ValidateRequest {
    /// The license's key. Any other JSON object is answered with `INVALID_KEY`.
    pub license_key: LicenseKeyText,
}

/// The request of the hosted page on `{capture_url}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ValidateSessionRequest {
    /// The session's token.
    pub token: Uuid,
    /// The license key in the page's address, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(with = "LicenseKeyText"))]
    pub license_key: Option<LicenseKeyText>,
}

/// The verdict on a license: its policy, or why it may not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LicenseVerdict {
    /// The license may be used.
    Valid(LicensePolicy),
    /// The license may not be used.
    Invalid(InvalidLicense),
}

impl LicenseVerdict {
    /// Whether the license may be used.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid(policy) if policy.valid)
    }
}

impl From<Result<LicensePolicy, Reason>> for LicenseVerdict {
    fn from(judged: Result<LicensePolicy, Reason>) -> Self {
        match judged {
            Ok(policy) => Self::Valid(policy),
            Err(reason) => Self::Invalid(InvalidLicense { valid: false, reason }),
        }
    }
}

/// The policy of a valid license, for SDKs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Policy", deny_unknown_fields))]
pub struct LicensePolicy {
    /// Always true.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = true)))]
    pub valid: bool,
    /// The environment of the license.
    pub environment: Environment,
    /// How the native SDKs treat a compromised device.
    pub integrity_enforcement: IntegrityEnforcement,
    /// The resolution to request from the camera.
    pub capture_resolution: CaptureResolution,
    /// Whether a capture without a trusted timestamp is refused.
    pub tsa_required: bool,
    /// Maximum number of photos of one session; null if unlimited.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub max_captures_per_session: Option<u32>,
    /// Captures in the current calendar month, UTC.
    pub captures_used: u64,
    /// Maximum captures per calendar month.
    pub volume_limit: u64,
    /// When the license's agreement ends.
    pub expires_at: Time,
}

/// Why a license may not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "NoPolicy", deny_unknown_fields))]
pub struct InvalidLicense {
    /// Always false.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = false)))]
    pub valid: bool,
    /// The first reason that applies.
    pub reason: Reason,
}

/// Why a license may not be used, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// The key is unknown or malformed, or was replaced.
    InvalidKey,
    /// The license was revoked.
    Revoked,
    /// The client is suspended.
    ClientSuspended,
    /// The license's agreement has ended.
    Expired,
    /// The page's origin is not on the license's allowlist. Only checked if the request has an `Origin`.
    OriginNotAllowed,
    /// The license's captures of the month have reached the volume limit.
    VolumeExceeded,
}

words! {
    /// The resolution that the component requests from the camera.
    CaptureResolution {
        /// 1280x720.
        Sd = "SD",
        /// 1920x1080.
        Hd = "HD",
        /// 2560x1440.
        Fhd = "FHD",
        /// The camera's maximum.
        Max = "MAX",
    }

    /// How the native SDKs treat a compromised device. The web routes ignore it.
    IntegrityEnforcement {
        /// The capture is blocked. This is the value in production.
        Block = "BLOCK",
        /// The capture proceeds, and the risk is recorded. This is the value in staging.
        Warn = "WARN",
        /// The risk is ignored. This is the value in the sandbox.
        Ignore = "IGNORE",
    }
}

impl CaptureResolution {
    /// The longer and the shorter side in pixels; `None` for [`Self::Max`].
    #[must_use]
    pub const fn sides(self) -> Option<[u32; 2]> {
        match self {
            Self::Sd => Some([1280, 720]),
            Self::Hd => Some([1920, 1080]),
            Self::Fhd => Some([2560, 1440]),
            Self::Max => None,
        }
    }
}
