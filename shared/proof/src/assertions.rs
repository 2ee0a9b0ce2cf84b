//! The labels of a manifest's assertions, and the types of Lacre's own assertions. `docs/reference/manifest.md`
//! documents every field.
//!
//! The service vouches for the created assertions. The gathered one, `br.lacre.browser`, contains what the browser
//! claims.

use lacre_domain::{
    AskedFor, BrowserClaims, CaptureId, Environment, FrameHash, GpsResult, RecaptureRisk, StreamSettings,
};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use time::OffsetDateTime;

/// The version of Lacre's own assertions, which [`CaptureAssertion`] states for all of them. C2PA's own versioning, a
/// suffix of the label, cannot be used because the C2PA library drops it.
pub const VERSION: u64 = 1;

/// The label of the actions.
pub const ACTIONS: &str = "c2pa.actions.v2";
/// The label of [`CaptureAssertion`].
pub const CAPTURE: &str = "br.lacre.capture";
/// The label of [`SealAssertion`].
pub const SEAL: &str = "br.lacre.seal";
/// The label of [`BrowserAssertion`].
pub const BROWSER: &str = "br.lacre.browser";
/// The label of C2PA's hard binding.
pub const HARD_BINDING: &str = "c2pa.hash.data";

/// The name of the claim generator.
pub const GENERATOR: &str = "Lacre";
/// The version of the C2PA specification that manifests follow.
pub const SPEC_VERSION: &str = "2.4.0";
/// The assurance level that every proof states. It is not C2PA's certificate assurance level.
pub const ASSURANCE_LEVEL: &str = "fraud_deterrence";
/// The media type of a detached CMS signature.
pub const SEAL_MEDIA_TYPE: &str = "application/pkcs7-signature";
/// The C2PA action that every photo states: it was created.
pub const CREATED: &str = "c2pa.created";
/// The assertions of every proof in order, each with whether it is a created one, for which the service vouches.
pub const ASSERTIONS: [(&str, bool); 5] =
    [(ACTIONS, true), (CAPTURE, true), (SEAL, true), (BROWSER, false), (HARD_BINDING, true)];

/// The name that C2PA libraries give to the excluded range of the hard binding.
pub const EXCLUSION_NAME: &str = "jumbf manifest";
/// The only hash algorithm in claims.
pub const SHA_256: &str = "sha256";

/// The statements of the service about a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureAssertion {
    /// Always [`VERSION`].
    pub version: u64,
    /// Always `fraud_deterrence`.
    pub assurance_level: String,
    /// The public id of the capture, which gives access to nothing.
    pub capture_id: CaptureId,
    /// The environment whose keys signed the proof.
    pub environment: Environment,
    /// SHA-256 of the frame.
    pub frame_hash: FrameHash,
    /// When the service processed the ingest, by its own clock: RFC 3339 in UTC with milliseconds.
    pub ingested_at: String,
    /// The result of the location check.
    pub gps_result: GpsResult,
    /// The risk that the recapture analysis assigned to the photo.
    pub recapture_risk: RecaptureRisk,
    /// Whether the seal's certificate chain is ICP-Brasil's. `false` for a development hierarchy.
    pub icp_brasil: bool,
    /// The step of a client's kit that the photo was asked for as, by the service's word; it says nothing about what the
    /// photo shows. `None` if the session was not created with such a kit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_for: Option<AskedFor>,
}

/// The seal: the CAdES signature over the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealAssertion {
    /// The OID of the signature policy.
    pub policy: String,
    /// Always [`SEAL_MEDIA_TYPE`].
    pub media_type: String,
    /// The signature: a CMS `ContentInfo` in DER.
    pub signature: ByteBuf,
}

/// What the browser claims about a capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrowserAssertion {
    /// The browser's time of the capture, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// Latitude in degrees north; 0 if no position was obtained.
    pub gps_lat: f64,
    /// Longitude in degrees east; 0 if no position was obtained.
    pub gps_lon: f64,
    /// Accuracy radius in metres; 9999 if no position was obtained.
    pub gps_accuracy: f64,
    /// The compass heading in degrees; `None` if the user skipped the compass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<f64>,
    /// The label that the page showed to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo_label: Option<String>,
    /// The user agent that the page states, unverified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// SHA-256 of the frames that followed the main frame.
    pub extra_frame_hashes: Vec<FrameHash>,
    /// The settings of the camera's video track.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_stream_settings: Option<StreamSettings>,
}

impl From<&BrowserClaims> for BrowserAssertion {
    fn from(claims: &BrowserClaims) -> Self {
        Self {
            captured_at_ms: claims.captured_at_ms,
            gps_lat: claims.position.latitude,
            gps_lon: claims.position.longitude,
            gps_accuracy: claims.position.accuracy,
            heading: claims.heading,
            photo_label: claims.label.as_ref().map(|label| label.as_str().into()),
            user_agent: claims.user_agent.as_ref().map(|agent| agent.as_str().into()),
            extra_frame_hashes: claims.extra_frames.hashes().to_vec(),
            media_stream_settings: claims.stream_settings,
        }
    }
}

impl BrowserAssertion {
    /// The browser's time of the capture; `None` if it is out of range.
    pub fn captured_at(&self) -> Option<OffsetDateTime> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.captured_at_ms) * 1_000_000).ok()
    }
}
