//! Captures: the evidence record of one signed photo.

use std::fmt;

use lacre_api::RecaptureRisk;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    AskedFor, ClientId, Commitments, Environment, FrameHash, GpsMode, GpsResult, KeyHash, LicenseId, Origin,
    RecaptureGate, Sha256Digest, StoreAssetPolicy,
};

/// The public id of a capture, used in manifests, records and logs: the SHA-256 of its `session_id`. Unlike the
/// `session_id`, it gives access to nothing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

    /// The id as 64 lower-case hexadecimal characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 8 characters of the id, for logs.
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

/// The scores from which a [`RecaptureRisk`] was concluded, by name.
pub type RecaptureScores = std::collections::BTreeMap<String, f64>;

/// The evidence record of one capture. It never changes after the commit. It contains neither the token nor the
/// `session_id`, and only commitments to personal data, which a [`PersonalItem`](crate::PersonalItem) holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// The id of the capture.
    pub capture_id: CaptureId,
    /// The id of the ingest attempt that committed the capture, by which a retry recognizes its own commit.
    pub attempt: String,
    /// The environment of the license.
    pub environment: Environment,
    /// The client that the license belongs to.
    pub client_id: ClientId,
    /// The license under which the photo was captured.
    pub license_id: LicenseId,
    /// The calendar month (UTC, such as `2026-11`) in which the capture counts against the volume limit.
    pub month: String,
    /// The photo's 1-based place in its session.
    pub photo_order: u32,
    /// The step of a client's kit that the photo was asked for as; `None` if the session had no such kit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_for: Option<AskedFor>,
    /// The web origin of the page that captured the photo.
    pub origin: Origin,
    /// The hash of the frame.
    pub frame_hash: FrameHash,
    /// The frame's size in bytes.
    pub frame_bytes: u64,
    /// The commitments to the personal data of the capture.
    pub commitments: Commitments,
    /// The license's location policy at the time of the capture.
    pub gps_mode: GpsMode,
    /// The result of the location check.
    pub gps_result: GpsResult,
    /// When the service processed the ingest, by its own clock.
    #[serde(with = "crate::exact::millis")]
    pub ingested_at: OffsetDateTime,
    /// The recapture policy under which the photo was judged: the license's, or `RECORD` where the license refuses
    /// recaptures and the step of the kit expects a display.
    pub recapture_gate: RecaptureGate,
    /// The risk that the recapture analysis assigned to the photo.
    pub recapture_risk: RecaptureRisk,
    /// The scores from which that risk was concluded.
    #[serde(default)]
    pub recapture_scores: RecaptureScores,
    /// The license's threshold on the score `evidence`, from which on a photo's risk is `HIGH`. `None` if the photo was
    /// not analysed, and in records that predate thresholds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recapture_threshold: Option<f64>,
    /// The version of the signer profile that signed the photo.
    pub signer_version: u32,
    /// The OID of the signature policy that the seal (the ICP-Brasil signature) names.
    pub signature_policy: String,
    /// The version of the service that checked and signed the photo.
    pub service_version: String,
    /// Whether the seal's certificate chain is ICP-Brasil's. `false` for a development hierarchy.
    pub icp_brasil: bool,
    /// SHA-256 of the manifest's sidecar file.
    pub manifest_sha256: Sha256Digest,
    /// SHA-256 of the delivered JPEG.
    pub jpeg_sha256: Sha256Digest,
    /// The license's storage policy at the time of the capture.
    pub store_asset_policy: StoreAssetPolicy,
    /// The S3 object key of the signed JPEG; `None` if the photo is not retained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jpeg_key: Option<String>,
    /// The S3 object key of the manifest.
    pub manifest_key: String,
    /// The capture's entry in the transparency log: a hash over [`EvidenceRecord::digest`], the manifest's hash and a
    /// salt. `None` only while the record is being built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_entry: Option<Sha256Digest>,
}

/// A capture that still needs its leaf in the transparency log. Holds the only parts of the record that the sequencer
/// reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingLeaf {
    /// The environment, which selects the log.
    pub environment: Environment,
    /// The log entry, from which the leaf is computed.
    pub entry: Sha256Digest,
    /// When the service processed the ingest, by its own clock.
    #[serde(with = "crate::exact::millis")]
    pub ingested_at: OffsetDateTime,
}

impl EvidenceRecord {
    /// The leaf that the sequencer has to add for this record; `None` if the record has no log entry.
    #[must_use]
    pub fn waiting_leaf(&self) -> Option<WaitingLeaf> {
        let Self { environment, log_entry, ingested_at, .. } = self;
        log_entry.map(|entry| WaitingLeaf { environment: *environment, entry, ingested_at: *ingested_at })
    }

