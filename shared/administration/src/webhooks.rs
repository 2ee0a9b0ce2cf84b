//! Attempts at webhooks: how they stand, and another one where an operator asks for it.

use aws::OutboxItem;
use domain::{Attempt, AttemptState, ClientId, DeliveryResult, Environment, MessageId, Origin, clock::rfc3339};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Administration, Error};

/// The number of attempts that are listed unless another is asked for, and the most.
const LISTED: (usize, usize) = (50, 500);

/// Which attempts are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttemptFilter {
    /// Those that stand so. It filters the last `limit` attempts.
    pub state: Option<AttemptState>,
    /// The number of last attempts that are looked at: 50, at most 500.
    pub limit: Option<usize>,
}

/// An attempt as operators see it: not its message, which opens photos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptView {
    /// The message, as the receiver knows it: the header `webhook-id`.
    pub message_id: MessageId,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The client.
    pub client_id: ClientId,
    /// The environment of the session.
    pub environment: Environment,
    /// The receiver's origin. The rest of its URL may hold a secret of the integrator.
    pub receiver: Origin,
    /// How it stands.
    pub state: AttemptState,
    /// How it ended; `null` before, and where that is not known.
    pub result: Option<DeliveryResult>,
    /// The HTTP status of the response, if one came.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The beginning of a response that refused, or the cause of a failure.
    pub detail: String,
    /// When it was asked for: RFC 3339, UTC.
    pub requested_at: String,
    /// When it began: RFC 3339, UTC.
    pub claimed_at: Option<String>,
    /// When the message can no longer be delivered: RFC 3339, UTC.
    pub expires_at: String,
}

impl Administration {
    /// A client's last attempts, the latest first.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn webhooks(&self, client_id: &ClientId, filter: &AttemptFilter) -> Result<Vec<AttemptView>, Error> {
        let (usual, most) = LISTED;
        let limit = filter.limit.unwrap_or(usual);
        if !(1..=most).contains(&limit) {
            return Err(Error::Invalid(format!("limit is 1 to {most}")));
        }
        self.client(client_id).await?;
        let now = self.clock.now();
        let attempts = self.outbox.latest(client_id, limit, now).await?;
        let views = attempts.iter().map(|attempt| AttemptView::of(attempt, now));
        Ok(views.filter(|view| filter.state.is_none_or(|state| view.state == state)).collect())
    }

    /// Asks for another attempt at a message, after the last one ended. It takes the place of one that was not made within a
    /// minute.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NotFound`]; [`Error::Refused`] while an attempt is about to be made, or under way.
    pub async fn redeliver_webhook(&self, client_id: &ClientId, message: &str) -> Result<AttemptView, Error> {
        let id = MessageId::parse(message);
        let id =
            id.ok_or_else(|| Error::Invalid("the id of a message is msg_ and 32 hexadecimal characters".into()))?;
        self.client(client_id).await?;
        let now = self.clock.now();
        let last = self.outbox.last(client_id, &id, now).await?;
        let OutboxItem { attempt, body } = last.ok_or_else(|| Error::not_found("message", &id))?;
        if !attempt.may_be_followed(now) {
            return Err(Error::Refused(format!("attempt {} at message {id} has not ended yet", attempt.number)));
        }
        let next = OutboxItem { attempt: attempt.next(now), body };
        match self.outbox.add(&next, Some(&attempt)).await? {
            true => Ok(AttemptView::of(&next.attempt, now)),
            false => Err(Error::changed_meanwhile("message")),
        }
    }
}

impl AttemptView {
    fn of(attempt: &Attempt, now: OffsetDateTime) -> Self {
        let outcome = attempt.outcome.as_ref();
        Self {
            message_id: attempt.message_id.clone(),
            attempt: attempt.number,
            client_id: attempt.client_id.clone(),
            environment: attempt.environment,
            receiver: attempt.url.origin(),
            state: attempt.state(now),
            result: outcome.map(|outcome| outcome.result),
            status: outcome.and_then(|outcome| outcome.status),
            duration_ms: outcome.map(|outcome| outcome.duration_ms),
            detail: outcome.map(|outcome| outcome.detail.clone()).unwrap_or_default(),
            requested_at: rfc3339(attempt.requested_at),
            claimed_at: attempt.claimed_at.map(rfc3339),
            expires_at: rfc3339(attempt.expires_at),
        }
    }
}
