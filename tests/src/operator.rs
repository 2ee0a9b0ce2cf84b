//! The operators that tests act as, as the audit log names them.

use lacre_administration::Caller;
use lacre_domain::{AuditEntry, Operation, Operator, RequestId, Via};
use time::OffsetDateTime;

use crate::vault::CUSTODIAN;

/// An operator who uses the command line.
pub fn caller(principal: &str) -> Caller {
    let source = "test.example".to_owned();
    Caller::of(Operator { principal: principal.to_owned(), via: Via::CommandLine, source })
}

/// An audit entry for tests that call a port directly, without an operator's operation.
pub fn entry() -> AuditEntry {
    entry_at(OffsetDateTime::now_utc())
}

/// The same at this time.
pub fn entry_at(at: OffsetDateTime) -> AuditEntry {
    let id = RequestId::from_entropy(lacre_storage::entropy());
    AuditEntry::of(id, lacre_storage::attempt_id(), at, Operation::ConfigureLicense, caller(CUSTODIAN).operator)
}
