//! The export of evidence: a bucket, best of another account, that takes each record once and gives none up.

use std::collections::BTreeMap;

use domain::{Capture, CaptureId, Erasure};

use crate::{
    Connection, Error,
    object_versions::{ObjectVersions, VersionedBucket},
};

const JSON: &str = "application/json";
const RECORDS: &str = "records/";
const ERASURES: &str = "erasures/";

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
        Self(VersionedBucket { client: connection.s3(), name: connection.config.buckets.export.clone() })
    }

    /// Exports a record, unless one is there; then compares.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Corrupt`].
    pub async fn record(&self, capture: &Capture) -> Result<Exported, Error> {
        let (key, json) = (record_key(&capture.capture_id), json(capture)?);
        if self.0.put_once(&key, &json, JSON).await? {
            return Ok(Exported::Kept);
        }
        let is_same = self.0.read(&key, None).await?.is_some_and(|exported| exported == json);
        Ok(if is_same { Exported::Kept } else { Exported::Differs })
    }

    /// The bytes of an exported record; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read(&self, capture: &str) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&format!("{RECORDS}{capture}.json"), None).await
    }

    /// An exported record; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Corrupt`], also for a record that does not read back to the same bytes; [`Error::Unavailable`].
    pub async fn read_record(&self, capture: &str) -> Result<Option<Capture>, Error> {
        let Some(bytes) = self.read(capture).await? else { return Ok(None) };
        let unreadable = || Error::Corrupt { what: "exported record", cause: "it is not one that this service wrote".into() };
        let record: Capture = serde_json::from_slice(&bytes).map_err(|_| unreadable())?;
        match record.capture_id.as_str() == capture && json(&record)? == bytes {
            true => Ok(Some(record)),
            false => Err(unreadable()),
        }
    }

    /// Notes the erasure of a capture, unless it is noted.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn note_erasure(&self, erasure: &Erasure) -> Result<(), Error> {
        let entry = serde_json::to_vec(erasure).map_err(|error| unwritable(&error))?;
        self.0.put_once(&erasure_key(&erasure.capture_id), &entry, JSON).await.map(|_| ())
    }

    /// The noted erasure of a capture; `None` where none is noted.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read_erasure(&self, capture: &CaptureId) -> Result<Option<Erasure>, Error> {
        let entry = self.0.read(&erasure_key(capture), None).await?;
        let unreadable = |_| Error::Corrupt { what: "noted erasure", cause: "it is not one that this service wrote".into() };
        entry.map(|entry| serde_json::from_slice(&entry).map_err(unreadable)).transpose()
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

fn json(capture: &Capture) -> Result<Vec<u8>, Error> {
    capture.canonical_json().map_err(|error| unwritable(&error))
}

fn unwritable(error: &serde_json::Error) -> Error {
    Error::Corrupt { what: "evidence", cause: error.to_string() }
}
