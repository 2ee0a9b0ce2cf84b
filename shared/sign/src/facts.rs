//! The facts about a capture that a manifest states, besides the frame and the signatures.

use lacre_domain::{AskedFor, BrowserClaims, CaptureId, GpsResult, RecaptureRisk};
use time::OffsetDateTime;

/// The facts about one capture. The environment, and whether the seal is ICP-Brasil's, come from the signers instead,
/// so that a proof cannot name another environment than the one whose keys signed it.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The public id of the capture, not its `session_id`.
    pub capture_id: CaptureId,
    /// When the service processed the ingest, by its own clock.
    pub ingested_at: OffsetDateTime,
    /// What the browser claims about the capture.
    pub claims: BrowserClaims,
    /// The result of the location check.
    pub gps_result: GpsResult,
    /// The risk that the recapture analysis assigned to the photo.
    pub recapture_risk: RecaptureRisk,
    /// The step of a client's kit that the photo was asked for as; `None` if the session had no such kit.
    pub asked_for: Option<AskedFor>,
}
