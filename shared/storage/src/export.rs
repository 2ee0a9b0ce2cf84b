//! The export of evidence: a bucket, best of another account, that takes each record once and gives none up.

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

/// How the export of a record ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// It is there now, or was before.
    Kept,
    /// Another record of the same capture is there: one of the two was changed.
    Differs,
}

/// What the export holds: by capture, the versions of its record, and of the entry of its erasure.
#[derive(Debug, Default)]
pub struct Inventory {
    /// The records.
    pub records: BTreeMap<String, ObjectVersions>,
    /// The entries of erasures.
    pub erasures: BTreeMap<String, ObjectVersions>,
}

/// The port to the export.
#[derive(Clone, Debug)]
pub struct Export(VersionedBucket);

impl Export {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self(VersionedBucket { client: connection.s3(), name: connection.config.buckets.export.read() })
    }

    /// Exports a record, unless one is there; then compares.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Corrupt`].
    pub async fn record(&self, capture: &EvidenceRecord) -> Result<Exported, Error> {
        self.keep(&record_key(&capture.capture_id), &json(capture)?).await
    }

    /// Exports an entry of the audit log, unless one of its request is there; then compares.
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

    /// The bytes of an exported record; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read(&self, capture: &str) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&format!("{RECORDS}{capture}.json"), None).await
    }

    /// An exported record, of a deleted object too; `None` where no version is a record of the capture. The oldest version
    /// counts: what was written over it is not what the service wrote.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read_record(&self, capture: &str, versions: &ObjectVersions) -> Result<Option<EvidenceRecord>, Error> {
        for version in versions.versions.iter().rev() {
            let bytes = self.0.read(&format!("{RECORDS}{capture}.json"), Some(version)).await?.unwrap_or_default();
            // What does not read back to the same bytes was not written by this service.
            let record = serde_json::from_slice::<EvidenceRecord>(&bytes).ok().filter(|record| {
                record.capture_id.as_str() == capture && json(record).is_ok_and(|canonical| canonical == bytes)
            });
            if record.is_some() {
                return Ok(record);
            }
        }
        Ok(None)
    }

    /// Notes the erasure of a capture, unless it is noted.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn note_erasure(&self, erasure: &Erasure) -> Result<(), Error> {
        let entry = serde_json::to_vec(erasure).map_err(|error| unwritable(&error))?;
        self.0.put_once(&erasure_key(&erasure.capture_id), &entry, JSON).await.map(|_| ())
    }

    /// The noted erasure of a capture, by the oldest version that is one; `None` where none is.
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

    /// All that it holds, deleted objects included. Others' objects are left out.
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
