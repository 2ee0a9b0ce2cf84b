//! The webhook that announces a hosted session whose photos are all captured.

use serde::{Deserialize, Serialize};

use crate::{RecaptureRisk, Time, Url, Uuid, limits};

/// The body of the webhook. The fields before `photos` are those of the last photo.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SessionCaptured {
    /// Identifies the last capture, and opens its photo.
    pub session_id: Uuid,
    /// As given at the creation.
    pub reference_id: String,
    /// `signed`.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = "signed")))]
    pub status: String,
    /// The signed JPEG. The URL works for 7 days; null where the license does not retain photos.
    pub authenticated_jpeg_url: Option<Url>,
    /// When the last photo was signed.
    pub processed_at: Time,
    /// Whether the seal is made with a certificate of ICP-Brasil.
    pub icp_brasil: bool,
    /// The highest risk of all photos.
    pub recapture_risk: RecaptureRisk,
    /// Every photo that is not erased, in its order.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub photos: Vec<AnnouncedPhoto>,
}

/// A photo of the session.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AnnouncedPhoto {
    /// Its position in the session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub order: u32,
    /// Identifies the capture, and opens its photo.
    pub session_id: Uuid,
    /// The signed JPEG. The URL works for 7 days; null where the photo is not retained or is withheld.
    pub authenticated_jpeg_url: Option<Url>,
    /// The C2PA manifest. The URL works for 7 days; null where the photo is withheld.
    pub manifest_url: Option<Url>,
    /// SHA-256 of the frame, in lower case.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub frame_hash_hex: String,
    /// The risk that the photo is one of a screen.
    pub recapture_risk: RecaptureRisk,
}

impl SessionCaptured {
    /// Whether a body is not larger than a receiver is promised.
    #[must_use]
    pub fn admits(body: &[u8]) -> bool {
        body.len() <= limits::WEBHOOK_BODY_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_body_is_admitted() {
        let (largest, larger) = (vec![0; limits::WEBHOOK_BODY_BYTES], vec![0; limits::WEBHOOK_BODY_BYTES + 1]);
        assert!(SessionCaptured::admits(&largest) && !SessionCaptured::admits(&larger));
    }
}
