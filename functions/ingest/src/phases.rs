//! The metrics of an ingest: the duration of its phases, the size of the photo, and the signatures that it makes.

use lacre_metrics::{
    Metric,
    Unit::{Bytes, Count, Milliseconds},
};

/// Duration of the checks that do not need the image.
pub const SUBMISSION: Metric = Metric::new("PhaseSubmission", Milliseconds);
/// Duration of consuming the nonce and reading the upload.
pub const IMAGE: Metric = Metric::new("PhaseImage", Milliseconds);
/// Duration of checking the image and reserving the frame.
pub const CHECKS: Metric = Metric::new("PhaseChecks", Milliseconds);
/// Duration of making both signatures, the manifest and the response.
pub const SIGN: Metric = Metric::new("PhaseSign", Milliseconds);
/// Duration of storing the proof and making the reservation permanent.
pub const STORE: Metric = Metric::new("PhaseStore", Milliseconds);
/// Duration of the commit transaction, including its retries after conflicts.
pub const COMMIT: Metric = Metric::new("PhaseCommit", Milliseconds);
/// The metrics of the phases, in order.
pub const ALL: [Metric; 6] = [SUBMISSION, IMAGE, CHECKS, SIGN, STORE, COMMIT];

/// Time spent waiting for timestamp authorities, summed over both timestamps; part of [`SIGN`].
pub const TIMESTAMPS: Metric = Metric::new("TimestampDuration", Milliseconds);
/// Number of timestamps that no authority returned in time or validly.
pub const TIMESTAMPS_MISSING: Metric = Metric::new("TimestampsMissing", Count);
/// Size of the uploaded photo.
pub const PHOTO_BYTES: Metric = Metric::new("PhotoBytes", Bytes);

/// The metrics that count the signatures for one purpose. An alarm compares the counts with the signatures that
/// CloudTrail reports.
#[derive(Clone, Copy)]
pub struct Signatures {
    /// The count of signatures with the seal's key.
    pub seals: Metric,
    /// The count of signatures with the claim's key.
    pub claims: Metric,
}

/// Counts signatures for captures.
pub const OF_CAPTURES: Signatures =
    Signatures { seals: Metric::new("SealsOfCaptures", Count), claims: Metric::new("ClaimsOfCaptures", Count) };
/// Counts signatures of test messages, when operators check whether a profile can sign.
pub const OF_PROBES: Signatures =
    Signatures { seals: Metric::new("SealsOfProbes", Count), claims: Metric::new("ClaimsOfProbes", Count) };
