//! `POST /web/ingest` and `GET /web/image/:session_id`: a capture, and the URL of its photo.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{NextPhoto, NonceText, Sha256Hex, Time, Url, Uuid};

/// What the page submits after it has uploaded a frame. Unknown fields are ignored.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct IngestRequest {
    /// The session's token.
    pub token: Uuid,
    /// The nonce from the load. It can be used once.
    pub nonce: NonceText,
    /// The photo that was pending at the load: its place in the session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The `image_key` from the same load as the nonce.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub image_key: String,
    /// SHA-256 of the uploaded bytes.
    pub frame_hash: Sha256Hex,
    /// SHA-256 of later frames of the camera, all different from each other and from `frame_hash`. Only this and their
    /// format is checked, because the frames themselves are not sent.
    #[cfg_attr(
        feature = "openapi",
        schemars(
            length(min = crate::limits::EXTRA_FRAMES_MIN, max = crate::limits::EXTRA_FRAMES_MAX),
            extend("uniqueItems" = true)
        )
    )]
    pub extra_frame_hashes: Vec<Sha256Hex>,
    /// Latitude in degrees north, as the browser reports it. Exactly `0, 0, 9999` in the three fields means that there
    /// is no position.
    #[cfg_attr(feature = "openapi", schemars(range(min = -90, max = 90)))]
    pub gps_lat: f64,
    /// Longitude in degrees east.
    #[cfg_attr(feature = "openapi", schemars(range(min = -180, max = 180)))]
    pub gps_lon: f64,
    /// Accuracy radius in metres.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0)))]
    pub gps_accuracy: f64,
    /// The device's clock at the shutter, in milliseconds of the Unix epoch: at most 120 s before the nonce was issued,
    /// and at most 120 s after now.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = crate::limits::MAX_SAFE_INTEGER)))]
    pub captured_at_ms: i64,
    /// Claims that the client may omit.
    #[serde(flatten)]
    pub optional: OptionalClaims,
}

/// The optional claims of an [`IngestRequest`].
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct OptionalClaims {
    /// The compass heading in degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = 360)))]
    pub heading: Option<f64>,
    /// A name for the photo in UTF-8, without control and format characters and without `<>&"'` and backtick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(
            length(max = crate::limits::LABEL_BYTES),
            regex(pattern = r#"^[^<>&"'`\x00-\x1f\x7f-\x9f\u2028\u2029]*$"#)
        )
    )]
    pub label: Option<String>,
    /// The browser's `navigator.userAgent`. It is signed without control and format characters, cut at 512 bytes. A
    /// `User-Agent` header that differs is recorded; it never causes a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// Telemetry of the camera's video track: `width`, `height` and `frameRate`. No value causes a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(with = "serde_json::Value", example = serde_json::json!({"width": 1920, "height": 1080, "frameRate": 30}))
    )]
    pub media_stream_settings: Option<BTreeMap<String, f64>>,
}

/// A photo that was signed and recorded, with the signed JPEG.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct IngestedPhoto {
    /// What is said of the photo.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The signed JPEG. If the license does not retain photos, this is the only copy.
    #[cfg_attr(
        feature = "openapi",
        schemars(extend("contentEncoding" = "base64", "contentMediaType" = "image/jpeg"))
    )]
    pub signed_image_base64: String,
}

/// A photo that was signed and recorded, with its manifest: the response to a request with `x-svc-photo: manifest`. The
/// page has the frame, and puts the manifest into it.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct IngestedManifest {
    /// What is said of the photo.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The C2PA manifest, which `manifest_url` leads to as well.
    #[cfg_attr(
        feature = "openapi",
        schemars(extend("contentEncoding" = "base64", "contentMediaType" = "application/c2pa"))
    )]
    pub manifest_base64: String,
    /// SHA-256 of the signed JPEG, in lower-case hexadecimal: of the frame with the manifest in it.
    pub authenticated_jpeg_sha256: String,
}

/// What both responses to an ingest say of the photo.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Receipt {
    /// The id of the capture. Whoever has it can get the photo, so it is a secret.
    pub session_id: Uuid,
    /// The photo's place in the session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The URL of the signed JPEG, valid for 7 days; null if the license does not retain photos.
    pub authenticated_jpeg_url: Option<Url>,
    /// The URL of the C2PA manifest, valid for 7 days: fetch the manifest and keep it.
    pub manifest_url: Url,
    /// Whether all photos of the session are captured.
    pub complete: bool,
    /// In a hosted session, the photo that is pending now, so that the page needs no load for it. If it is absent
    /// although the session is not complete, load the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(extend("x-hosted" = true)))]
    pub next: Option<NextPhoto>,
}

/// A new URL of a retained photo.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct RenewedImage {
    /// The id of the capture.
    pub session_id: Uuid,
    /// The URL of the signed JPEG.
    pub authenticated_jpeg_url: Url,
    /// When the URL expires, after 7 days.
    pub expires_at: Time,
}

/// The risk that a photo shows a screen, by the recapture analysis; lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum RecaptureRisk {
    /// No sign of a screen.
    None,
    /// Inconclusive or not analysed. Never causes a refusal.
    #[default]
    Unknown,
    /// Strong evidence of a screen.
    High,
}
