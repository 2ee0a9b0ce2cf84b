//! What the service records of a refused photo.

use lacre_api::Refusal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{FrameHash, KeyHash};

/// A photo that an ingest refused: when, why and in which session, but neither the picture nor anything that the browser
/// says about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPhoto {
    /// The hash of the session's token, by which refused and captured photos of one session are recognized.
    pub session: KeyHash,
    /// When the session was created, in whole seconds.
    #[serde(with = "time::serde::timestamp")]
    pub session_created_at: OffsetDateTime,
    /// When the ingest arrived, in whole milliseconds.
    #[serde(with = "crate::exact::millis")]
    pub at: OffsetDateTime,
    /// The place in the session for which the page sent the photo, from 1; `None` if the session has no such place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo_order: Option<u32>,
    /// The name of the refusal ([`Refusal::name`]).
    pub reason: String,
    /// The hash of the frame that the page announced; `None` if it announced none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_hash: Option<FrameHash>,
}

impl RefusedPhoto {
    /// Whether a refusal concerns the photo or its session. All others are failures of the service, which the page repeats.
    #[must_use]
    pub fn is_recorded(refusal: Refusal) -> bool {
        refusal.status() < 500
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_the_service_are_none() {
        assert!(RefusedPhoto::is_recorded(Refusal::RecaptureDetected));
        assert!(!RefusedPhoto::is_recorded(Refusal::SignerUnavailable));
    }
}
