//! The export of evidence: a bucket, preferably in another AWS account, that accepts each record once and never deletes
//! one.

use std::collections::BTreeMap;

use lacre_domain::{AuditEntry, CaptureId, Erasure, EvidenceRecord};

use crate::{
    Connection, Error,
    object_versions::{ObjectVersions, VersionedBucket},
};

const JSON: &str = "application/json";
const RECORDS: &str = "records/";
const ERASURES: &str = "erasures/";
const AUDIT: &str = "audit/";

/// The result of exporting a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// The record is in the export, stored now or before.
    Kept,
    /// The export holds a different record of the same capture, so one of the two was changed.
    Differs,
}

/// The contents of the export, by capture: the versions of its record, and of the note of its erasure.
#[derive(Debug, Default)]
pub struct Inventory {
    /// The versions of the records.
    pub records: BTreeMap<String, ObjectVersions>,
    /// The versions of the notes of erasures.
    pub erasures: BTreeMap<String, ObjectVersions>,
}

/// Writes and reads the export bucket.
#[derive(Clone, Debug)]
pub struct Export(VersionedBucket);

impl Export {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self(VersionedBucket { client: connection.s3(), name: connection.config.buckets.export.read() })
    }

    /// Exports a record. If one of this capture is already there, compares the two.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Corrupt`].
    pub async fn record(&self, capture: &EvidenceRecord) -> Result<Exported, Error> {
        self.keep(&record_key(&capture.capture_id), &json(capture)?).await
    }

    /// Exports an audit entry. If one of this request is already there, compares the two.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Corrupt`].
    pub async fn audit_entry(&self, entry: &AuditEntry) -> Result<Exported, Error> {
        let json = serde_json::to_vec(entry).map_err(|error| unwritable(&error))?;
        self.keep(&format!("{AUDIT}{}.json", entry.id), &json).await
    }

    async fn keep(&self, key: &str, json: &[u8]) -> Result<Exported, Error> {
        if self.0.put_once(key, json, JSON).await? {
            return Ok(Exported::Kept);
        }
        let is_same = self.0.read(key, None).await?.is_some_and(|exported| exported == json);
        Ok(if is_same { Exported::Kept } else { Exported::Differs })
    }

    /// The bytes of an exported record; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read(&self, capture: &str) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&format!("{RECORDS}{capture}.json"), None).await
    }

    /// An exported record, even of a deleted object; `None` if no version is a valid record of the capture. The oldest
    /// valid version is used, because later versions were not written by the service.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read_record(&self, capture: &str, versions: &ObjectVersions) -> Result<Option<EvidenceRecord>, Error> {
        for version in versions.versions.iter().rev() {
            let bytes = self.0.read(&format!("{RECORDS}{capture}.json"), Some(version)).await?.unwrap_or_default();
            // Bytes that do not equal the canonical form of the record they contain were not written by this service.
            let record = serde_json::from_slice::<EvidenceRecord>(&bytes).ok().filter(|record| {
                record.capture_id.as_str() == capture && json(record).is_ok_and(|canonical| canonical == bytes)
            });
            if record.is_some() {
                return Ok(record);
            }
        }
        Ok(None)
    }

    /// Stores the note of a capture's erasure, unless there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn note_erasure(&self, erasure: &Erasure) -> Result<(), Error> {
        let entry = serde_json::to_vec(erasure).map_err(|error| unwritable(&error))?;
        self.0.put_once(&erasure_key(&erasure.capture_id), &entry, JSON).await.map(|_| ())
    }

    /// The note of a capture's erasure, from the oldest version that is valid; `None` if none is.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read_erasure(&self, capture: &str, versions: &ObjectVersions) -> Result<Option<Erasure>, Error> {
        for version in versions.versions.iter().rev() {
            let entry = self.0.read(&format!("{ERASURES}{capture}.json"), Some(version)).await?.unwrap_or_default();
            let erasure = serde_json::from_slice::<Erasure>(&entry).ok();
            if let Some(erasure) = erasure.filter(|erasure| erasure.capture_id.as_str() == capture) {
                return Ok(Some(erasure));
            }
        }
        Ok(None)
    }

    /// Everything in the export, deleted objects included. Objects with other names are omitted.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn inventory(&self) -> Result<Inventory, Error> {
        let of = async |prefix: &str| {
            let found = self.0.versions(prefix).await?.into_iter();
            let capture = |key: &str| Some(key.strip_prefix(prefix)?.strip_suffix(".json")?.to_owned());
            Ok(found.filter_map(|(key, versions)| Some((capture(&key)?, versions))).collect())
        };
        Ok(Inventory { records: of(RECORDS).await?, erasures: of(ERASURES).await? })
    }
}

fn record_key(capture: &CaptureId) -> String {
    format!("{RECORDS}{}.json", capture.as_str())
}

fn erasure_key(capture: &CaptureId) -> String {
    format!("{ERASURES}{}.json", capture.as_str())
}

fn json(capture: &EvidenceRecord) -> Result<Vec<u8>, Error> {
    capture.canonical_json().map_err(|error| unwritable(&error))
}

fn unwritable(error: &serde_json::Error) -> Error {
    Error::Corrupt { what: "evidence", cause: error.to_string() }
}
