//! Adds what the log lacks of the evidence, and restores the log's table.

use lacre_domain::{CaptureId, Environment, EvidenceRecord, Operation};
use lacre_transparency::{LogKey, read_inclusion_proof};
use serde::Serialize;

use super::{
    LogAdministration,
    audit::{Audited, Defect},
    entry_of, finding,
};
use crate::Error;

/// Something that is missing in the log or its table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LogRepair {
    /// The id of the capture.
    pub capture_id: String,
    /// `leaf` if the sequencer has to add it, `proof` if it is in the log but not in the table.
    pub what: &'static str,
}

/// The result of a restore.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LogRestoration {
    /// Whether the restore was applied; otherwise it was only a search.
    pub applied: bool,
    /// What is missing and can be restored.
    pub restored: Vec<LogRepair>,
    /// Records that differ from the exported ones, or whose recomputed entry differs. They were left alone.
    pub doubtful: Vec<LogRepair>,
}

impl LogAdministration {
    /// Finds the records without a leaf, and the leaves that the table lacks, and restores them if `apply` is set.
    /// Idempotent.
    ///
    /// # Errors
    /// [`Error::Refused`] if the log itself is inconsistent; [`Error::Unavailable`]: some of it may have been restored.
    pub async fn restore(&self, environment: Environment, key: &LogKey, apply: bool) -> Result<LogRestoration, Error> {
        let Audited { audit, checkpoint, defects, .. } = self.audited(environment, key, None).await?;
        // A duplicate leaf, or one without a record, stays in the log forever, and does not prevent other repairs.
        if audit.differences.iter().any(|difference| difference.capture_id.is_none() && difference.index.is_none()) {
            return Err(Error::Refused("the log is not sound: run `log audit`".into()));
        }
        if apply && !defects.is_empty() {
            self.auditor.begin(&self.auditor.entry(Operation::RestoreLog)).await?;
        }
        let mut outcome = LogRestoration { applied: apply, ..LogRestoration::default() };
        for defect in defects {
            let (id, what) = match &defect {
                Defect::Unsequenced(record) => (record.capture_id.as_str().to_owned(), "leaf"),
                Defect::Unplaced(id, _) => (id.as_str().to_owned(), "proof"),
            };
            let repair = LogRepair { capture_id: id, what };
            let is_sound = match &defect {
                Defect::Unsequenced(record) => self.is_as_exported(record).await?,
                Defect::Unplaced(..) => true,
            };
            match (is_sound, apply, defect) {
                (false, ..) => {
                    outcome.doubtful.push(repair);
                    continue;
                }
                (true, false, _) => {}
                (true, true, Defect::Unsequenced(record)) => self.state.offer_again(&record).await?,
                (true, true, Defect::Unplaced(id, index)) => {
                    if let (Some(checkpoint), Some(note)) = (&checkpoint, &audit.checkpoint) {
                        self.note_place(environment, (&id, index), checkpoint.size, note).await?;
                    }
                }
            }
            outcome.restored.push(repair);
        }
        outcome.restored.sort();
        outcome.doubtful.sort();
        Ok(outcome)
    }

    /// Whether a record equals the exported one, and its recomputed entry equals its log entry.
    async fn is_as_exported(&self, record: &EvidenceRecord) -> Result<bool, Error> {
        let id = &record.capture_id;
        let exported = self.exported.read(id.as_str()).await?;
        let json = record.canonical_json().map_err(|error| Error::Invalid(error.to_string()))?;
        let held = self.personal.read(&[id]).await?.pop();
        let computed = held.and_then(|held| entry_of(record, &held)).map(|entry| entry.digest());
        Ok(exported.is_some_and(|exported| exported == json) && computed == record.log_entry)
    }

    async fn note_place(
        &self,
        environment: Environment,
        (id, index): (&CaptureId, u64),
        size: u64,
        note: &str,
    ) -> Result<(), Error> {
        let path = match read_inclusion_proof(&self.files.of(environment), index, size).await {
            Ok(path) => path.iter().flat_map(|hash| *hash.as_bytes()).collect(),
            Err(error) => return Err(Error::Refused(format!("the log: {}", finding(error)?))),
        };
        let leaf = lacre_storage::LogLeaf { index, path, note: note.to_owned() };
        Ok(self.state.add_leaves(&[(id.clone(), leaf)]).await?)
    }
}
