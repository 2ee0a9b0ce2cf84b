//! What a manifest says about its capture, beside the frame and the signatures.

use domain::{CaptureId, ExtraFrames, GpsResult, Label, Position, RecaptureRisk, StreamSettings, UserAgent};
use proof::assertions::Browser;
use time::OffsetDateTime;

/// The facts of one capture. The environment and whether the seal is ICP-Brasil's are the signers' and not facts, so that
/// no proof can name another environment than the one whose keys signed it.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The capture's identity; never the `session_id`.
    pub capture_id: CaptureId,
    /// The service's time of the ingest.
    pub ingested_at: OffsetDateTime,
    /// The browser's time of the capture, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// The position as the browser reported it.
    pub position: Position,
    /// What the location gate found.
    pub gps_result: GpsResult,
    /// Degrees, when the user did not skip the compass.
    pub heading: Option<f64>,
    /// The label shown to the user.
    pub label: Option<Label>,
    /// The `User-Agent` string as sent; unverified.
    pub user_agent: Option<UserAgent>,
    /// The extra frames' hashes.
    pub extra_frames: ExtraFrames,
    /// The video track's settings.
    pub stream_settings: Option<StreamSettings>,
    /// What the recapture analysis made of the photo.
    pub recapture_risk: RecaptureRisk,
}

impl Facts {
    /// What the browser claims, as the manifest states it.
    pub(crate) fn browser(&self) -> Browser {
        Browser {
            captured_at_ms: self.captured_at_ms,
            gps_lat: self.position.latitude,
            gps_lon: self.position.longitude,
            gps_accuracy: self.position.accuracy,
            heading: self.heading,
            photo_label: self.label.as_ref().map(|label| label.as_str().into()),
            user_agent: self.user_agent.as_ref().map(|agent| agent.as_str().into()),
            extra_frame_hashes: self.extra_frames.hashes().to_vec(),
            media_stream_settings: self.stream_settings,
        }
    }
}
