//! Webhooks: the attempts at them, their redelivery, and the secrets that sign them.

mod secrets;

use std::sync::Arc;

use lacre_api::admin::AttemptView;
use lacre_domain::{Attempt, AttemptState, ClientId, Clock, MessageId, Operation, Renewal, clock::rfc3339};
use lacre_storage::{Connection, Listed, Outbox, OutboxItem, PageRequest, Register, Renewals, WebhookSecrets};
use time::OffsetDateTime;

pub(crate) use self::secrets::{is_signed, no_secret};
use crate::{
    Error,
    caller::Auditor,
    clients::{active_client, existing_client},
};

/// The operations on attempts at webhooks and on webhook secrets.
pub struct Webhooks {
    register: Register,
    outbox: Outbox,
    renewals: Renewals,
    secrets: WebhookSecrets,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl Webhooks {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self {
            register: Register::new(connection),
            outbox: Outbox::new(connection),
            renewals: Renewals::new(connection),
            secrets: WebhookSecrets::new(connection),
            auditor,
            clock,
        }
    }

    /// A client's attempts, newest first. If a state is given, each page contains only the attempts in that state, so
    /// it may be empty without being the last.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for an invalid cursor.
    pub async fn attempts(
        &self,
        client_id: &ClientId,
        state: Option<AttemptState>,
        page: &PageRequest,
    ) -> Result<Listed<AttemptView>, Error> {
        existing_client(&self.register, client_id).await?;
        let now = self.clock.now();
        let found = self.outbox.latest(client_id, page, now).await?;
        let views = found.entries.iter().map(|attempt| view(attempt, now));
        let views = views.filter(|view| state.is_none_or(|state| view.state == state)).collect();
        Ok(found.with(views))
    }

    /// The failed attempts of all clients that were not followed by a redelivery, newest first.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid cursor.
    pub async fn failing(&self, page: &PageRequest) -> Result<Listed<AttemptView>, Error> {
        let now = self.clock.now();
        let found = self.outbox.failing(page, now).await?;
        let views = found.entries.iter().map(|attempt| view(attempt, now)).collect();
        Ok(found.with(views))
    }

    /// Requests another attempt at a message, once the last one has ended. It replaces an attempt that was not made
    /// within a minute.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] while an attempt is pending or in progress, while the client is
    /// suspended, or if a photo of the message is withheld or erased.
    pub async fn redeliver(&self, client_id: &ClientId, id: &MessageId) -> Result<AttemptView, Error> {
        let entry = self.auditor.entry(Operation::RedeliverWebhook).for_client(client_id);
        let redelivered = async {
            active_client(&self.register, client_id).await?;
            let now = self.clock.now();
            let last = self.outbox.last(client_id, id, now).await?;
            let OutboxItem { attempt, body } = last.ok_or_else(|| Error::not_found("message", id))?;
            if !attempt.may_be_followed(now) {
                return Err(Error::Refused(format!("attempt {} at message {id} has not ended yet", attempt.number)));
            }
            // The stored body contains URLs of photos that must no longer be delivered.
            let renewals = self.renewals.read(client_id, &attempt.captures).await?;
            if renewals.iter().any(|renewal| *renewal != Renewal::Allowed) {
                return Err(Error::Refused(format!(
                    "message {id} leads to a photo that is withheld or erased, and is not sent again: the session's results \
                     have what may be delivered"
                )));
            }
            let next = OutboxItem { attempt: attempt.next(now), body };
            let entry = entry.clone().about(id).with_detail(format!("attempt {}", next.attempt.number));
            match self.outbox.add(&next, Some(&attempt), &entry).await? {
                true => Ok(view(&next.attempt, now)),
                false => Err(Error::changed_meanwhile("message")),
            }
        };
        let redelivered = redelivered.await;
        self.auditor.keep(&entry, redelivered).await
    }
}

fn view(attempt: &Attempt, now: OffsetDateTime) -> AttemptView {
    let outcome = attempt.outcome.as_ref();
    AttemptView {
        message_id: attempt.message_id.as_str().into(),
        attempt: attempt.number,
        client_id: attempt.client_id.clone(),
        environment: attempt.environment,
        receiver: attempt.url.origin().to_string(),
        state: attempt.state(now),
        result: outcome.map(|outcome| outcome.result),
        status: outcome.and_then(|outcome| outcome.status),
        duration_ms: outcome.map(|outcome| outcome.duration_ms),
        detail: outcome.map(|outcome| outcome.detail.clone()).unwrap_or_default(),
        requested_at: rfc3339(attempt.requested_at).into(),
        claimed_at: attempt.claimed_at.map(rfc3339).map(Into::into),
        expires_at: rfc3339(attempt.expires_at).into(),
    }
}
