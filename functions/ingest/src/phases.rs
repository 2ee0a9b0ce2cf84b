//! The metrics of an ingest: the duration of its phases, the size of the photo, and the signatures that it makes.

use lacre_metrics::{
    Metric,
    Unit::{Bytes, Count, Milliseconds},
};

/// Everything that is checked without the image.
pub const SUBMISSION: Metric = Metric::new("PhaseSubmission", Milliseconds);
/// The nonce beside the upload.
pub const IMAGE: Metric = Metric::new("PhaseImage", Milliseconds);
/// The image's checks and the gates beside the reservation.
pub const CHECKS: Metric = Metric::new("PhaseChecks", Milliseconds);
/// Both signatures, the manifest, the answer.
pub const SIGN: Metric = Metric::new("PhaseSign", Milliseconds);
/// The proof beside the mark on the reservation.
pub const STORE: Metric = Metric::new("PhaseStore", Milliseconds);
/// The transaction, tried again while it meets others.
pub const COMMIT: Metric = Metric::new("PhaseCommit", Milliseconds);
/// The phases, in their order.
pub const ALL: [Metric; 6] = [SUBMISSION, IMAGE, CHECKS, SIGN, STORE, COMMIT];

/// Waiting for timestamp authorities, for both timestamps together: a part of [`SIGN`].
pub const TIMESTAMPS: Metric = Metric::new("TimestampDuration", Milliseconds);
/// Timestamps that no authority gave.
pub const TIMESTAMPS_MISSING: Metric = Metric::new("TimestampsMissing", Count);
/// The photo as it was uploaded.
pub const PHOTO_BYTES: Metric = Metric::new("PhotoBytes", Bytes);

/// The counts of signatures that are made for one purpose. An alarm compares them with those that CloudTrail reports.
#[derive(Clone, Copy)]
pub struct Signatures {
    /// Those of the seal's key.
    pub seals: Metric,
    /// Those of the claim's key.
    pub claims: Metric,
}

/// Signatures of captures.
pub const OF_CAPTURES: Signatures =
    Signatures { seals: Metric::new("SealsOfCaptures", Count), claims: Metric::new("ClaimsOfCaptures", Count) };
/// Signatures of test messages, when operators ask whether a profile can sign.
pub const OF_PROBES: Signatures =
    Signatures { seals: Metric::new("SealsOfProbes", Count), claims: Metric::new("ClaimsOfProbes", Count) };
