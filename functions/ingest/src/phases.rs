//! What an ingest measures of itself: where its time goes, and how large the photo is.

use metrics::{Metric, Unit::Bytes, Unit::Milliseconds};

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

/// The photo as it was uploaded.
pub const PHOTO_BYTES: Metric = Metric::new("PhotoBytes", Bytes);
