//! Administration: the operations of operators on clients, API keys, licenses, kits, senders, alerts, evidence, webhooks
//! and signing keys.
//!
//! The admin API (a Lambda function behind IAM) and the command line `lacre-admin` call them. The operations on signing
//! keys and evidence need the features `signer` and `evidence`, which the API does not enable; that on copies needs
//! `copies`, which `find-proof` enables. A failed operation has changed nothing unless its error says so, and repeating
//! it continues where it stopped.

mod alerts;
mod api_keys;
mod audit;
mod caller;
mod captures;
mod clients;
#[cfg(feature = "copies")]
mod copies;
mod error;
#[cfg(feature = "evidence")]
mod evidence;
mod kits;
mod licenses;
#[cfg(feature = "evidence")]
mod log;
mod overview;
mod senders;
#[cfg(feature = "signer")]
pub mod signer;
mod usage;
mod webhooks;

use std::sync::Arc;

use lacre_domain::{Clock, Environment, clock::epoch_millis};
use lacre_storage::Connection;
use time::OffsetDateTime;

use caller::Auditor;

pub use alerts::{AlertFilter, RaisedAlerts};
pub use api_keys::ApiKeys;
pub use audit::AuditLog;
pub use caller::Caller;
pub use captures::{CaptureQuery, CaptureRecords};
pub use clients::Clients;
#[cfg(feature = "copies")]
pub use copies::CopySearch;
pub use error::Error;
#[cfg(feature = "evidence")]
pub use evidence::{
    AtThreshold, CaptureScores, Comparison, Difference, ErasedCapture, ErasedRefusals, ErasureOutcome,
    EvidenceAdministration, EvidenceView, IndexRepair, OrphanedObjects, Protected, Restoration, Restored, Scores,
    Unprotected,
};
pub use kits::{Kits, StoredKit, kit_version};
pub use lacre_api::admin::NewLicense;
#[cfg(feature = "evidence")]
pub use lacre_lookup::LastingEvidence;
pub use lacre_storage::{Listed, PageRequest};
pub use licenses::Licenses;
#[cfg(feature = "evidence")]
pub use log::{LogAdministration, LogAudit, LogDifference, LogRepair, LogRestoration};
pub use overview::ServiceOverview;
pub use senders::{Senders, StoredSender};
pub use usage::{Recount, UsageCounts};
pub use webhooks::Webhooks;

/// The operations that every operator may use, by subject. Those on evidence, on copies, on the transparency log and on
/// signing keys have types of their own, because they need other roles.
pub struct Administration {
    /// Clients.
    pub clients: Clients,
    /// API keys.
    pub api_keys: ApiKeys,
    /// Licenses and their keys.
    pub licenses: Licenses,
    /// Capture kits.
    pub kits: Kits,
    /// Senders.
    pub senders: Senders,
    /// The counts of licenses' captures.
    pub usage: UsageCounts,
    /// Attempts at webhooks, and webhook secrets.
    pub webhooks: Webhooks,
    /// Alerts.
    pub alerts: RaisedAlerts,
    /// Captures, without personal data.
    pub captures: CaptureRecords,
    /// The audit log.
    pub audit: AuditLog,
    /// The overview of the service.
    pub overview: ServiceOverview,
    connection: Connection,
    clock: Arc<dyn Clock>,
}

impl Administration {
    /// Creates the operations from a connection, for a caller.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        let auditor = Auditor::new(connection, Arc::clone(&clock), caller);
        let (auditor, time) = (|| auditor.clone(), || Arc::clone(&clock));
        Self {
            clients: Clients::new(connection, auditor(), time()),
            api_keys: ApiKeys::new(connection, auditor(), time()),
            licenses: Licenses::new(connection, auditor(), time()),
            kits: Kits::new(connection, auditor(), time()),
            senders: Senders::new(connection, auditor(), time()),
            usage: UsageCounts::new(connection, auditor(), time()),
            webhooks: Webhooks::new(connection, auditor(), time()),
            alerts: RaisedAlerts::new(connection, auditor(), time()),
            captures: CaptureRecords::new(connection),
            audit: AuditLog::new(connection, time()),
            overview: ServiceOverview::new(connection, time()),
            connection: connection.clone(),
            clock: time(),
        }
    }

    /// The same operations, with audit entries that name the given caller.
    #[must_use]
    pub fn by(&self, caller: Caller) -> Self {
        Self::new(&self.connection, Arc::clone(&self.clock), caller)
    }
}

/// Parses the name of an environment as paths of the admin API have it.
///
/// # Errors
/// [`Error::Invalid`].
pub fn environment(name: &str) -> Result<Environment, Error> {
    let environment = Environment::ALL.into_iter().find(|environment| environment.name() == name);
    environment.ok_or_else(|| Error::Invalid("the environment must be PRODUCTION, STAGING or SANDBOX".into()))
}

/// The bits of a new id: a UUID v7, so that ids sort by time of issue.
fn new_id(now: OffsetDateTime) -> u128 {
    let millis = u64::try_from(epoch_millis(now)).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &lacre_storage::entropy()).into_uuid().as_u128()
}
