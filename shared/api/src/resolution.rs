//! The Soft Binding Resolution API of C2PA, in the version of its specification 2.4: what clients send to `{proofs_url}`
//! to find the proof of a copy, and what they get.
//!
//! Names of fields are those of C2PA. The refusals are Lacre's, because the specification leaves them open. The routes
//! below `/evidence` are Lacre's own; their bodies are in [`evidence`](crate::evidence).

use serde::{Deserialize, Serialize};

use crate::{Refusal, limits};

/// The path below which C2PA's routes are.
pub const BASE_PATH: &str = "/c2pa/v1";

/// The version of C2PA's specification that the API follows.
pub const SPECIFICATION: &str = "2.4.0";

/// The algorithm of the fingerprints, by its name in C2PA's list.
pub const ALGORITHM: &str = "io.iscc.v0";

/// The number of matches that a lookup returns, unless it asks for another one.
pub const DEFAULT_RESULTS: usize = 10;

/// The largest number of matches that a lookup may ask for.
pub const MAX_RESULTS: usize = 1000;

/// The form of a manifest's id, as a regular expression.
#[cfg(feature = "openapi")]
pub(crate) const MANIFEST_ID: &str = "^urn:c2pa:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

/// The media type of a manifest on its own.
pub const MANIFEST_TYPE: &str = "application/c2pa";

/// The media types in which a copy is accepted.
pub const MEDIA_TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];

/// Defines the enum and the properties of each route from one table. A row consists of: variant, method, path,
/// identifier in the OpenAPI document. The doc comment (one line) is the summary there.
macro_rules! routes {
    ($( #[doc = $doc:literal] $variant:ident => $method:literal, $path:literal, $id:literal; )*) => {
        /// A route at `{proofs_url}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Route {
            $( #[doc = $doc] $variant, )*
        }

        impl Route {
            /// All routes.
            pub const ALL: [Self; [$($id),*].len()] = [$( Self::$variant, )*];

            /// The method.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self {$( Self::$variant => $method, )*}
            }

            /// The path, with the parameter, if there is one, in braces.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self {$( Self::$variant => $path, )*}
            }

            /// The `operationId` in the OpenAPI document.
            #[must_use]
            pub const fn operation_id(self) -> &'static str {
                match self {$( Self::$variant => $id, )*}
            }

            /// What the route does, in one sentence.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {$( Self::$variant => $doc.trim_ascii(), )*}
            }
        }
    };
}

routes! {
    /// A backend looks up the code of a copy, in the query.
    ByBinding => "GET", "/c2pa/v1/matches/byBinding", "findByBinding";
    /// A backend looks up the code of a copy, in the body.
    ByBindingInBody => "POST", "/c2pa/v1/matches/byBinding", "findByBindingInBody";
    /// A backend looks up a copy of a photo.
    ByContent => "POST", "/c2pa/v1/matches/byContent", "findByContent";
    /// A backend gets a manifest.
    Manifest => "GET", "/c2pa/v1/manifests/{manifest_id}", "manifest";
    /// A backend gets the files that prove a capture for decades.
    Evidence => "GET", "/evidence/{session_id}", "evidence";
    /// A backend asks which days' evidence was renewed.
    RenewedEvidence => "GET", "/evidence", "renewedEvidence";
    /// A backend gets a dossier: all photos of a reference, with a sealed index.
    Dossier => "POST", "/dossiers", "makeDossier";
    /// Lists the algorithms of soft bindings.
    SupportedAlgorithms => "GET", "/c2pa/v1/services/supportedAlgorithms", "supportedAlgorithms";
    /// States what the service can do.
    Capabilities => "GET", "/c2pa/v1/services/capabilities", "capabilities";
    /// States whether the service works.
    Status => "GET", "/c2pa/v1/services/status", "status";
    /// States where the API is. At the root of the host.
    Discovery => "GET", "/.well-known/c2pa-soft-binding-resolution", "discovery";
}

