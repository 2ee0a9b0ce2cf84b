//! A capture: the evidence record of one signed photo.

use std::fmt;

use lacre_api::RecaptureRisk;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ClientId, Commitments, Environment, FrameHash, GpsMode, GpsResult, KeyHash, LicenseId, Origin, RecaptureGate,
    Sha256Digest, StoreAssetPolicy,
};

/// The identity of a capture inside the service and in manifests: the SHA-256 of its `session_id`, which opens nothing.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaptureId(String);

impl CaptureId {
    pub(crate) fn of(session_id: &str) -> Self {
        Self(KeyHash::of(session_id).as_str().to_owned())
    }

    /// Reads 64 lower-case hexadecimal characters.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        KeyHash::from_hex(text).map(|hash| Self(hash.as_str().to_owned()))
    }

    /// 64 lower-case hexadecimal characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 8 of them, for logs.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..8).unwrap_or_default()
    }
}

impl fmt::Debug for CaptureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CaptureId({}…)", self.short())
    }
}

/// The named scores behind a [`RecaptureRisk`].
pub type RecaptureScores = std::collections::BTreeMap<String, f64>;

/// The evidence record of one capture. It never changes. It holds neither token nor `session_id`, and of personal data only
/// commitments: a [`PersonalItem`](crate::PersonalItem) holds the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// The capture's identity.
    pub capture_id: CaptureId,
    /// The attempt that committed it: how a retry recognizes its own work.
    pub attempt: String,
    /// The environment of the license.
    pub environment: Environment,
    /// The client.
    pub client_id: ClientId,
    /// The license.
    pub license_id: LicenseId,
    /// The calendar month (UTC, `2026-11`) in which it counts.
    pub month: String,
    /// The 1-based position in its session.
    pub photo_order: u32,
    /// The page that captured.
    pub origin: Origin,
    /// The hash of the frame.
    pub frame_hash: FrameHash,
    /// The frame's size in bytes.
    pub frame_bytes: u64,
    /// The commitments to the personal fields.
    pub commitments: Commitments,
    /// The license's rule on positions.
    pub gps_mode: GpsMode,
    /// The result of the location gate.
    pub gps_result: GpsResult,
    /// The service's time of the ingest.
    #[serde(with = "crate::exact::millis")]
    pub ingested_at: OffsetDateTime,
    /// The license's rule on photos of a screen.
    pub recapture_gate: RecaptureGate,
    /// The result of the recapture analysis.
    pub recapture_risk: RecaptureRisk,
    /// The scores behind that.
    #[serde(default)]
    pub recapture_scores: RecaptureScores,
    /// The evidence from which on the license called a photo `HIGH`; `None` where nothing was analysed, and in records of before
    /// licenses had a threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recapture_threshold: Option<f64>,
    /// The version of the signer profile that signed.
    pub signer_version: u32,
    /// The OID of the signature policy that the ICP-Brasil signature names.
    pub signature_policy: String,
    /// The version of the service, whose checks the photo passed.
    pub service_version: String,
    /// Whether the ICP-Brasil signature is of that hierarchy, and not of a development one.
    pub icp_brasil: bool,
    /// SHA-256 of the manifest sidecar.
    pub manifest_sha256: Sha256Digest,
    /// SHA-256 of the delivered JPEG.
    pub jpeg_sha256: Sha256Digest,
    /// The storage policy at the time of the capture.
    pub store_asset_policy: StoreAssetPolicy,
    /// The key of the signed JPEG; `None` if it is not retained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jpeg_key: Option<String>,
    /// The key of the manifest.
    pub manifest_key: String,
    /// What the transparency log holds of the capture: of [`EvidenceRecord::digest`], the manifest and a salt. `None` only while the
    /// record is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_entry: Option<Sha256Digest>,
}

/// A capture that is to get a leaf in the transparency log: all of its record that the sequencer knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingLeaf {
    /// The environment, whose log it belongs to.
    pub environment: Environment,
    /// The entry.
    pub entry: Sha256Digest,
    /// The service's time of the ingest.
    #[serde(with = "crate::exact::millis")]
    pub ingested_at: OffsetDateTime,
}

impl EvidenceRecord {
    /// The leaf that the capture is to get; `None` for a record without an entry.
    #[must_use]
    pub fn waiting_leaf(&self) -> Option<WaitingLeaf> {
        let Self { environment, log_entry, ingested_at, .. } = self;
        log_entry.map(|entry| WaitingLeaf { environment: *environment, entry, ingested_at: *ingested_at })
    }

