//! What a manifest says about its capture, beside the frame and the signatures.

use domain::{BrowserClaims, CaptureId, GpsResult, RecaptureRisk};
use time::OffsetDateTime;

/// The facts of one capture. The environment and whether the seal is ICP-Brasil's are the signers' and not facts, so that
/// no proof can name another environment than the one whose keys signed it.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The capture's identity; never the `session_id`.
    pub capture_id: CaptureId,
    /// The service's time of the ingest.
    pub ingested_at: OffsetDateTime,
    /// What the browser claims.
    pub claims: BrowserClaims,
    /// What the location gate found.
    pub gps_result: GpsResult,
    /// What the recapture analysis made of the photo.
    pub recapture_risk: RecaptureRisk,
}
