//! What a manifest says about its capture, beside the frame and the signatures.

use domain::{CaptureId, ExtraFrames, GpsResult, Label, Position, RecaptureRisk, StreamSettings, UserAgent};
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
    /// The browser's own word on itself.
    pub user_agent: Option<UserAgent>,
    /// The extra frames' hashes.
    pub extra_frames: ExtraFrames,
    /// The video track's settings.
    pub stream_settings: Option<StreamSettings>,
    /// What the recapture analysis made of the photo.
    pub recapture_risk: RecaptureRisk,
}
