//! `POST /signers/{environment}/probe`: whether the ingest function can sign with a signer profile.

use serde::{Deserialize, Serialize};

use crate::{Environment, values::words};

words! {
    /// What is checked of a signer profile.
    SignerPart {
        /// Its certificates and keys can be read.
        Profile = "profile",
        /// Its certificates are valid now.
        Dates = "dates",
        /// The ICP-Brasil signature of a test message.
        Seal = "seal",
        /// The signature of a C2PA claim over a test message.
        Claim = "claim",
        /// A timestamp, where authorities are named.
        Timestamps = "timestamps",
    }
}

/// Which signer profile is probed.
#[cfg(feature = "openapi")]
#[derive(schemars::JsonSchema)]
pub struct ProbeParameters {
    /// A version of the profile, instead of the draft.
    #[schemars(range(min = 1, max = super::limits::SIGNER_VERSION_MAX))]
    pub version: Option<u32>,
}

/// What was probed, and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct ProbedSigners {
    /// The environment.
    pub environment: Environment,
    /// The version that the draft becomes, or the one that was named.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub version: u32,
    /// The draft's revision; null for a version that was named.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub draft_revision: Option<u32>,
    /// Whether no check has a fault.
    pub works: bool,
    /// The checks that were made.
    pub checks: Vec<SignerCheck>,
}

/// A check of a signer profile.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SignerCheck {
    /// What is checked.
    pub check: SignerPart,
    /// What is wrong with it; null where nothing is.
    pub fault: Option<String>,
}
