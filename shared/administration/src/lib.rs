//! Administration: what operators do with clients, API keys, licenses, alerts, evidence, webhooks and signing keys.
//!
//! The admin API (a Lambda function behind IAM) and the command line `lacre-admin` call it. Signing keys and evidence are behind
//! the features `signer` and `evidence`, which the API does not enable. An operation that fails has changed nothing, unless its
//! error says so; repeated, it continues where it stopped.

mod alerts;
mod api_keys;
mod clients;
mod error;
#[cfg(feature = "evidence")]
mod evidence;
mod licenses;
mod recount;
#[cfg(feature = "signer")]
pub mod signer;
mod webhook_secrets;
mod webhooks;

use std::sync::Arc;

use aws::{Accounts, Alerts, Connection, Evidence, Outbox, Register, Volume, WebhookSecrets};
use domain::Clock;

pub use alerts::{AlertFilter, AlertView};
pub use api_keys::{ApiKeyView, NewApiKey};
pub use error::Error;
#[cfg(feature = "evidence")]
pub use evidence::{
    Act, CaptureView, Comparison, Difference, ErasedCapture, ErasureOutcome, EvidenceAdministration, OrphanedObjects,
    Restoration, Restored,
};
pub use licenses::{HostedLicenseView, LicenseView, NewLicense, Usage};
pub use recount::Recount;
pub use webhook_secrets::{NewWebhookSecret, WebhookSecretState, WebhookSecretView};
pub use webhooks::{AttemptFilter, AttemptView};

/// The operations, over their ports.
pub struct Administration {
    register: Register,
    accounts: Accounts,
    alerts: Alerts,
    volume: Volume,
    evidence: Evidence,
    webhook_secrets: WebhookSecrets,
    outbox: Outbox,
    clock: Arc<dyn Clock>,
}

impl Administration {
    /// The operations over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self {
            register: Register::new(connection),
            accounts: Accounts::new(connection),
            alerts: Alerts::new(connection),
            volume: Volume::new(connection),
            evidence: Evidence::new(connection),
            webhook_secrets: WebhookSecrets::new(connection),
            outbox: Outbox::new(connection),
            clock,
        }
    }
}

/// Checks the id of a client or a license. A malformed one may be a pasted key, so the error does not repeat it.
fn check_id(what: &str, id: &str) -> Result<(), Error> {
    match is_id(id) {
        true => Ok(()),
        false => Err(Error::Invalid(format!("the id of a {what} is a UUID"))),
    }
}

/// Whether a text has the form of an id: a UUID, in lower case and with hyphens.
#[must_use]
pub fn is_id(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text)
}

/// A new identity: a UUID v4.
fn new_id() -> String {
    uuid::Builder::from_random_bytes(aws::entropy()).into_uuid().to_string()
}
