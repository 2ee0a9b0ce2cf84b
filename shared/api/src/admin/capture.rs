//! Captures as operators find them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ClientId, Cursor, Digest, LicenseId, LimitText, Month};
use crate::{CustodyState, Environment, GpsMode, RecaptureGate, RecaptureRisk, StoreAssetPolicy, Time, values::words};

words! {
    /// What the location gate found; signed into the manifest.
    GpsResult {
        /// The license does not look at positions.
        NotChecked = "NOT_CHECKED",
        /// The browser gave no position, and the license does not ask for one.
        NotObtained = "NOT_OBTAINED",
        /// The browser gave a position, and the license does not judge it.
        Observed = "OBSERVED",
        /// The browser gave a position as accurate as the license asks.
        Accepted = "ACCEPTED",
    }
}

/// What is known of the captures that are looked for: either `reference_id` or `frame_hash`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaptureParameters {
    /// The integrator's reference to its case.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = crate::limits::REFERENCE_ID_BYTES)))]
    pub reference_id: Option<String>,
    /// SHA-256 of the frame.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<Digest>"))]
    pub frame_hash: Option<String>,
    /// Most entries of the page.
    pub limit: Option<LimitText>,
    /// The `next` of the page before, of the same list.
    pub cursor: Option<Cursor>,
}

/// The record of a capture, without personal data and without places in storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Capture", deny_unknown_fields))]
pub struct CaptureView {
    /// Its identity: the SHA-256 of its `session_id`.
    pub capture_id: Digest,
    /// What became of it.
    pub state: CustodyState,
    /// The environment of the license.
    pub environment: Environment,
    /// The client.
    pub client_id: ClientId,
    /// The license.
    pub license_id: LicenseId,
    /// The month in which it counts.
    pub month: Month,
    /// Its position in its session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The origin of the page that captured.
    pub origin: String,
    /// SHA-256 of the frame.
    pub frame_hash: Digest,
    /// The frame's size in bytes.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub frame_bytes: u64,
    /// The license's rule on positions.
    pub gps_mode: GpsMode,
    /// What the location gate found.
    pub gps_result: GpsResult,
    /// The service's time of the ingest.
    pub ingested_at: Time,
    /// The license's rule on photos of a screen.
    pub recapture_gate: RecaptureGate,
    /// The result of the recapture analysis.
    pub recapture_risk: RecaptureRisk,
    /// The scores behind the risk, by name.
    pub recapture_scores: BTreeMap<String, f64>,
    /// The threshold of the license at that time; absent where nothing was analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recapture_threshold: Option<f64>,
    /// The version of the signer profile that signed.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub signer_version: u32,
    /// The OID of the signature policy that the ICP-Brasil signature names.
    pub signature_policy: String,
    /// The version of the service, whose checks the photo passed.
    pub service_version: String,
    /// Whether the seal is made with a certificate of ICP-Brasil.
    pub icp_brasil: bool,
    /// SHA-256 of the manifest.
    pub manifest_sha256: Digest,
    /// SHA-256 of the signed JPEG.
    pub jpeg_sha256: Digest,
    /// The license's storage policy at that time.
    pub store_asset_policy: StoreAssetPolicy,
    /// What the transparency log holds of the capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_entry: Option<Digest>,
    /// What operators did with it, the first act first; absent where they did nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub acts: Vec<ActView>,
}

/// An operator's act on a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Act", deny_unknown_fields))]
pub struct ActView {
    /// The state that it led to.
    pub state: CustodyState,
    /// The service's time of the act.
    pub at: Time,
    /// Why.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::REASON_CHARS)))]
    pub reason: String,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
}
