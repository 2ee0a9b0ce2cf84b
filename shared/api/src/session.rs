//! Sessions: how one is created, loaded, followed and read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{CaptureResolution, LicenseKeyText, NonceText, Reference, Refusal, Time, Url, Uuid, values::words};

/// A session of the component, as a backend orders it.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CreateSession {
    /// The integrator's reference to its case.
    pub reference_id: Reference,
    /// The key of a license of the same client and environment as the API key.
    pub license_key: LicenseKeyText,
}

/// A hosted session, as a backend orders it.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CreateHostedSession {
    /// The integrator's reference to its case.
    pub reference_id: Reference,
    /// Where the page sends the browser after the last photo: https without credentials and fragment, and its origin is
    /// one of the license's `redirect_origins`. In the sandbox also http to localhost and 127.0.0.1.
    #[cfg_attr(feature = "openapi", schemars(extend("maxLength" = crate::limits::URL_BYTES)))]
    pub redirect_uri: Url,
    /// Where the result is announced, once: https without credentials and fragment, on port 443 or one above 1024, and
    /// not at an IP address that is not public.
    #[cfg_attr(feature = "openapi", schemars(extend("maxLength" = crate::limits::URL_BYTES)))]
    pub webhook_url: Url,
    /// The photos that the session asks for.
    pub profile: Profile,
}

/// A session that was created.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CreatedSession {
    /// The token of the session: for the page and for the backend.
    pub token: Uuid,
    /// When the token stops working, after 30 minutes.
    pub expires_at: Time,
}

/// A session that was loaded, with where to upload the pending photo.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct LoadedSession {
    /// The session's token.
    pub token: Uuid,
    /// The status of the session.
    #[cfg_attr(feature = "openapi", schemars(extend("enum" = ["pending", "partial"])))]
    pub status: SessionStatus,
    /// When the token stops working.
    pub expires_at: Time,
    /// The photos that the session asks for.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub total_photos: usize,
    /// The photos that were captured.
    pub captured_count: usize,
    /// The photo that is pending, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The nonce of this load, which one ingest uses.
    pub nonce: NonceText,
    /// Where to upload the frame.
    pub upload_url: Url,
    /// `PUT`.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = "PUT")))]
    pub upload_method: String,
    /// Send exactly these headers: the signature of the URL covers them.
    #[cfg_attr(feature = "openapi", schemars(extend("const" = {"content-type": "image/jpeg"})))]
    pub upload_headers: BTreeMap<String, String>,
    /// When the upload URL stops working, after 5 minutes.
    pub upload_expires_at: Time,
    /// The key of the upload, for the ingest.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1)))]
    pub image_key: String,
    /// The largest upload that is accepted, in bytes.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub max_asset_bytes: u64,
    /// The resolution to ask the camera for.
    pub capture_resolution: CaptureResolution,
    /// The service's clock, in milliseconds of the Unix epoch.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = crate::limits::MAX_SAFE_INTEGER)))]
    pub server_time_ms: i64,
    /// Whether the license requires a position: an ingest without one is refused, so ask the person before the photo.
    #[serde(default)]
    pub position_required: bool,
    /// The profile of a hosted session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// The shape of a hosted session's photos.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
    /// Where the page of a hosted session sends the browser after the last photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<Url>,
}

/// How a session ended, or how far it is.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SessionResults {
    /// As given at the creation; `erased` once all photos are erased.
    pub reference_id: String,
    /// The status of the session. Treat other values as unknown.
    pub status: SessionStatus,
    /// The photos that the session asks for.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub total_photos: usize,
    /// The photos that were captured.
    pub captured_count: usize,
    /// When the session was created.
    pub created_at: Time,
    /// The photos in their order.
    #[cfg_attr(feature = "openapi", schemars(with = "Vec<crate::openapi::PhotoShapes>"))]
    pub photos: Vec<SessionPhoto>,
    /// The profile of a hosted session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// How far a hosted session is. Nothing here identifies it or its photos.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct SessionProgress {
    /// The status of the session.
    pub status: SessionStatus,
    /// The photos that the session asks for.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub total_photos: usize,
    /// The photos that were captured.
    pub captured_count: usize,
}

