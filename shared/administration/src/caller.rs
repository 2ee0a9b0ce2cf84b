//! Who asks for an operation, and the audit log of what was asked.

use std::sync::Arc;

use lacre_domain::{AuditEntry, AuditOutcome, ClientId, Clock, Operation, Operator, RequestId};
use lacre_storage::{Audit, Connection};

use crate::{Error, is_id};

/// Who asks for an operation, and on which conditions.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The operator.
    pub operator: Operator,
    /// The id of the request. One that was carried out before is refused. `None` is a new one.
    pub request: Option<RequestId>,
    /// The revision that a license must have to be changed; `None` is any.
    pub revision: Option<u32>,
}

impl Caller {
    /// An operator, without conditions.
    #[must_use]
    pub fn of(operator: Operator) -> Self {
        Self { operator, request: None, revision: None }
    }

    /// Refuses a license that is not of the revision that the caller knows.
    pub(crate) fn check_revision(&self, revision: u32) -> Result<(), Error> {
        match self.revision {
            Some(known) if known != revision => Err(Error::Stale(format!(
                "the license is of revision {revision}, and not {known}: another operator changed it meanwhile"
            ))),
            _ => Ok(()),
        }
    }
}

/// Writes the audit log for a caller.
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

    pub(crate) fn by(&self, caller: Caller) -> Self {
        Self { caller, ..self.clone() }
    }

    /// The entry about an operation, which is written with what it changes.
    pub(crate) fn entry(&self, operation: Operation) -> AuditEntry {
        let id = self.caller.request.clone().unwrap_or_else(|| RequestId::from_entropy(lacre_storage::entropy()));
        AuditEntry::of(id, lacre_storage::attempt_id(), self.clock.now(), operation, self.caller.operator.clone())
    }

    /// The same about a client. What has not the form of an id may be a pasted key, and is not kept.
    pub(crate) fn entry_for(&self, operation: Operation, client: &ClientId) -> AuditEntry {
        let entry = self.entry(operation);
        if is_id(&client.0) { entry.for_client(client) } else { entry }
    }

    /// The same about a thing with an id.
    pub(crate) fn entry_about(&self, operation: Operation, id: &str) -> AuditEntry {
        let entry = self.entry(operation);
        if is_id(id) { entry.about(id) } else { entry }
    }

    /// Keeps an entry of an operation that was not carried out. Where it succeeds, the operation never will be.
    pub(crate) async fn keep<T>(&self, entry: &AuditEntry, outcome: Result<T, Error>) -> Result<T, Error> {
        let Err(error) = outcome else { return outcome };
        let ended = match &error {
            Error::Repeated { .. } | Error::Unavailable(lacre_storage::Error::NothingChanged(_)) => return Err(error),
            Error::Unavailable(_) => entry.ended(AuditOutcome::Failed, "AWS failed; nothing was changed"),
            _ => entry.ended(AuditOutcome::Refused, error.to_string()),
        };
        match (self.audit.add(&ended).await, error) {
            (Ok(true), Error::Unavailable(lacre_storage::Error::Unavailable(cause))) => {
                Err(Error::Unavailable(lacre_storage::Error::NothingChanged(cause)))
            }
            // The request was carried out before, which is why the state does not allow it any more.
            (Ok(false), error @ (Error::Stale(_) | Error::Refused(_))) => Err(self.repeated(entry, error).await),
            // That the log lacks a refusal changes nothing about it.
            (_, error) => Err(error),
        }
    }

    /// What to say of a request that has an entry already.
    async fn repeated(&self, entry: &AuditEntry, error: Error) -> Error {
        match self.audit.read(&entry.id).await {
            Ok(Some(found)) if found.attempt != entry.attempt => {
                lacre_storage::Error::Repeated { at: found.at, outcome: found.outcome }.into()
            }
            _ => error,
        }
    }

    /// Writes the entry about an operation of several steps before the first of them.
    #[cfg(feature = "evidence")]
    pub(crate) async fn begin(&self, entry: &AuditEntry) -> Result<(), Error> {
        Ok(self.audit.begin(entry).await?)
    }
}
