//! The audit log as operators see it.

use std::sync::Arc;

use lacre_api::admin::{AuditView, Id};
use lacre_domain::{AuditEntry, ClientId, Clock, RequestId, capture::month_of, clock::rfc3339};
use lacre_storage::{Audit, Connection, Listed, PageRequest, Register};

use crate::{Error, alerts::check_month, clients::existing_client};

/// Reads the audit log.
pub struct AuditLog {
    register: Register,
    audit: Audit,
    clock: Arc<dyn Clock>,
}

impl AuditLog {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self { register: Register::new(connection), audit: Audit::new(connection), clock }
    }

    /// What operators did in a month (by default the current one), newest first.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub async fn of_month(&self, month: Option<&str>, page: &PageRequest) -> Result<Listed<AuditView>, Error> {
        let month = month.map_or_else(|| month_of(self.clock.now()), str::to_owned);
        check_month(&month)?;
        Ok(views(self.audit.of_month(&month, page).await?))
    }

    /// What operators did about a client, newest first.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NotFound`].
    pub async fn of_client(&self, client: &ClientId, page: &PageRequest) -> Result<Listed<AuditView>, Error> {
        existing_client(&self.register, client).await?;
        Ok(views(self.audit.of_client(client, page).await?))
    }

    /// The outcome of a request.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the request was not carried out and no attempt at it has ended.
    pub async fn entry(&self, id: &RequestId) -> Result<AuditView, Error> {
        let entry = self.audit.read(id).await?.ok_or_else(|| Error::not_found("request", id))?;
        Ok(view(entry))
    }
}

fn views(mut found: Listed<AuditEntry>) -> Listed<AuditView> {
    let views = found.entries.drain(..).map(view).collect();
    found.with(views)
}

fn view(entry: AuditEntry) -> AuditView {
    let AuditEntry { id, at, operation, outcome, principal, via, source, client_id, subject, detail, .. } = entry;
    let (id, at) = (Id(id.to_string()), rfc3339(at).into());
    AuditView { id, at, operation, outcome, principal, via, source, client_id, subject, detail }
}
