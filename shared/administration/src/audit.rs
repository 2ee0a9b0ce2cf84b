//! The audit log as operators see it.

use aws::{Listed, PageRequest};
use domain::{AuditEntry, AuditOutcome, ClientId, Operation, RequestId, Via, capture::month_of, clock::rfc3339};
use serde::Serialize;

use crate::{Administration, Error, alerts::check_month};

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditView {
    /// The id of the request.
    pub id: RequestId,
    /// The service's time: RFC 3339, UTC.
    pub at: String,
    /// What was done.
    pub operation: Operation,
    /// How it ended.
    pub outcome: AuditOutcome,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
    /// How the operator reached the service.
    pub via: Via,
    /// From where: an IP address, or the name of a machine.
    pub source: String,
    /// The client that it concerns.
    pub client_id: Option<ClientId>,
    /// The id of the license, key, message, capture or environment that it concerns.
    pub subject: Option<String>,
    /// The values that were set, or why it was refused.
    pub detail: Option<String>,
}

impl Administration {
    /// What operators did in a month, the current one unless it is named, the latest first.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub async fn audit_of_month(&self, month: Option<&str>, page: &PageRequest) -> Result<Listed<AuditView>, Error> {
        let month = month.map_or_else(|| month_of(self.clock.now()), str::to_owned);
        check_month(&month)?;
        Ok(views(self.audit.of_month(&month, page).await?))
    }

    /// What operators did about a client, the latest first.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NotFound`].
    pub async fn audit_of_client(&self, client: &ClientId, page: &PageRequest) -> Result<Listed<AuditView>, Error> {
        self.client(client).await?;
        Ok(views(self.audit.of_client(client, page).await?))
    }

    /// What became of a request.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NotFound`] when it was not carried out, and no attempt at it has ended.
    pub async fn audit_entry(&self, id: &str) -> Result<AuditView, Error> {
        let id = RequestId::parse(id).ok_or_else(|| Error::Invalid("the id of a request is a UUID".into()))?;
        let entry = self.audit.read(&id).await?.ok_or_else(|| Error::not_found("request", &id))?;
        Ok(AuditView::of(entry))
    }
}

fn views(mut found: Listed<AuditEntry>) -> Listed<AuditView> {
    let views = found.entries.drain(..).map(AuditView::of).collect();
    found.with(views)
}

impl AuditView {
    fn of(entry: AuditEntry) -> Self {
        let AuditEntry { id, at, operation, outcome, principal, via, source, client_id, subject, detail, .. } = entry;
        Self { id, at: rfc3339(at), operation, outcome, principal, via, source, client_id, subject, detail }
    }
}
