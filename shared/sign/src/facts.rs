//! The facts of a capture that a manifest states, beside the frame and the signatures.

use lacre_domain::{BrowserClaims, CaptureId, GpsResult, RecaptureRisk};
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
    /// The result of the location gate.
    pub gps_result: GpsResult,
    /// The result of the recapture analysis.
    pub recapture_risk: RecaptureRisk,
}
