//! The webhook that announces a hosted session whose photos are all captured.

use serde::{Deserialize, Serialize};

use crate::{KitVersionText, RecaptureRisk, Time, Url, Uuid, kit::StepId, limits};

/// The body of the webhook. The fields before `photos` describe the last photo.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SessionCaptured {
    /// The id of the last capture. Whoever has it can get the photo, so it is a secret.
    pub session_id: Uuid,
    /// The reference from the creation of the session.
    pub reference_id: String,
    /// Always `signed`.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = "signed")))]
    pub status: String,
    /// The URL of the signed JPEG, valid for 7 days; null if the license does not retain photos.
    pub authenticated_jpeg_url: Option<Url>,
    /// When the last photo was signed.
    pub processed_at: Time,
    /// Whether the seal was made with a certificate of ICP-Brasil.
    pub icp_brasil: bool,
    /// The highest risk of all photos.
    pub recapture_risk: RecaptureRisk,
    /// The version of the kit, if the session was created with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kit: Option<KitVersionText>,
    /// All photos that are not erased, in order.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub photos: Vec<AnnouncedPhoto>,
}

/// A photo of the session.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AnnouncedPhoto {
    /// The photo's place in the session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub order: u32,
    /// The step that the photo was asked for as, if the session was created with a kit or for single steps. It does not
    /// say what the photo shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// The label from the ingest, if the session was created with a kit or for single steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The id of the capture. Whoever has it can get the photo, so it is a secret.
    pub session_id: Uuid,
    /// The URL of the signed JPEG, valid for 7 days; null if the photo is not retained or is withheld.
    pub authenticated_jpeg_url: Option<Url>,
    /// The URL of the C2PA manifest, valid for 7 days; null if the photo is withheld.
    pub manifest_url: Option<Url>,
    /// SHA-256 of the frame, in lower case.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub frame_hash_hex: String,
    /// The risk that the photo shows a screen.
    pub recapture_risk: RecaptureRisk,
}

impl SessionCaptured {
    /// Whether a body is within the size that receivers are promised.
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
