//! Captures as operators see them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ClientId, Cursor, Digest, LicenseId, LimitText, Month};
use crate::{
    CustodyState, Environment, GpsMode, RecaptureGate, RecaptureRisk, StoreAssetPolicy, Time,
    kit::{KitName, StepId},
    values::words,
};

words! {
    /// The result of the location check, which is signed into the manifest.
    GpsResult {
        /// The license does not check positions.
        NotChecked = "NOT_CHECKED",
        /// The browser sent no position, and the license does not require one.
        NotObtained = "NOT_OBTAINED",
        /// The browser sent a position, and the license does not evaluate it.
        Observed = "OBSERVED",
        /// The browser sent a position that is as accurate as the license requires.
        Accepted = "ACCEPTED",
    }
}

/// The search for captures, by either `reference_id` or `frame_hash`.
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
    /// Maximum number of entries on the page.
    pub limit: Option<LimitText>,
    /// The `next` of the previous page of the same list.
    pub cursor: Option<Cursor>,
}

/// The step of a client's kit that a photo was asked for as: what the customer was asked to photograph, never what the photo
/// shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "AskedFor", deny_unknown_fields))]
pub struct AskedForView {
    /// The name of the kit.
    pub kit: KitName,
    /// The version of the kit.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = 999_999_999)))]
    pub version: u32,
    /// SHA-256 of the kit's canonical JSON.
    pub sha256: Digest,
    /// The id of the step.
    pub step: StepId,
}

/// The record of a capture, without personal data and storage locations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Capture", deny_unknown_fields))]
pub struct CaptureView {
    /// The id of the capture: the SHA-256 of its `session_id`.
    pub capture_id: Digest,
    /// The custody of the capture.
    pub state: CustodyState,
    /// The environment of the license.
    pub environment: Environment,
    /// The client that the license belongs to.
    pub client_id: ClientId,
    /// The license under which the photo was captured.
    pub license_id: LicenseId,
    /// The month in which the capture counts against the volume limit.
    pub month: Month,
    /// The photo's place in its session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The step of a client's kit that the photo was asked for as; absent if the session had no such kit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_for: Option<AskedForView>,
    /// The origin of the page that captured the photo.
    pub origin: String,
    /// SHA-256 of the frame.
    pub frame_hash: Digest,
    /// The frame's size in bytes.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub frame_bytes: u64,
    /// The license's location policy.
    pub gps_mode: GpsMode,
    /// The result of the location check.
    pub gps_result: GpsResult,
    /// When the service processed the ingest, by its own clock.
    pub ingested_at: Time,
    /// The license's policy on photos of a screen.
    pub recapture_gate: RecaptureGate,
    /// The result of the recapture analysis.
    pub recapture_risk: RecaptureRisk,
    /// The scores from which the risk was concluded, by name.
    pub recapture_scores: BTreeMap<String, f64>,
    /// The license's threshold at the time of the capture; absent if the photo was not analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recapture_threshold: Option<f64>,
    /// The version of the signer profile that signed the photo.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub signer_version: u32,
    /// The OID of the signature policy that the ICP-Brasil signature names.
    pub signature_policy: String,
    /// The version of the service that checked and signed the photo.
    pub service_version: String,
    /// Whether the seal was made with a certificate of ICP-Brasil.
    pub icp_brasil: bool,
    /// SHA-256 of the manifest.
    pub manifest_sha256: Digest,
    /// SHA-256 of the signed JPEG.
    pub jpeg_sha256: Digest,
    /// The license's storage policy at the time of the capture.
    pub store_asset_policy: StoreAssetPolicy,
    /// The capture's entry in the transparency log, a salted hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_entry: Option<Digest>,
    /// The custody acts of operators, oldest first; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub acts: Vec<ActView>,
}

/// The captures that a copy of a photo may show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CopyMatches {
    /// The captures, the most similar first.
    #[cfg_attr(feature = "openapi", schemars(length(max = super::limits::PAGE_ENTRIES_MAX)))]
    pub matches: Vec<CopyMatch>,
    /// Whether captures may be missing, because too many photos look like the copy.
    pub truncated: bool,
}

/// A capture that a copy of a photo may show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CopyMatch {
    /// The similarity of the fingerprints, from 0 to 100, where 100 is an equal one.
    #[cfg_attr(feature = "openapi", schemars(range(max = 100)))]
    pub similarity_score: u32,
    /// The capture.
    pub capture: CaptureView,
}

/// A custody act of an operator on a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Act", deny_unknown_fields))]
pub struct ActView {
    /// The state that the act led to.
    pub state: CustodyState,
    /// When the act took place, by the service's clock.
    pub at: Time,
    /// The operator's reason.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = super::limits::REASON_CHARS)))]
    pub reason: String,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
}
