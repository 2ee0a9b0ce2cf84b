//! Administration: the operations of operators on clients, API keys, licenses, alerts, evidence, webhooks and signing
//! keys.
//!
//! The admin API (a Lambda function behind IAM) and the command line `lacre-admin` call them. The operations on signing
//! keys and evidence need the features `signer` and `evidence`, which the API does not enable. A failed operation has
//! changed nothing unless its error says so, and repeating it continues where it stopped.

mod alerts;
mod api_keys;
mod audit;
mod caller;
mod captures;
mod clients;
mod error;
#[cfg(feature = "evidence")]
mod evidence;
mod licenses;
#[cfg(feature = "evidence")]
mod log;
mod overview;
mod recount;
#[cfg(feature = "signer")]
pub mod signer;
mod webhook_secrets;
mod webhooks;

use std::sync::Arc;

use lacre_domain::{Clock, clock::epoch_millis};
use lacre_storage::{
    Accounts, Alerts, Audit, CaptureSearch, Connection, Evidence, Outbox, Register, Renewals, SignerProfiles, Tally,
    Volume, WebhookSecrets,
};
use time::OffsetDateTime;

use caller::Auditor;

pub use alerts::AlertFilter;
pub use caller::Caller;
pub use captures::CaptureQuery;
pub use error::Error;
#[cfg(feature = "evidence")]
pub use evidence::{
    AtThreshold, CaptureScores, Comparison, Difference, ErasedCapture, ErasureOutcome, EvidenceAdministration,
    EvidenceView, OrphanedObjects, Protected, Restoration, Restored, Scores, Unprotected,
};
pub use lacre_api::admin::NewLicense;
pub use lacre_storage::{Listed, PageRequest};
#[cfg(feature = "evidence")]
pub use log::{LogAdministration, LogAudit, LogDifference, LogRepair, LogRestoration};
pub use recount::Recount;

/// The operations on clients, API keys, licenses, alerts and webhooks, with their ports.
#[derive(Clone)]
pub struct Administration {
    register: Register,
    accounts: Accounts,
    alerts: Alerts,
    volume: Volume,
    tally: Tally,
    evidence: Evidence,
    search: CaptureSearch,
    profiles: SignerProfiles,
    webhook_secrets: WebhookSecrets,
    outbox: Outbox,
    renewals: Renewals,
    audit: Audit,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl Administration {
    /// Creates the operations from a connection, for a caller.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        Self {
            register: Register::new(connection),
            accounts: Accounts::new(connection),
            alerts: Alerts::new(connection),
            volume: Volume::new(connection),
            tally: Tally::new(connection),
            evidence: Evidence::new(connection),
            search: CaptureSearch::new(connection),
            profiles: SignerProfiles::new(connection),
            webhook_secrets: WebhookSecrets::new(connection),
            outbox: Outbox::new(connection),
            renewals: Renewals::new(connection),
            audit: Audit::new(connection),
            auditor: Auditor::new(connection, Arc::clone(&clock), caller),
            clock,
        }
    }

    /// The same operations, with audit entries that name the given caller.
    #[must_use]
    pub fn by(&self, caller: Caller) -> Self {
        Self { auditor: self.auditor.by(caller), ..self.clone() }
    }
}

/// Checks the id of a client or license. A malformed id may be a pasted key, so the error does not repeat it.
fn check_id(what: &str, id: &str) -> Result<(), Error> {
    match is_id(id) {
        true => Ok(()),
        false => Err(Error::Invalid(format!("the id of a {what} must be a UUID"))),
    }
}

/// Whether a text has the format of an id: a UUID in lower case, with hyphens.
#[must_use]
pub fn is_id(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text)
}

/// A new id: a UUID v7, so that ids sort by time of issue.
fn new_id(now: OffsetDateTime) -> String {
    let millis = u64::try_from(epoch_millis(now)).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &lacre_storage::entropy()).into_uuid().to_string()
}
