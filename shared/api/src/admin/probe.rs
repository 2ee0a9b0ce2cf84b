//! `POST /signers/{environment}/probe`: whether the ingest function can sign with a signer profile.

use serde::{Deserialize, Serialize};

use crate::{Environment, values::words};

words! {
    /// The checks of a signer profile.
    SignerPart {
        /// The certificates and keys can be read and match.
        Profile = "profile",
        /// The certificates are valid now.
        Dates = "dates",
        /// The seal key signs a test message.
        Seal = "seal",
        /// The claim key signs a test message.
        Claim = "claim",
        /// An authority returns a timestamp, if the profile names authorities.
        Timestamps = "timestamps",
    }
}

/// The signer profile to be probed.
#[cfg(feature = "openapi")]
#[derive(schemars::JsonSchema)]
pub struct ProbeParameters {
    /// The version of a profile, to probe it instead of the draft.
    #[schemars(range(min = 1, max = super::limits::SIGNER_VERSION_MAX))]
    pub version: Option<u32>,
}

/// The probed signer profile, and the results of its checks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct ProbedSigners {
    /// The environment.
    pub environment: Environment,
    /// The version that the draft would get, or the requested version.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub version: u32,
    /// The draft's revision; null if a version was requested.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub draft_revision: Option<u32>,
    /// Whether all checks succeeded.
    pub works: bool,
    /// The checks that were made.
    pub checks: Vec<SignerCheck>,
}

/// A check of a signer profile.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SignerCheck {
    /// The check.
    pub check: SignerPart,
    /// The fault that was found; null if the check succeeded.
    pub fault: Option<String>,
}
