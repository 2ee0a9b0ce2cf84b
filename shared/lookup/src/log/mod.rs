//! Makes what proves a capture by the public transparency log, from the log's files and the capture's own salt: its
//! transparency proof, and what must be kept with it so that the proof holds for decades.

mod lasting;
mod proof;

use lacre_domain::EvidenceRecord;
use lacre_storage::{Connection, Error, Holding, LogFiles, LogState};
use lacre_transparency::{Entry, FollowError};

pub use self::{
    lasting::{LastingEvidence, StoredBundle},
    proof::FoundProof,
};

/// Makes proofs by the logs.
pub struct LogProofs {
    state: LogState,
    files: LogFiles,
}

impl LogProofs {
    /// The proofs with their ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { state: LogState::new(connection), files: LogFiles::new(connection) }
    }
}

/// Why a capture has no proof.
#[derive(Debug, thiserror::Error)]
pub enum Unproved {
    /// The record has no log entry.
    #[error("the capture was recorded before there was a log")]
    BeforeTheLog,
    /// The salt was erased with the personal item.
    #[error("the capture's salt was erased, so its leaf can no longer be proved")]
    Erased,
    /// The sequencer has not added the leaf.
    #[error("the capture is not in the log yet: run `log audit`")]
    NotLogged,
    /// No checkpoint with a timestamp contains the leaf.
    #[error("no timestamp of the month after the capture covers it; until a day has passed, wait")]
    NotDated,
    /// The log's files, the record or the personal item do not match each other.
    #[error("{0}")]
    Contradicted(String),
    /// A call to AWS failed, or what it returned cannot be parsed.
    #[error(transparent)]
    Storage(#[from] Error),
}

impl From<FollowError<Error>> for Unproved {
    fn from(error: FollowError<Error>) -> Self {
        match error {
            FollowError::Read(error @ Error::Unavailable(_)) => Self::Storage(error),
            FollowError::Read(Error::Corrupt { cause, .. }) => Self::Contradicted(format!("the log: {cause}")),
            other => Self::Contradicted(format!("the log: {other}")),
        }
    }
}

/// The log entry of a record, recomputed from the evidence; `None` without the personal item.
#[must_use]
pub fn entry_of(record: &EvidenceRecord, held: &Holding) -> Option<Entry> {
    let personal = held.personal.as_ref().ok()?.as_ref()?;
    Entry::of_capture(&personal.log_salt(), record).ok()
}
