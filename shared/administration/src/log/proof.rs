//! Makes transparency proofs, and the files that prove a capture for decades.

use lacre_domain::EvidenceRecord;
use lacre_lookup::{LastingEvidence, Unproved};
use lacre_storage::Holding;
use lacre_transparency::LogKey;

use super::LogAdministration;
use crate::{Error, captures::capture_id};

impl LogAdministration {
    /// The transparency proof of a capture, by its `session_id` or capture id, in C2SP `tlog-proof` format. It uses the
    /// first checkpoint with a timestamp that contains the capture or, if there is none, the checkpoint with which the
    /// capture was added.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if the capture is not in the log, was erased, or does not match its log
    /// entry; [`Error::Unavailable`].
    pub async fn proof(&self, id: &str, key: Option<&LogKey>) -> Result<String, Error> {
        let (record, held) = self.capture(id).await?;
        let key = self.key_or(key, &record).await?;
        Ok(self.proofs.proof(&record, &held, &key, self.clock.now()).await?.proof.to_string())
    }

    /// The files that prove a capture for decades, by its `session_id` or capture id.
    ///
    /// # Errors
    /// Those of [`LogAdministration::proof`]; [`Error::Refused`] if no timestamp covers the capture yet, or if the log's
    /// renewals contradict its timestamps.
    pub async fn evidence(&self, id: &str, key: Option<&LogKey>) -> Result<LastingEvidence, Error> {
        let (record, held) = self.capture(id).await?;
        let key = self.key_or(key, &record).await?;
        let evidence = self.proofs.evidence(&record, &held, &key, self.clock.now()).await?;
        Ok(self.proofs.with_bundles(evidence).await?)
    }

    async fn capture(&self, id: &str) -> Result<(EvidenceRecord, Holding), Error> {
        let id = capture_id(id)?;
        let not_found = || Error::not_found("capture", &id.as_str());
        let record = self.captures.read(&id).await?.ok_or_else(not_found)?;
        let held = self.personal.read(&[&id]).await?.pop().ok_or_else(not_found)?;
        Ok((record, held))
    }

    async fn key_or(&self, key: Option<&LogKey>, record: &EvidenceRecord) -> Result<LogKey, Error> {
        match key {
            Some(key) => Ok(key.clone()),
            None => self.key(record.environment).await,
        }
    }
}

impl From<Unproved> for Error {
    fn from(unproved: Unproved) -> Self {
        match unproved {
            Unproved::Storage(error) => Self::Unavailable(error),
            other => Self::Refused(other.to_string()),
        }
    }
}
