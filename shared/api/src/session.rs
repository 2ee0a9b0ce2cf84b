//! Sessions: creating, loading, following and reading them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    CaptureResolution, LicenseKeyText, NonceText, Reference, Refusal, Sender, Time, Url, Uuid,
    kit::{KitStep, StepId, StepNote, StepTitle, Translations},
    values::{texts, words},
};

/// A component session to be created.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CreateSession {
    /// The integrator's reference to its case.
    pub reference_id: Reference,
    /// The key of a license of the same client and environment as the API key.
    pub license_key: LicenseKeyText,
}

/// A hosted session to be created.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CreateHostedSession {
    /// The integrator's reference to its case.
    pub reference_id: Reference,
    /// The URL to which the page redirects the browser after the last photo: https without credentials and fragment,
    /// with an origin that is one of the license's `redirect_origins`. In the sandbox also http to localhost and
    /// 127.0.0.1.
    #[cfg_attr(feature = "openapi", schemars(extend("maxLength" = crate::limits::URL_BYTES)))]
    pub redirect_uri: Url,
    /// The URL at which the result is announced, once: https without credentials and fragment, on port 443 or a port
    /// above 1024, and with a host name or a public IP address.
    #[cfg_attr(feature = "openapi", schemars(extend("maxLength" = crate::limits::URL_BYTES)))]
    pub webhook_url: Url,
    /// What to photograph: a profile, or the name of one of the client's kits. A kit's name alone means its current
    /// version; `auto-previa@3` means that version.
    pub profile: ProfileText,
    /// The steps that the session asks for, in the kit's order, if it does not ask for all of them: those that a case
    /// still lacks, or that are to be photographed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = crate::kit::limits::STEPS)))]
    pub steps: Option<Vec<RequestedStep>>,
}

/// A step that a session asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct RequestedStep {
    /// The step's id in its kit.
    pub id: StepId,
    /// What the customer is told about this photo, such as what was wrong with the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<StepNote>,
}

texts! {
    /// `vehicle_inspection`, `real_estate`, `high_value_item`, `demo`, or the name of a kit with or without a version.
    ProfileText as "ProfileText" {
        "pattern": format!("^({}|[a-z][a-z0-9-]{{0,31}}(@[1-9][0-9]{{0,8}})?)$", Profile::ALL.map(Profile::name).join("|")),
        "examples": ["demo", "auto-previa", "auto-previa@3"],
    }
    /// The name and the version of a kit, separated by `@`.
    KitVersionText as "KitVersion" { "pattern": "^[a-z][a-z0-9-]{0,31}@[1-9][0-9]{0,8}$", "examples": ["auto-previa@3"] }
}

/// A new session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CreatedSession {
    /// The session's token, for the page and for the backend.
    pub token: Uuid,
    /// When the token expires, after 30 minutes.
    pub expires_at: Time,
}

/// A loaded session, with the upload URL for the pending photo.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct LoadedSession {
    /// The session's token.
    pub token: Uuid,
    /// The status of the session.
    #[cfg_attr(feature = "openapi", schemars(extend("enum" = ["pending", "partial"])))]
    pub status: SessionStatus,
    /// When the token expires.
    pub expires_at: Time,
    /// The number of photos that the session asks for.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub total_photos: usize,
    /// The number of captured photos.
    pub captured_count: usize,
    /// The place of the pending photo, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The nonce of this load, which one ingest can use.
    pub nonce: NonceText,
    /// The URL to upload the frame to.
    pub upload_url: Url,
    /// Always `PUT`.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = "PUT")))]
    pub upload_method: String,
    /// The headers of the upload. Send exactly these, because the URL's signature covers them.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = {"content-type": "image/jpeg"})))]
    pub upload_headers: BTreeMap<String, String>,
    /// When the upload URL expires, after 5 minutes.
    pub upload_expires_at: Time,
    /// The key of the upload, which the ingest has to repeat.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub image_key: String,
    /// The largest upload that is accepted, in bytes.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub max_asset_bytes: u64,
    /// The resolution to request from the camera.
    pub capture_resolution: CaptureResolution,
    /// The service's time, in milliseconds of the Unix epoch.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = crate::limits::MAX_SAFE_INTEGER)))]
    pub server_time_ms: i64,
    /// Whether the license requires a position. An ingest without one is then refused, so ask the person for it before
    /// the photo.
    #[serde(default)]
    pub position_required: bool,
    /// The profile of a hosted session, or the name of its kit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileText>,
    /// The photos that a hosted session asks for, in order: the first has order 1.
    #[serde(default, skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schemars(extend("x-hosted" = true)))]
    pub steps: Vec<AskedPhoto>,
    /// The shape of a hosted session's pending photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
    /// The URL to which the page of a hosted session redirects the browser after the last photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<Url>,
}