/// A photo of a session.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SessionPhoto {
    /// Its position in the session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub order: u32,
    /// As sent at the ingest, or empty.
    pub label: String,
    /// Whether it was captured. A pending photo has none of the fields below.
    pub status: PhotoStatus,
    /// What became of a captured photo. A withheld one has null for both URLs, an erased one has none of the fields below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custody: Option<CustodyState>,
    /// The capture, unless it is pending or erased.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schemars(skip))]
    pub capture: Option<CapturedPhoto>,
}

/// What is known of a photo that was captured and not erased.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CapturedPhoto {
    /// Identifies the capture, and opens its photo.
    pub session_id: Uuid,
    /// The compass heading in degrees; absent where none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = 360)))]
    pub heading: Option<f64>,
    /// Degrees north, as sent.
    pub gps_lat: f64,
    /// Degrees east, as sent.
    pub gps_lon: f64,
    /// The accuracy in metres, as sent.
    pub gps_accuracy: f64,
    /// The device's clock at the shutter, as sent, in milliseconds of the Unix epoch.
    #[cfg_attr(feature = "openapi", schemars(range(min = 0, max = crate::limits::MAX_SAFE_INTEGER)))]
    pub captured_at_ms: i64,
    /// SHA-256 of the frame, in lower case.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub frame_hash_hex: String,
    /// The signed JPEG. The URL is new and works for 7 days; null where the photo is not retained or is withheld.
    pub authenticated_jpeg_url: Option<Url>,
    /// SHA-256 of the signed JPEG, in lower case; absent for photos that were captured before results had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub authenticated_jpeg_sha256: Option<String>,
    /// The C2PA manifest. The URL is new and works for 7 days; null where the photo is withheld.
    pub manifest_url: Option<Url>,
    /// The proof that the capture is in the transparency log; absent until it is, some seconds after the capture. Keep
    /// it beside the photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = r"^c2sp\.org/tlog-proof@v1\n")))]
    pub transparency_proof: Option<String>,
}

/// Whether a photo was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PhotoStatus {
    /// It is still to be taken.
    Pending,
    /// It was captured.
    Captured,
}

/// What became of a captured photo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CustodyState {
    /// It is available.
    #[default]
    Held,
    /// The operator withholds it, or its client is suspended: its URLs are not renewed.
    Withheld,
    /// Its personal data, photo and manifest are erased, for good.
    Erased,
}

impl CustodyState {
    /// `held`, `withheld` or `erased`.
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

/// Makes the profiles from one table. A row is: doc comment, variant, name, photos, framing.
macro_rules! profiles {
    ($( #[doc = $doc:literal] $variant:ident => $name:literal, $photos:literal, $framing:ident; )*) => {
        /// The photos that a hosted session asks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
        pub enum Profile {
            $( #[doc = $doc] #[serde(rename = $name)] $variant, )*
        }

        impl Profile {
            /// Every profile.
            pub const ALL: [Self; [$($name),*].len()] = [$( Self::$variant, )*];

            /// Its name on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$( Self::$variant => $name, )*}
            }

            /// The number of photos.
            #[must_use]
            pub const fn total_photos(self) -> u32 {
                match self {$( Self::$variant => $photos, )*}
            }

            /// The shape of each photo.
            #[must_use]
            pub const fn framing(self) -> Framing {
                match self {$( Self::$variant => Framing::$framing, )*}
            }
        }
    };
}

profiles! {
    /// A vehicle: three photos, landscape.
    VehicleInspection => "vehicle_inspection", 3, Landscape;
    /// A property: three photos, portrait.
    RealEstate => "real_estate", 3, Portrait;
    /// An object of value: three photos, square.
    HighValueItem => "high_value_item", 3, Square;
    /// One square photo.
    Demo => "demo", 1, Square;
}

impl Profile {
    /// Reads a name.
    ///
    /// # Errors
    /// [`Refusal::ProfileInvalid`].
    pub fn parse(name: &str) -> Result<Self, Refusal> {
        Self::ALL.into_iter().find(|profile| profile.name() == name).ok_or(Refusal::ProfileInvalid)
    }
}

words! {
    /// The shape to which a photo is cut.
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
    /// Width to height.
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
    fn a_profile_has_its_name_on_the_wire() {
        for profile in Profile::ALL {
            assert_eq!(Profile::parse(profile.name()), Ok(profile));
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.name());
        }
        for other in ["", "Demo", "vehicle", "demo "] {
            assert_eq!(Profile::parse(other), Err(Refusal::ProfileInvalid), "{other}");
        }
    }
}
