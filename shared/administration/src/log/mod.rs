//! Operations on the transparency log: auditing it against the evidence, restoring it, and making proofs.
//!
//! They require the custodian's role, like those on evidence, because entries are computed from personal items.

mod audit;
mod proof;
mod restore;

use std::sync::Arc;

use lacre_domain::{Clock, Environment, SignError};
use lacre_lookup::{LogProofs, entry_of};
use lacre_storage::{Captures, Connection, Evidence, Export, LogFiles, LogSigner, LogState, Personal};
use lacre_transparency::{FollowError, LogKey};

pub use self::{
    audit::{LogAudit, LogDifference},
    restore::{LogRepair, LogRestoration},
};
use crate::{
    Error,
    caller::{Auditor, Caller},
};

/// The operations on the log, with their ports.
pub struct LogAdministration {
    captures: Captures,
    evidence: Evidence,
    personal: Personal,
    exported: Export,
    state: LogState,
    files: LogFiles,
    signer: LogSigner,
    proofs: LogProofs,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl LogAdministration {
    /// Creates the operations from a connection, for a caller.
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
            proofs: LogProofs::new(connection),
            auditor: Auditor::new(connection, Arc::clone(&clock), caller),
            clock,
        }
    }

    /// The verification key of an environment's log, from KMS.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Refused`] if the deployment has no valid log key.
    pub async fn key(&self, environment: Environment) -> Result<LogKey, Error> {
        self.signer.key(environment).await.map_err(|error| match error {
            SignError::Unavailable(cause) => Error::Unavailable(lacre_storage::Error::Unavailable(cause)),
            other => Error::Refused(format!("the log's key: {other}")),
        })
    }
}

/// Distinguishes a log that is inconsistent, which is a finding, from one that cannot be read, which is an error.
fn finding(error: FollowError<lacre_storage::Error>) -> Result<String, Error> {
    match error {
        FollowError::Read(lacre_storage::Error::Corrupt { cause, .. }) => Ok(cause),
        FollowError::Read(error) => Err(error.into()),
        other => Ok(other.to_string()),
    }
}
