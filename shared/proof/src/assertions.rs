//! The labels of a manifest's assertions, and the assertions that are Lacre's own. `docs/reference/manifest.md` documents every field.
//!
//! The service vouches for the created assertions; the gathered one, `br.lacre.browser`, is what the browser claims.

use lacre_domain::{BrowserClaims, CaptureId, Environment, FrameHash, GpsResult, RecaptureRisk, StreamSettings};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use time::OffsetDateTime;

/// The version of the assertions that are Lacre's own, which [`CaptureAssertion`] states for all of them. C2PA's own way, a suffix of
/// the label, is closed: the C2PA library drops it.
pub const VERSION: u64 = 1;

/// The label of the actions.
pub const ACTIONS: &str = "c2pa.actions.v2";
/// The label of [`CaptureAssertion`].
pub const CAPTURE: &str = "br.lacre.capture";
/// The label of [`SealAssertion`].
pub const SEAL: &str = "br.lacre.seal";
/// The label of [`BrowserAssertion`].
pub const BROWSER: &str = "br.lacre.browser";
/// The label of the hard binding.
pub const HARD_BINDING: &str = "c2pa.hash.data";

/// The claim generator.
pub const GENERATOR: &str = "Lacre";
/// The version of the C2PA specification that manifests follow.
pub const SPEC_VERSION: &str = "2.4.0";
/// The proof's assurance tier. It is not C2PA's own certificate assurance level.
pub const ASSURANCE_LEVEL: &str = "fraud_deterrence";
/// A detached CMS signature.
pub const SEAL_MEDIA_TYPE: &str = "application/pkcs7-signature";
/// The action of the photo: it was created.
pub const CREATED: &str = "c2pa.created";
/// The assertions of every proof in the order in which they stand, and whether the service vouches for them.
pub const ASSERTIONS: [(&str, bool); 5] =
    [(ACTIONS, true), (CAPTURE, true), (SEAL, true), (BROWSER, false), (HARD_BINDING, true)];

/// The name that C2PA's libraries give to the exclusion.
pub const EXCLUSION_NAME: &str = "jumbf manifest";
/// The one hash algorithm.
pub const SHA_256: &str = "sha256";

/// The statements of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureAssertion {
    /// [`VERSION`].
    pub version: u64,
    /// `fraud_deterrence`.
    pub assurance_level: String,
    /// The capture's identity, which opens nothing.
    pub capture_id: CaptureId,
    /// The environment whose keys signed.
    pub environment: Environment,
    /// SHA-256 of the frame.
    pub frame_hash: FrameHash,
    /// The service's time, RFC 3339 in UTC with milliseconds.
    pub ingested_at: String,
    /// The result of the location gate.
    pub gps_result: GpsResult,
    /// The result of the recapture analysis.
    pub recapture_risk: RecaptureRisk,
    /// Whether the seal is ICP-Brasil's, and not of a development hierarchy.
    pub icp_brasil: bool,
}

/// The CAdES signature over the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealAssertion {
    /// The signature policy's identifier.
    pub policy: String,
    /// [`SEAL_MEDIA_TYPE`].
    pub media_type: String,
    /// A CMS `ContentInfo` in DER.
    pub signature: ByteBuf,
}

/// What the browser claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrowserAssertion {
    /// The browser's time of the capture, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// Degrees north; 0 when no position was obtained.
    pub gps_lat: f64,
    /// Degrees east; 0 when no position was obtained.
    pub gps_lon: f64,
    /// Metres; 9999 when no position was obtained.
    pub gps_accuracy: f64,
    /// Degrees, when the user did not skip the compass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<f64>,
    /// The label shown to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo_label: Option<String>,
    /// The `User-Agent` string as sent; unverified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// SHA-256 of the frames that followed the main one.
    pub extra_frame_hashes: Vec<FrameHash>,
    /// The video track's settings.
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
    /// The browser's time of the capture, where it is one.
    pub fn captured_at(&self) -> Option<OffsetDateTime> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.captured_at_ms) * 1_000_000).ok()
    }
}
