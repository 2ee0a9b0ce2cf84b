//! `POST /validate`: whether a license may be used, and its policy.

use serde::{Deserialize, Serialize};

use crate::{Environment, LicenseKeyText, Time, Uuid, values::words};

/// What an SDK asks on `{license_url}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ValidateRequest {
    /// The license's key. Anything else in a JSON object is answered with `INVALID_KEY`.
    pub license_key: LicenseKeyText,
}

/// What the hosted page asks on `{capture_url}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ValidateSessionRequest {
    /// The session's token.
    pub token: Uuid,
    /// The key in the page's address, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(with = "LicenseKeyText"))]
    pub license_key: Option<LicenseKeyText>,
}

/// Whether a license may be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LicenseVerdict {
    /// It may be used.
    Valid(LicensePolicy),
    /// It may not be used.
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

/// The policy of a license that may be used, for the SDKs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Policy", deny_unknown_fields))]
pub struct LicensePolicy {
    /// True.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = true)))]
    pub valid: bool,
    /// The environment of the license.
    pub environment: Environment,
    /// How the native SDKs treat a compromised device.
    pub integrity_enforcement: IntegrityEnforcement,
    /// The resolution to ask the camera for.
    pub capture_resolution: CaptureResolution,
    /// Whether a proof without a trusted timestamp is refused.
    pub tsa_required: bool,
    /// Most photos of one session; null where there is no limit.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub max_captures_per_session: Option<u32>,
    /// Captures in this calendar month, UTC.
    pub captures_used: u64,
    /// Captures per calendar month.
    pub volume_limit: u64,
    /// The end of the agreement.
    pub expires_at: Time,
}

/// Why a license may not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "NoPolicy", deny_unknown_fields))]
pub struct InvalidLicense {
    /// False.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = false)))]
    pub valid: bool,
    /// The first reason that applies.
    pub reason: Reason,
}

/// Why a license may not be used, in the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// The key is unknown, malformed or was replaced.
    InvalidKey,
    /// The license was revoked.
    Revoked,
    /// The client is suspended.
    ClientSuspended,
    /// The license has ended.
    Expired,
    /// The page's origin is not on the license's allowlist. Only for a request with an `Origin`.
    OriginNotAllowed,
    /// The captures of the month are used up.
    VolumeExceeded,
}

words! {
    /// The resolution that the component asks the camera for.
    CaptureResolution {
        /// 1280x720.
        Sd = "SD",
        /// 1920x1080.
        Hd = "HD",
        /// 2560x1440.
        Fhd = "FHD",
        /// The camera's own.
        Max = "MAX",
    }

    /// How the native SDKs treat a compromised device. The web routes ignore it.
    IntegrityEnforcement {
        /// The capture is blocked. So in production.
        Block = "BLOCK",
        /// The capture proceeds, and the risk is recorded. So in staging.
        Warn = "WARN",
        /// The risk is ignored. So in the sandbox.
        Ignore = "IGNORE",
    }
}

impl CaptureResolution {
    /// The longer and the shorter side in pixels; [`Self::Max`] has none.
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
