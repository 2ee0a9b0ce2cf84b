//! The caller of an operation, and the audit log of operations.

use std::sync::Arc;

use lacre_domain::{AuditEntry, AuditOutcome, Clock, Operation, Operator, RequestId};
use lacre_storage::{Audit, ChangeError, Connection};

use crate::Error;

/// The caller of an operation, with the conditions that it sets.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The operator who makes the request.
    pub operator: Operator,
    /// The id of the request; `None` generates one. A request whose id was already carried out is refused.
    pub request: Option<RequestId>,
    /// The revision that a license must have to be changed; `None` accepts any.
    pub revision: Option<u32>,
}

impl Caller {
    /// A caller without conditions.
    #[must_use]
    pub fn of(operator: Operator) -> Self {
        Self { operator, request: None, revision: None }
    }

    /// Refuses a license whose revision differs from the one that the caller expects.
    pub(crate) fn check_revision(&self, revision: u32) -> Result<(), Error> {
        match self.revision {
            Some(known) if known != revision => Err(Error::Stale(format!(
                "the license has revision {revision}, not {known}: another operator changed it; read it again"
            ))),
            _ => Ok(()),
        }
    }
}

/// Writes the audit log on behalf of a caller.
#[derive(Clone)]
pub(crate) struct Auditor {
    audit: Audit,
    clock: Arc<dyn Clock>,
    pub(crate) caller: Caller,
}

impl Auditor {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        Self { audit: Audit::new(connection), clock, caller }
    }

    /// A new entry about an operation, to be written in the same transaction as the change.
    pub(crate) fn entry(&self, operation: Operation) -> AuditEntry {
        let id = self.caller.request.clone().unwrap_or_else(|| RequestId::from_entropy(lacre_storage::entropy()));
        AuditEntry::of(id, lacre_storage::attempt_id(), self.clock.now(), operation, self.caller.operator.clone())
    }

    /// If the operation failed, writes an entry that says so. Once that entry is written, the operation can no longer
    /// take effect.
    pub(crate) async fn keep<T>(&self, entry: &AuditEntry, outcome: Result<T, Error>) -> Result<T, Error> {
        let Err(error) = outcome else { return outcome };
        let ended = match &error {
            Error::Repeated { .. } | Error::NothingChanged(_) => return Err(error),
            Error::Unavailable(_) => entry.ended(AuditOutcome::Failed, "AWS failed; nothing was changed"),
            _ => entry.ended(AuditOutcome::Refused, error.to_string()),
        };
        match (self.audit.add(&ended).await, error) {
            (Ok(true), Error::Unavailable(lacre_storage::Error::Unavailable(cause))) => {
                Err(Error::NothingChanged(cause))
            }
            // The request was carried out before, so the current state no longer allows it.
            (Ok(false), error @ (Error::Stale(_) | Error::Refused(_))) => Err(self.repeated(entry, error).await),
            // If the refusal could not be recorded, the operation is refused all the same.
            (_, error) => Err(error),
        }
    }

    /// The error for a request that already has an entry.
    async fn repeated(&self, entry: &AuditEntry, error: Error) -> Error {
        match self.audit.read(&entry.id).await {
            Ok(Some(found)) if found.attempt != entry.attempt => {
                ChangeError::Repeated { at: found.at, outcome: found.outcome }.into()
            }
            _ => error,
        }
    }

    /// Writes the entry of an operation that changes nothing, after it. The caller must not have named the request, so
    /// that an entry with its id can only be this one, written by an attempt whose response was lost.
    #[cfg(feature = "copies")]
    pub(crate) async fn note(&self, entry: &AuditEntry) -> Result<(), Error> {
        self.audit.add(entry).await?;
        Ok(())
    }

    /// Writes the entry of an operation of several steps, before the first step.
    #[cfg(feature = "evidence")]
    pub(crate) async fn begin(&self, entry: &AuditEntry) -> Result<(), Error> {
        Ok(self.audit.begin(entry).await?)
    }
}