/// A photo that a hosted session asks for, as the page shows it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct AskedPhoto {
    /// The step of the kit.
    pub step: KitStep,
    /// Whether the photo was captured.
    pub state: AskedState,
    /// What the customer is told about this photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<StepNote>,
}

words! {
    /// Whether a photo that a session asks for was captured.
    AskedState {
        /// The photo is still to be taken.
        Pending = "pending",
        /// The photo was captured.
        Captured = "captured",
        /// The customer skipped the photo, which is optional.
        Skipped = "skipped",
    }
}

/// What the page submits to skip a photo. Unknown fields are ignored.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SkipRequest {
    /// The session's token.
    pub token: Uuid,
    /// The nonce from the load, or from the ingest of the photo before. It can be used once.
    pub nonce: NonceText,
    /// The photo that was pending at the load: its place in the session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
}

/// The pending photo of a hosted session, and the upload for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct NextPhoto {
    /// The place of the pending photo, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The number of photos that the session asks for, without the skipped ones.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub total_photos: usize,
    /// The number of captured photos.
    pub captured_count: usize,
    /// The nonce, which one ingest can use.
    pub nonce: NonceText,
    /// The URL to upload the frame to, with the method and the headers of the load.
    pub upload_url: Url,
    /// When the upload URL expires, after 5 minutes.
    pub upload_expires_at: Time,
    /// The key of the upload, which the ingest has to repeat.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub image_key: String,
    /// The service's time, in milliseconds of the Unix epoch.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = crate::limits::MAX_SAFE_INTEGER)))]
    pub server_time_ms: i64,
}

/// The results of a session, or its progress.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SessionResults {
    /// The reference from the creation of the session; `erased` once all photos are erased.
    pub reference_id: String,
    /// The status of the session. Treat other values as unknown.
    pub status: SessionStatus,
    /// The number of photos that the session asks for.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub total_photos: usize,
    /// The number of captured photos.
    pub captured_count: usize,
    /// When the session was created.
    pub created_at: Time,
    /// The photos in order.
    #[cfg_attr(feature = "openapi", schemars(with = "Vec<crate::openapi::PhotoShapes>"))]
    pub photos: Vec<SessionPhoto>,
    /// The profile of a hosted session, or the name of its kit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileText>,
    /// The version of the kit, if the session was created with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kit: Option<KitVersionText>,
}

/// The progress of a hosted session. Nothing in it identifies the session or its photos.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SessionProgress {
    /// The status of the session.
    pub status: SessionStatus,
    /// The number of photos that the session asks for.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub total_photos: usize,
    /// The number of captured photos.
    pub captured_count: usize,
    /// When the token expires.
    pub expires_at: Time,
    /// The version of the kit, if the session was created with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kit: Option<KitVersionText>,
    /// The pending step, if the session was created with a kit or for single steps, and is not concluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What the page shows before the first photo, if the request has `introduction=true`.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub introduction: Option<Introduction>,
}

/// What the page tells the customer before the first photo.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Introduction {
    /// Who asks for the photos; absent if the operator has not said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<Sender>,
    /// The titles of the photos that the session asks for, without the skipped ones.
    pub titles: Vec<Translations<StepTitle>>,
}

/// One place of a session, and its photo. A photo that the customer skipped is not listed.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SessionPhoto {
    /// The photo's place in the session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub order: u32,
    /// The step that the photo was asked for as, if the session was created with a kit or for single steps. It does not
    /// say what the photo shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// The label from the ingest, or empty. The hosted page sends the title of the step.
    pub label: String,
    /// Whether the photo was captured. A pending photo has none of the fields below.
    pub status: PhotoStatus,
    /// The custody of a captured photo. For a withheld photo both URLs are null; an erased one has none of the fields
    /// below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custody: Option<CustodyState>,
    /// The captured photo, unless it is pending or erased.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schemars(skip))]
    pub capture: Option<CapturedPhoto>,
}

