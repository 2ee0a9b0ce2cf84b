//! The labels of a manifest's assertions, and the assertions that are Lacre's own. `docs/manifest.md` documents every field.
//!
//! The service vouches for the created assertions; the gathered one, `br.lacre.browser`, is what the browser claims.

use domain::{CaptureId, Environment, FrameHash, GpsResult, RecaptureRisk, StreamSettings};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use time::{OffsetDateTime, UtcOffset, macros::format_description};

use crate::Facts;

/// The label of the actions.
pub(crate) const ACTIONS: &str = "c2pa.actions.v2";
/// The label of [`Capture`].
pub(crate) const CAPTURE: &str = "br.lacre.capture";
/// The label of [`Seal`].
pub(crate) const SEAL: &str = "br.lacre.seal";
/// The label of [`Browser`].
pub(crate) const BROWSER: &str = "br.lacre.browser";
/// The label of the hard binding.
pub(crate) const HARD_BINDING: &str = "c2pa.hash.data";

/// Who makes the claims.
pub(crate) const GENERATOR: &str = "Lacre";
/// The version of the C2PA specification that manifests follow.
pub(crate) const SPEC_VERSION: &str = "2.4.0";
/// The proof's assurance tier. It is not C2PA's own certificate assurance level.
pub(crate) const ASSURANCE_LEVEL: &str = "fraud_deterrence";
/// A detached CMS signature.
pub(crate) const SEAL_MEDIA_TYPE: &str = "application/pkcs7-signature";
/// What happened to the photo: it was created, and that is all.
pub(crate) const CREATED: &str = "c2pa.created";
/// The assertions of every proof in the order in which they stand, and whether the service vouches for them.
pub(crate) const ASSERTIONS: [(&str, bool); 5] =
    [(ACTIONS, true), (CAPTURE, true), (SEAL, true), (BROWSER, false), (HARD_BINDING, true)];

/// The name that C2PA's libraries give to the exclusion.
pub(crate) const EXCLUSION_NAME: &str = "jumbf manifest";
/// The one hash algorithm.
pub(crate) const SHA_256: &str = "sha256";

/// What the service vouches for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
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
    /// What the location gate found.
    pub gps_result: GpsResult,
    /// What the recapture analysis made of the photo.
    pub recapture_risk: RecaptureRisk,
    /// Whether the seal is ICP-Brasil's, and not of a development hierarchy.
    pub icp_brasil: bool,
}

/// The CAdES signature over the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seal {
    pub(crate) policy: String,
    pub(crate) media_type: String,
    pub(crate) signature: ByteBuf,
}

/// What the browser claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Browser {
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
    /// The browser's own word on itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// SHA-256 of the frames that followed the main one.
    pub extra_frame_hashes: Vec<FrameHash>,
    /// The video track's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_stream_settings: Option<StreamSettings>,
}

impl Browser {
    /// The browser's time of the capture, where it is one.
    pub(crate) fn captured_at(&self) -> Option<OffsetDateTime> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.captured_at_ms) * 1_000_000).ok()
    }

    pub(crate) fn of(facts: &Facts) -> Self {
        Self {
            captured_at_ms: facts.captured_at_ms,
            gps_lat: facts.position.latitude,
            gps_lon: facts.position.longitude,
            gps_accuracy: facts.position.accuracy,
            heading: facts.heading,
            photo_label: facts.label.as_ref().map(|label| label.as_str().into()),
            user_agent: facts.user_agent.as_ref().map(|agent| agent.as_str().into()),
            extra_frame_hashes: facts.extra_frames.hashes().to_vec(),
            media_stream_settings: facts.stream_settings,
        }
    }
}

/// RFC 3339 in UTC, always with three digits of milliseconds.
pub(crate) fn timestamp(at: OffsetDateTime) -> Option<String> {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    at.checked_to_offset(UtcOffset::UTC)?.format(format).ok()
}