    /// The canonical form of the record, in which it is exported: compact JSON with the members in the order of this
    /// type's fields. Equal records have equal bytes, so the hash of this form identifies the record.
    ///
    /// # Errors
    /// Fails only if a field has no JSON form, which no record that this service made or read contains.
    pub fn canonical_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// The SHA-256 of [`EvidenceRecord::canonical_json`] without the member `log_entry`, which is computed from this
    /// digest.
    ///
    /// # Errors
    /// The same as [`EvidenceRecord::canonical_json`].
    pub fn digest(&self) -> Result<Sha256Digest, serde_json::Error> {
        let record = Self { log_entry: None, ..self.clone() };
        record.canonical_json().map(|json| Sha256Digest::of(&json))
    }

    /// The score `evidence`, which is compared with the license's threshold: the natural logarithm of a likelihood
    /// ratio. `None` if the photo was not analysed, or if the analysis found no fine lattice or no color.
    #[must_use]
    pub fn recapture_evidence(&self) -> Option<f64> {
        self.recapture_scores.get("evidence").copied()
    }

    /// The S3 object keys of the proof, each with the SHA-256 of its object: the manifest, and the signed JPEG if it is
    /// retained.
    pub fn objects(&self) -> impl Iterator<Item = (&str, Sha256Digest)> {
        let jpeg = self.jpeg_key.as_deref().map(|key| (key, self.jpeg_sha256));
        [(self.manifest_key.as_str(), self.manifest_sha256)].into_iter().chain(jpeg)
    }
}

/// The calendar month of a time in UTC, such as `2026-11`.
#[must_use]
pub fn month_of(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    format!("{:04}-{:02}", at.year(), u8::from(at.month()))
}

/// Whether a text has the format of [`month_of`].
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

    /// A record from before licenses had a threshold, as it was exported at that time.
    fn earlier() -> String {
        let (hash, client, license) = ("ab".repeat(32), ClientId::from_u128(1), LicenseId::from_u128(2));
        format!(
            r#"{{"capture_id":"{hash}","attempt":"a","environment":"SANDBOX","client_id":"{client}","license_id":"{license}","month":"2026-11","photo_order":1,"origin":"https://app.example.com","frame_hash":"{hash}","frame_bytes":1,"commitments":{{}},"gps_mode":"OBSERVE","gps_result":"OBSERVED","ingested_at":0,"recapture_gate":"RECORD","recapture_risk":"HIGH","recapture_scores":{{"evidence":20.5,"fine":6.0}},"signer_version":1,"signature_policy":"2.16.76.1.7.1.1.2.4","service_version":"0.1.0","icp_brasil":false,"manifest_sha256":"{hash}","jpeg_sha256":"{hash}","store_asset_policy":"NEVER","manifest_key":"m"}}"#
        )
    }

    #[test]
    fn records_without_threshold_keep_their_bytes() {
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
    fn records_state_what_was_asked_for() {
        let record: EvidenceRecord = serde_json::from_str(&earlier()).unwrap();
        assert_eq!(record.asked_for, None);
        let asked_for =
            AskedFor { kit: "auto-previa".into(), version: 3, sha256: Sha256Digest::of(b""), step: "chassi".into() };
        let asked = EvidenceRecord { asked_for: Some(asked_for), ..record.clone() };
        assert_ne!(asked.digest().unwrap(), record.digest().unwrap());
        let json = String::from_utf8(asked.canonical_json().unwrap()).unwrap();
        let hash = Sha256Digest::of(b"").hex();
        let member = format!(
            r#""photo_order":1,"asked_for":{{"kit":"auto-previa","version":3,"sha256":"{hash}","step":"chassi"}}"#
        );
        assert_eq!(json, earlier().replace(r#""photo_order":1"#, &member));
        assert_eq!(serde_json::from_str::<EvidenceRecord>(&json).unwrap(), asked);
    }

    #[test]
    fn recognizes_valid_months() {
        for month in ["2026-11", "2026-01", "0001-12"] {
            assert!(is_month(month), "{month}");
        }
        for other in ["2026-13", "2026-00", "2026-1", "26-11", "2026-11-01", "2026", "", "2026-1a", "2026/11"] {
            assert!(!is_month(other), "{other}");
        }
        assert!(is_month(&month_of(OffsetDateTime::UNIX_EPOCH)));
    }
}