impl Route {
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
            Self::Evidence => &[
                ApiKeyInvalid,
                ApiKeyWrongPrefix,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                LookupLimitReached { retry_after: 3600 },
                CaptureNotFound,
                EvidencePending { retry_after: 86_400 },
                UpstreamUnavailable,
            ],
            Self::RenewedEvidence => &[
                ApiKeyInvalid,
                ApiKeyWrongPrefix,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                FieldInvalid { field: "profile" },
                LookupLimitReached { retry_after: 3600 },
                UpstreamUnavailable,
            ],
            Self::Dossier => &[
                ApiKeyInvalid,
                ApiKeyWrongPrefix,
                ApiKeyInconsistent,
                ApiKeyRevoked,
                PayloadInvalid,
                ReferenceIdInvalid,
                LookupLimitReached { retry_after: 3600 },
                CaptureNotFound,
                DossierTooLarge,
                SignerRejected,
                SignerUnavailable,
                SignerResponseInvalid,
                UpstreamUnavailable,
            ],
            Self::SupportedAlgorithms | Self::Capabilities | Self::Status | Self::Discovery => &[],
        }
    }
}

/// The value of a soft binding that is looked up.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SoftBindingQuery {
    /// The algorithm.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = ALGORITHM)))]
    pub alg: String,
    /// ISCC units in Base64 with padding, one of which is an Image-Code of 256 bits: the bytes `21 07` and the 32 bytes
    /// of the code (ISO 24138).
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[A-Za-z0-9+/]+={0,2}$"), length(min = 48)))]
    pub value: String,
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
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
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
pub struct ManifestMatch {
    /// The id of the manifest: `urn:c2pa:` and a UUID.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = MANIFEST_ID)))]
    pub manifest_id: String,
    /// From 0 to 100, where 100 is an equal fingerprint.
    #[cfg_attr(feature = "openapi", schemars(range(max = 100)))]
    pub similarity_score: u32,
}

/// The algorithms of soft bindings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SupportedAlgorithms {
    /// Algorithms of watermarks.
    pub watermarks: &'static [Algorithm],
    /// Algorithms of fingerprints.
    pub fingerprints: &'static [Algorithm],
}

impl SupportedAlgorithms {
    /// Those of this service.
    pub const OURS: Self = Self { watermarks: &[], fingerprints: &[Algorithm { alg: ALGORITHM }] };
}

/// An algorithm of C2PA's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Algorithm {
    /// The name.
    pub alg: &'static str,
}

/// What the service can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The version of C2PA's specification.
    pub c2pa_specification_version: &'static str,
    /// The optional parts of the API that exist.
    pub supported_capabilities: &'static [&'static str],
}

impl Capabilities {
    /// Those of this service.
    pub const OURS: Self =
        Self { c2pa_specification_version: SPECIFICATION, supported_capabilities: &["queryByContent"] };
}

/// Whether the service works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct ServiceStatus {
    /// Always `ok`: a service that does not work does not answer.
    pub status: &'static str,
}

impl ServiceStatus {
    /// The only one.
    pub const OK: Self = Self { status: "ok" };
}

/// Where the API is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
pub struct Discovery {
    /// The address of the API, without a trailing slash.
    #[cfg_attr(feature = "openapi", schemars(extend("format" = "uri")))]
    pub api_endpoint: String,
    /// The version of C2PA's specification.
    pub c2pa_specification_version: &'static str,
    /// The address of the capabilities.
    #[cfg_attr(feature = "openapi", schemars(extend("format" = "uri")))]
    pub capabilities_endpoint: String,
    /// The address of the status.
    #[cfg_attr(feature = "openapi", schemars(extend("format" = "uri")))]
    pub status_endpoint: String,
}

impl Discovery {
    /// The addresses at `{proofs_url}`.
    #[must_use]
    pub fn at(proofs_url: &str) -> Self {
        Self {
            api_endpoint: format!("{proofs_url}{BASE_PATH}"),
            c2pa_specification_version: SPECIFICATION,
            capabilities_endpoint: format!("{proofs_url}{}", Route::Capabilities.path()),
            status_endpoint: format!("{proofs_url}{}", Route::Status.path()),
        }
    }
}
