//! The index of a dossier: what the service recorded for a reference of an integrator, and the parts of the archive that has
//! it. `docs/reference/dossier.md` describes the archive.

use serde::{Deserialize, Serialize};

use crate::{
    CustodyState, Environment, LicenseTerms, RecaptureRisk, Reference, Time, Url, Uuid,
    admin::{AskedForView, ClientId, Digest, GpsResult, LicenseId},
    kit::KitName,
    values::words,
};

/// The name of the index in the archive, which is the first part.
pub const INDEX: &str = "index.json";
/// The name of the seal over the index, the second part: a detached CAdES signature.
pub const SEAL: &str = "index.p7s";

words! {
    /// The format of a dossier.
    DossierFormat {
        /// The first version.
        First = "lacre-dossier-1",
    }
}

words! {
    /// Whether a dossier contains a photo, and why not.
    PhotoState {
        /// The photo is in the dossier.
        Included = "included",
        /// The service does not retain the photo: only who received it has it. Its manifest is in the dossier.
        NotRetained = "not_retained",
        /// An operator withholds the photo. Neither photo nor manifest is in the dossier.
        Withheld = "withheld",
        /// Photo, manifest and personal data were erased. The record remains.
        Erased = "erased",
    }
}

/// The largest number of photos in a dossier.
pub const MAX_PHOTOS: usize = 100;
/// The largest number of refused photos in a dossier: as many as are recorded of a reference.
pub const MAX_REFUSED: usize = 100;

/// A request for a dossier.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierRequest {
    /// The integrator's reference to its case.
    pub reference_id: Reference,
    /// The `session_id` of captures that were erased. An erasure removes the reference of a capture, so that only who knows
    /// its `session_id` can have it listed. Those that were not erased are listed by the reference alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schemars(length(max = MAX_PHOTOS)))]
    pub erased: Vec<Uuid>,
}

/// A dossier that was made.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct DossierFile {
    /// The URL of the archive (ZIP), valid for 5 minutes. The service keeps the archive for a day.
    pub url: Url,
    /// The size of the archive in bytes.
    pub bytes: u64,
    /// SHA-256 of the archive.
    pub sha256: Digest,
    /// The number of photos that the index lists.
    pub photos: u32,
}

/// The index of a dossier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierIndex {
    /// The format of the dossier.
    pub format: DossierFormat,
    /// The integrator's reference to its case.
    pub reference_id: Reference,
    /// The client that created the sessions.
    pub client_id: ClientId,
    /// The client's name.
    pub client_name: String,
    /// The environment of the captures.
    pub environment: Environment,
    /// When the service made the dossier: it states what was recorded until then.
    pub made_at: Time,
    /// The checkpoint of the transparency log at that time; absent if the log has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<DossierLog>,
    /// The photos, by the time of their ingest.
    pub photos: Vec<DossierPhoto>,
    /// The photos that the service refused, by time, as far as they are recorded.
    pub refused: Vec<DossierRefused>,
    /// The licenses under which they were captured, with their terms at the time of the dossier.
    pub licenses: Vec<DossierLicense>,
    /// The versions of kits that photos were asked for by.
    pub kits: Vec<DossierKit>,
    /// All parts of the archive after index and seal, in their order.
    pub parts: Vec<DossierPart>,
}

/// A checkpoint of the transparency log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierLog {
    /// The origin of the log.
    pub origin: String,
    /// The number of its leaves.
    pub size: u64,
    /// The root hash of its tree.
    pub root: Digest,
}

/// A photo that the service recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierPhoto {
    /// The id of the capture: the SHA-256 of its `session_id`.
    pub capture_id: Digest,
    /// Whether the dossier contains the photo.
    pub state: PhotoState,
    /// The number of its session, from 1. Photos with the same number are of the same session; absent if that is not known,
    /// because the photo was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub session: Option<u32>,
    /// The photo's place in its session, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: u32,
    /// The step of a client's kit that the photo was asked for as; absent if the session had no such kit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_for: Option<AskedForView>,
    /// The license under which the photo was captured.
    pub license_id: LicenseId,
    /// The origin of the page that captured the photo.
    pub origin: String,
    /// When the service processed the ingest, by its own clock.
    pub ingested_at: Time,
    /// The result of the location check.
    pub gps_result: GpsResult,
    /// The result of the recapture analysis.
    pub recapture_risk: RecaptureRisk,
    /// SHA-256 of the frame: the bytes that the browser sent.
    pub frame_hash: Digest,
    /// SHA-256 of the signed JPEG.
    pub jpeg_sha256: Digest,
    /// SHA-256 of the manifest.
    pub manifest_sha256: Digest,
    /// What operators did about the capture, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<DossierAct>,
    /// The part with the signed JPEG.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo: Option<String>,
    /// The part with the manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The part with the transparency proof (C2SP `tlog-proof`); absent until the photo is in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_proof: Option<String>,
    /// The parts with evidence records (RFC 4998). Each of them suffices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence_records: Vec<String>,
    /// The parts with evidence bundles (PKCS #7), for all evidence records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence_bundles: Vec<String>,
}

/// A photo that the service refused. It has neither the picture nor a record of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierRefused {
    /// The number of its session, from 1, among those of all photos.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub session: u32,
    /// When the session was created.
    pub session_created_at: Time,
    /// When the photo arrived, by the service's clock.
    pub at: Time,
    /// The place in the session for which it was sent, from 1; absent if the session has no such place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub photo_order: Option<u32>,
    /// Why it was refused: the name of the refusal.
    pub reason: String,
    /// SHA-256 of the frame, as the page announced it; absent if it announced none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_hash: Option<Digest>,
}

/// What an operator did about a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierAct {
    /// The custody that the act led to.
    pub state: CustodyState,
    /// When the act took place, by the service's clock.
    pub at: Time,
    /// The operator's reason.
    pub reason: String,
}

/// A license.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct DossierLicense {
    /// The id of the license.
    pub id: LicenseId,
    /// Its terms at the time of the dossier. An operator may have changed them since the capture.
    #[serde(flatten)]
    pub terms: LicenseTerms,
}

/// A version of a client's kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierKit {
    /// The name of the kit.
    pub kit: KitName,
    /// The version of the kit.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub version: u32,
    /// The part with the kit's canonical JSON.
    pub part: String,
}

/// A part of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DossierPart {
    /// The name in the archive.
    pub name: String,
    /// The size in bytes.
    pub bytes: u64,
    /// SHA-256 of the part.
    pub sha256: Digest,
}

impl DossierPhoto {
    /// The names of its parts, without those of evidence bundles, which several photos may share.
    pub fn own_parts(&self) -> impl Iterator<Item = &str> {
        let single = [&self.photo, &self.manifest, &self.log_proof].into_iter().flatten();
        single.chain(&self.evidence_records).map(String::as_str)
    }

    /// The names of all its parts.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.own_parts().chain(self.evidence_bundles.iter().map(String::as_str))
    }
}
