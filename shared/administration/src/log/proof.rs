//! Makes transparency proofs on demand.

use lacre_domain::{CaptureId, Environment, EvidenceRecord, Sha256Digest};
use lacre_transparency::{Extra, LogKey, LogProof, LogSalt, read_inclusion_proof};
use time::{Date, Duration};

use super::{LogAdministration, entry_of, finding};
use crate::{Error, captures::capture_id};

/// The number of days after a capture in which a dated checkpoint is searched for.
const DAYS: i64 = 31;

/// A transparency proof that verifies.
pub(super) struct FoundProof {
    pub(super) environment: Environment,
    /// The day whose checkpoint the proof is under; `None` if that has no timestamp.
    pub(super) day: Option<Date>,
    pub(super) proof: LogProof,
}

impl LogAdministration {
    /// The transparency proof of a capture, by its `session_id` or capture id, in C2SP `tlog-proof` format. It uses the
    /// first checkpoint with a timestamp that contains the capture or, if there is none, the checkpoint with which the
    /// capture was added.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the capture is not in the log, was erased, or does not match its log
    /// entry; [`Error::Unavailable`].
    pub async fn proof(&self, id: &str, key: Option<&LogKey>) -> Result<String, Error> {
        Ok(self.find_proof(id, key).await?.proof.to_string())
    }

    /// See [`LogAdministration::proof`].
    pub(super) async fn find_proof(&self, id: &str, key: Option<&LogKey>) -> Result<FoundProof, Error> {
        let id = capture_id(id)?;
        let record = self.captures.read(&id).await?.ok_or_else(|| Error::not_found("capture", &id.as_str()))?;
        let Some(entry) = record.log_entry else {
            return Err(Error::Refused("the capture was recorded before there was a log".into()));
        };
        let held = self.personal.read(&[&id]).await?.pop().ok_or_else(|| Error::not_found("capture", &id.as_str()))?;
        let computed = entry_of(&record, &held).map(|entry| entry.digest());
        let salt = match held.personal {
            Ok(Some(item)) if computed == Some(entry) => item.log_salt(),
            Ok(Some(_)) | Err(_) => return Err(not_as_recorded(&id)),
            Ok(None) => {
                return Err(Error::Refused(
                    "the capture's salt was erased, so its leaf can no longer be proved".into(),
                ));
            }
        };
        let key = match key {
            Some(key) => key.clone(),
            None => self.key(record.environment).await?,
        };
        let leaf = self.state.leaves(&[&id]).await?.remove(id.as_str());
        let leaf = leaf.ok_or_else(|| Error::Refused("the capture is not in the log yet: run `log audit`".into()))?;
        let extra = extra(salt, &record)?;
        let (day, proof) = match self.dated(&record, leaf.index, &extra, &key).await? {
            Some((day, dated)) => (Some(day), Some(dated)),
            None => (None, LogProof::of_parts(extra, leaf.index, &leaf.path, &leaf.note)),
        };
        let proof = proof.filter(|proof| proof.verify(&record.manifest_sha256, &key).is_ok());
        let proof = proof.ok_or_else(|| not_as_recorded(&id))?;
        Ok(FoundProof { environment: record.environment, day, proof })
    }

    /// The proof under the first checkpoint with a timestamp that contains the capture, and that checkpoint's day.
    async fn dated(
        &self,
        record: &EvidenceRecord,
        index: u64,
        extra: &Extra,
        key: &LogKey,
    ) -> Result<Option<(Date, LogProof)>, Error> {
        let environment = record.environment;
        let first = record.ingested_at.date();
        let last = self.clock.now().date().min(first.saturating_add(Duration::days(DAYS)));
        let mut day = first;
        while day <= last {
            let dated = match self.files.dated(environment, day).await {
                // The file is not a checkpoint of this log.
                Err(lacre_storage::Error::Corrupt { .. }) => None,
                dated => dated?,
            };
            if let Some(dated) = dated
                && let (Some(timestamp), Ok(checkpoint)) = (dated.timestamp, key.verify(&dated.note))
                && index < checkpoint.size
            {
                let path = read_inclusion_proof(&self.files.of(environment), index, checkpoint.size).await;
                let path = match path {
                    Ok(path) => path,
                    Err(error) => return Err(Error::Refused(format!("the log: {}", finding(error)?))),
                };
                let extra = Extra { timestamp: Some(timestamp), ..extra.clone() };
                return Ok(Some((day, LogProof { extra, index, path, checkpoint: dated.note })));
            }
            let Some(next) = day.next_day() else { break };
            day = next;
        }
        Ok(None)
    }
}

fn extra(salt: LogSalt, capture: &EvidenceRecord) -> Result<Extra, Error> {
    let record: Sha256Digest = capture.digest().map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(Extra { salt, record, timestamp: None })
}

fn not_as_recorded(id: &CaptureId) -> Error {
    Error::Refused(format!("capture {} does not match its entry in the log: run `log audit`", id.as_str()))
}
