//! The Soft Binding Resolution API of C2PA, in the version of its specification 2.4: what clients send to `{proofs_url}`
//! to find the proof of a copy, and what they get.
//!
//! Names of fields are those of C2PA. The refusals are Lacre's, because the specification leaves them open.

use serde::{Deserialize, Serialize};

use crate::{Refusal, limits};

/// The path below which C2PA's routes are.
pub const BASE_PATH: &str = "/c2pa/v1";

/// The version of C2PA's specification that the API follows.
pub const SPECIFICATION: &str = "2.4.0";

/// The media types in which a copy is accepted.
pub const MEDIA_TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];

/// A route at `{proofs_url}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Looks up the value of a soft binding, in the query.
    ByBinding,
    /// Looks up the value of a soft binding, in the body.
    ByBindingInBody,
    /// Looks up a copy of a photo.
    ByContent,
    /// Gets a manifest.
    Manifest,
    /// Lists the algorithms of soft bindings.
    SupportedAlgorithms,
    /// States what the service can do.
    Capabilities,
    /// States whether the service works.
    Status,
    /// States where the API is. At the root of the host.
    Discovery,
}

impl Route {
    /// All routes.
    pub const ALL: [Self; 8] = [
        Self::ByBinding,
        Self::ByBindingInBody,
        Self::ByContent,
        Self::Manifest,
        Self::SupportedAlgorithms,
        Self::Capabilities,
        Self::Status,
        Self::Discovery,
    ];

    /// The method.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::ByBindingInBody | Self::ByContent => "POST",
            _ => "GET",
        }
    }

    /// The path, with the parameter `manifest_id` in braces.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::ByBinding | Self::ByBindingInBody => "/c2pa/v1/matches/byBinding",
            Self::ByContent => "/c2pa/v1/matches/byContent",
            Self::Manifest => "/c2pa/v1/manifests/{manifest_id}",
            Self::SupportedAlgorithms => "/c2pa/v1/services/supportedAlgorithms",
            Self::Capabilities => "/c2pa/v1/services/capabilities",
            Self::Status => "/c2pa/v1/services/status",
            Self::Discovery => "/.well-known/c2pa-soft-binding-resolution",
        }
    }

    /// The route's refusals in the order of its checks. The routes without any are public.
    #[must_use]
    pub const fn refusals(self) -> &'static [Refusal] {
        use Refusal::*;
        match self {
            Self::ByBinding | Self::ByBindingInBody => &[
                ApiKeyInvalid,
                ApiKeyWrongPrefix,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                FieldInvalid { field: "profile" },
                LookupLimitReached { retry_after: 3600 },
                UpstreamUnavailable,
            ],
            Self::ByContent => &[
                ApiKeyInvalid,
                ApiKeyWrongPrefix,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                FieldInvalid { field: "profile" },
                PictureTypeUnsupported,
                AssetTooLarge { bytes: limits::MAX_ASSET_BYTES + 1, max_asset_bytes: limits::MAX_ASSET_BYTES },
                LookupLimitReached { retry_after: 3600 },
                PictureUnreadable,
                UpstreamUnavailable,
            ],
            Self::Manifest => &[
                ApiKeyInvalid,
                ApiKeyWrongPrefix,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                CaptureNotFound,
                UpstreamUnavailable,
            ],
            Self::SupportedAlgorithms | Self::Capabilities | Self::Status | Self::Discovery => &[],
        }
    }
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Matches {
    /// The manifests that were found, the most similar first.
    pub matches: Vec<ManifestMatch>,
    /// Whether some may be missing, because too many pictures have a code like this one. Not a field of C2PA.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A manifest that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestMatch {
    /// The id of the manifest: `urn:c2pa:` and a UUID.
    pub manifest_id: String,
    /// From 0 to 100, where 100 is an equal fingerprint.
    pub similarity_score: u32,
}

/// The algorithms of soft bindings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SupportedAlgorithms {
    /// Algorithms of watermarks.
    pub watermarks: Vec<Algorithm>,
    /// Algorithms of fingerprints.
    pub fingerprints: Vec<Algorithm>,
}

/// An algorithm of C2PA's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Algorithm {
    /// The name.
    pub alg: &'static str,
}

/// What the service can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The version of C2PA's specification.
    pub c2pa_specification_version: &'static str,
    /// The optional parts of the API that exist.
    pub supported_capabilities: Vec<&'static str>,
}

/// Whether the service works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServiceStatus {
    /// Always `ok`: a service that does not work does not answer.
    pub status: &'static str,
}

/// Where the API is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Discovery {
    /// The address of the API, without a trailing slash.
    pub api_endpoint: String,
    /// The version of C2PA's specification.
    pub c2pa_specification_version: &'static str,
    /// The address of the capabilities.
    pub capabilities_endpoint: String,
    /// The address of the status.
    pub status_endpoint: String,
}
