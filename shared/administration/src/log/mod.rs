//! The transparency log as operators keep it: audited against the evidence, mended, and proved from.
//!
//! Like evidence, it is the custodian's: entries are computed from personal items.

mod audit;
mod proof;
mod restore;

use std::sync::Arc;

use lacre_domain::{Clock, Environment, EvidenceRecord, SignError};
use lacre_storage::{Captures, Connection, Evidence, Export, Holding, LogFiles, LogSigner, LogState, Personal};
use lacre_transparency::{Entry, FollowError, LogKey};

pub use self::{
    audit::{LogAudit, LogDifference},
    restore::{LogRepair, LogRestoration},
};
use crate::{
    Error,
    caller::{Auditor, Caller},
};

/// The operations on the log, over their ports.
pub struct LogAdministration {
    captures: Captures,
    evidence: Evidence,
    personal: Personal,
    exported: Export,
    state: LogState,
    files: LogFiles,
    signer: LogSigner,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl LogAdministration {
    /// The operations over a connection, for a caller.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        let connection = &connection.as_program("custodian");
        Self {
            captures: Captures::new(connection),
            evidence: Evidence::new(connection),
            personal: Personal::new(connection),
            exported: Export::new(connection),
            state: LogState::new(connection),
            files: LogFiles::new(connection),
            signer: LogSigner::new(connection),
            auditor: Auditor::new(connection, Arc::clone(&clock), caller),
            clock,
        }
    }

    /// The public key of an environment's log, as KMS has it.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Refused`] where the deployment has no key of a log.
    pub async fn key(&self, environment: Environment) -> Result<LogKey, Error> {
        self.signer.key(environment).await.map_err(|error| match error {
            SignError::Unavailable(cause) => Error::Unavailable(lacre_storage::Error::Unavailable(cause)),
            other => Error::Refused(format!("the log's key: {other}")),
        })
    }
}

/// The entry of a record, computed from what evidence holds; `None` without its personal item.
fn entry_of(record: &EvidenceRecord, held: &Holding) -> Option<Entry> {
    let personal = held.personal.as_ref().ok()?.as_ref()?;
    Entry::of_capture(&personal.log_salt(), record).ok()
}

/// A log that cannot be read is no finding; a log that is not what it should be is one.
fn finding(error: FollowError<lacre_storage::Error>) -> Result<String, Error> {
    match error {
        FollowError::Read(lacre_storage::Error::Corrupt { cause, .. }) => Ok(cause),
        FollowError::Read(error) => Err(error.into()),
        other => Ok(other.to_string()),
    }
}