    /// The record as it is exported: JSON, the fields in the order of this type, without white space. The same record has
    /// the same bytes always, so their hash stands for it.
    ///
    /// # Errors
    /// None for a record that was read or made by this service: all its fields have a JSON form.
    pub fn canonical_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// The SHA-256 of [`EvidenceRecord::canonical_json`] without its last member, `log_entry`, which is computed of it.
    ///
    /// # Errors
    /// None for a record that was read or made by this service.
    pub fn digest(&self) -> Result<Sha256Digest, serde_json::Error> {
        let record = Self { log_entry: None, ..self.clone() };
        record.canonical_json().map(|json| Sha256Digest::of(&json))
    }

    /// The score that the license's threshold is compared with: the natural logarithm of a likelihood ratio. `None` where nothing was
    /// analysed, and where the analysis found no fine lattice or no color.
    #[must_use]
    pub fn recapture_evidence(&self) -> Option<f64> {
        self.recapture_scores.get("evidence").copied()
    }

    /// The object keys of the proof, each with the hash of the object: the manifest, and the signed JPEG where it is retained.
    pub fn objects(&self) -> impl Iterator<Item = (&str, Sha256Digest)> {
        let jpeg = self.jpeg_key.as_deref().map(|key| (key, self.jpeg_sha256));
        [(self.manifest_key.as_str(), self.manifest_sha256)].into_iter().chain(jpeg)
    }
}

/// The calendar month, UTC, in which a capture counts: `2026-11`.
#[must_use]
pub fn month_of(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    format!("{:04}-{:02}", at.year(), u8::from(at.month()))
}

/// Whether a text is a calendar month as [`month_of`] writes it.
#[must_use]
pub fn is_month(text: &str) -> bool {
    let digits = |part: &str, count| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-')
        .is_some_and(|(year, month)| digits(year, 4) && digits(month, 2) && ("01"..="12").contains(&month))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A record of before licenses had a threshold, as it was exported.
    fn earlier() -> String {
        let hash = "ab".repeat(32);
        format!(
            r#"{{"capture_id":"{hash}","attempt":"a","environment":"SANDBOX","client_id":"c","license_id":"l","month":"2026-11","photo_order":1,"origin":"https://app.example.com","frame_hash":"{hash}","frame_bytes":1,"commitments":{{}},"gps_mode":"OBSERVE","gps_result":"OBSERVED","ingested_at":0,"recapture_gate":"RECORD","recapture_risk":"HIGH","recapture_scores":{{"evidence":20.5,"fine":6.0}},"signer_version":1,"signature_policy":"2.16.76.1.7.1.1.2.4","service_version":"0.1.0","icp_brasil":false,"manifest_sha256":"{hash}","jpeg_sha256":"{hash}","store_asset_policy":"NEVER","manifest_key":"m"}}"#
        )
    }

    #[test]
    fn a_record_of_before_there_were_thresholds_has_the_bytes_it_had() {
        let record: EvidenceRecord = serde_json::from_str(&earlier()).unwrap();
        assert_eq!((record.recapture_threshold, record.recapture_evidence()), (None, Some(20.5)));
        assert_eq!(String::from_utf8(record.canonical_json().unwrap()).unwrap(), earlier());
        let judged = EvidenceRecord { recapture_threshold: Some(2.5), ..record.clone() };
        assert_ne!(judged.digest().unwrap(), record.digest().unwrap());
        assert_eq!(serde_json::from_slice::<EvidenceRecord>(&judged.canonical_json().unwrap()).unwrap(), judged);
        let off = EvidenceRecord { recapture_scores: RecaptureScores::new(), ..record };
        assert_eq!(off.recapture_evidence(), None);
    }

    #[test]
    fn a_month_is_a_year_and_one_of_twelve() {
        for month in ["2026-11", "2026-01", "0001-12"] {
            assert!(is_month(month), "{month}");
        }
        for other in ["2026-13", "2026-00", "2026-1", "26-11", "2026-11-01", "2026", "", "2026-1a", "2026/11"] {
            assert!(!is_month(other), "{other}");
        }
        assert!(is_month(&month_of(OffsetDateTime::UNIX_EPOCH)));
    }
}