/// A captured photo that is not erased.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CapturedPhoto {
    /// The id of the capture. Whoever has it can get the photo, so it is a secret.
    pub session_id: Uuid,
    /// The compass heading in degrees; absent if none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = 360)))]
    pub heading: Option<f64>,
    /// Latitude in degrees north, as sent.
    pub gps_lat: f64,
    /// Longitude in degrees east, as sent.
    pub gps_lon: f64,
    /// Accuracy radius in metres, as sent.
    pub gps_accuracy: f64,
    /// The time of capture by the device's clock, as sent, in milliseconds of the Unix epoch.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = crate::limits::MAX_SAFE_INTEGER)))]
    pub captured_at_ms: i64,
    /// SHA-256 of the frame, in lower case.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub frame_hash_hex: String,
    /// A new URL of the signed JPEG, valid for 7 days; null if the photo is not retained or is withheld.
    pub authenticated_jpeg_url: Option<Url>,
    /// SHA-256 of the signed JPEG, in lower case; absent for photos that were captured before results had this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub authenticated_jpeg_sha256: Option<String>,
    /// A new URL of the C2PA manifest, valid for 7 days; null if the photo is withheld.
    pub manifest_url: Option<Url>,
    /// The proof that the capture is in the transparency log; absent until it is, some seconds after the capture. Keep
    /// it together with the photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = r"^c2sp\.org/tlog-proof@v1\n")))]
    pub transparency_proof: Option<String>,
}

/// Whether a photo was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PhotoStatus {
    /// The photo is still to be taken.
    Pending,
    /// The photo was captured.
    Captured,
}

/// The custody of a captured photo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CustodyState {
    /// The photo is available.
    #[default]
    Held,
    /// The operator withholds the photo, or its client is suspended: its URLs are not renewed.
    Withheld,
    /// The personal data, the photo and its manifest were erased permanently.
    Erased,
}

impl CustodyState {
    /// The name in the API: `held`, `withheld` or `erased`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Withheld => "withheld",
            Self::Erased => "erased",
        }
    }
}

/// The status of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SessionStatus {
    /// No photo was captured yet.
    Pending,
    /// Some photos were captured.
    Partial,
    /// All photos were captured.
    Captured,
    /// The session expired before all photos were captured.
    Expired,
}

/// Defines the profiles from one table. A row consists of: doc comment (one line), variant, name, number of photos,
/// framing.
macro_rules! profiles {
    ($( #[doc = $doc:literal] $variant:ident => $name:literal, $photos:literal, $framing:ident; )*) => {
        /// The photos that a hosted session asks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
        pub enum Profile {
            $( #[doc = $doc] #[serde(rename = $name)] $variant, )*
        }

        impl Profile {
            /// All profiles.
            pub const ALL: [Self; [$($name),*].len()] = [$( Self::$variant, )*];

            /// The name in the API.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$( Self::$variant => $name, )*}
            }

            /// The number of photos.
            #[must_use]
            pub const fn total_photos(self) -> u32 {
                match self {$( Self::$variant => $photos, )*}
            }

            /// The aspect ratio of the photos.
            #[must_use]
            pub const fn framing(self) -> Framing {
                match self {$( Self::$variant => Framing::$framing, )*}
            }
        }
    };
}

profiles! {
    /// A vehicle: three photos in landscape format.
    VehicleInspection => "vehicle_inspection", 3, Landscape;
    /// A property: three photos in portrait format.
    RealEstate => "real_estate", 3, Portrait;
    /// A valuable item: three square photos.
    HighValueItem => "high_value_item", 3, Square;
    /// One square photo.
    Demo => "demo", 1, Square;
}

impl Profile {
    /// Parses a name.
    ///
    /// # Errors
    /// [`Refusal::ProfileInvalid`].
    pub fn parse(name: &str) -> Result<Self, Refusal> {
        Self::ALL.into_iter().find(|profile| profile.name() == name).ok_or(Refusal::ProfileInvalid)
    }
}

words! {
    /// The aspect ratio to which a photo is cropped.
    Framing {
        /// 4:3.
        Landscape = "landscape",
        /// 3:4.
        Portrait = "portrait",
        /// 1:1.
        Square = "square",
    }
}

impl Framing {
    /// The ratio of width to height.
    #[must_use]
    pub const fn ratio(self) -> [u32; 2] {
        match self {
            Self::Landscape => [4, 3],
            Self::Portrait => [3, 4],
            Self::Square => [1, 1],
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn profiles_are_serialized_by_name() {
        for profile in Profile::ALL {
            assert_eq!(Profile::parse(profile.name()), Ok(profile));
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.name());
        }
        for other in ["", "Demo", "vehicle", "demo "] {
            assert_eq!(Profile::parse(other), Err(Refusal::ProfileInvalid), "{other}");
        }
    }
}
