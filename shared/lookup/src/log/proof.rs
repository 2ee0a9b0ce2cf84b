//! Makes transparency proofs on demand.

use lacre_domain::EvidenceRecord;
use lacre_storage::{Error, Holding};
use lacre_transparency::{Extra, LogKey, LogProof, read_inclusion_proof};
use time::{Date, Duration, OffsetDateTime};

use super::{LogProofs, Unproved, entry_of};

/// The number of days after a capture in which a dated checkpoint is searched for.
const DAYS: i64 = 31;

/// A transparency proof that verifies.
pub struct FoundProof {
    /// The day whose checkpoint the proof is under; `None` if that has no timestamp.
    pub day: Option<Date>,
    /// The proof (C2SP `tlog-proof`).
    pub proof: LogProof,
}

impl LogProofs {
    /// The transparency proof of a capture, verified with the log's key. It uses the first checkpoint with a timestamp
    /// that contains the capture or, if there is none, the checkpoint with which the capture was added.
    ///
    /// # Errors
    /// [`Unproved`], but not [`Unproved::NotDated`].
    pub async fn proof(
        &self,
        record: &EvidenceRecord,
        held: &Holding,
        key: &LogKey,
        now: OffsetDateTime,
    ) -> Result<FoundProof, Unproved> {
        let entry = record.log_entry.ok_or(Unproved::BeforeTheLog)?;
        let computed = entry_of(record, held).map(|entry| entry.digest());
        let salt = match &held.personal {
            Ok(Some(item)) if computed == Some(entry) => item.log_salt(),
            Ok(Some(_)) | Err(_) => return Err(not_as_recorded(record)),
            Ok(None) => return Err(Unproved::Erased),
        };
        let id = &record.capture_id;
        let leaf = self.state.leaves(&[id]).await?.remove(id.as_str()).ok_or(Unproved::NotLogged)?;
        let digest = record.digest().map_err(|error| Unproved::Contradicted(error.to_string()))?;
        let extra = Extra { salt, record: digest, timestamp: None };
        let (day, proof) = match self.dated(record, leaf.index, &extra, key, now).await? {
            Some((day, dated)) => (Some(day), Some(dated)),
            None => (None, LogProof::of_parts(extra, leaf.index, &leaf.path, &leaf.note)),
        };
        let proof = proof.filter(|proof| proof.verify(&record.manifest_sha256, key).is_ok());
        Ok(FoundProof { day, proof: proof.ok_or_else(|| not_as_recorded(record))? })
    }

    /// The proof under the first checkpoint with a timestamp that contains the capture, and that checkpoint's day.
    async fn dated(
        &self,
        record: &EvidenceRecord,
        index: u64,
        extra: &Extra,
        key: &LogKey,
        now: OffsetDateTime,
    ) -> Result<Option<(Date, LogProof)>, Unproved> {
        let environment = record.environment;
        let first = record.ingested_at.date();
        let last = now.date().min(first.saturating_add(Duration::days(DAYS)));
        let mut day = first;
        while day <= last {
            let dated = match self.files.dated(environment, day).await {
                // The file is not a checkpoint of this log.
                Err(Error::Corrupt { .. }) => None,
                dated => dated?,
            };
            if let Some(dated) = dated
                && let (Some(timestamp), Ok(checkpoint)) = (dated.timestamp, key.verify(&dated.note))
                && index < checkpoint.size
            {
                let path = read_inclusion_proof(&self.files.of(environment), index, checkpoint.size).await?;
                let extra = Extra { timestamp: Some(timestamp), ..extra.clone() };
                return Ok(Some((day, LogProof { extra, index, path, checkpoint: dated.note })));
            }
            let Some(next) = day.next_day() else { break };
            day = next;
        }
        Ok(None)
    }
}

fn not_as_recorded(record: &EvidenceRecord) -> Unproved {
    let id = record.capture_id.as_str();
    Unproved::Contradicted(format!("capture {id} does not match its entry in the log: run `log audit`"))
}
