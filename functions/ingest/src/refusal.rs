//! Records a refused photo, so that the dossier of its reference can list it.
//!
//! Nothing is recorded before the session is known: whoever has no token of a session causes no write. A refusal is
//! answered even if it cannot be recorded.

use lacre_domain::{ClientId, Environment, ReferenceId, RefusedPhoto, Session, SessionToken};
use lacre_http::Rejection;
use lacre_storage::{Case, Connection, Refusals};
use time::OffsetDateTime;

use crate::payload::Payload;

/// An attempt to capture a photo in a session that exists.
#[derive(Debug)]
pub(crate) struct Attempt {
    client: ClientId,
    environment: Environment,
    reference: ReferenceId,
    /// The record of the attempt, for the case that it is refused; the reason is empty until then.
    refused: RefusedPhoto,
}

impl Attempt {
    pub(crate) fn of(token: &SessionToken, session: &Session, payload: &Payload, at: OffsetDateTime) -> Self {
        let order = u32::try_from(payload.photo_order).ok().filter(|order| session.photo(*order).is_some());
        Self {
            client: session.client_id.clone(),
            environment: session.environment,
            reference: session.reference_id.clone(),
            refused: RefusedPhoto {
                session: token.hash(),
                session_created_at: session.created_at,
                at,
                photo_order: order,
                reason: String::new(),
                frame_hash: payload.frame_hash,
            },
        }
    }
}

/// The step that follows a refusal.
pub(crate) struct RecordRefusal {
    refusals: Refusals,
}

impl RecordRefusal {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { refusals: Refusals::new(connection) }
    }

    /// Records the refusal of an attempt, unless the service failed, or the session's reference was erased.
    pub(crate) async fn record(&self, attempt: Attempt, rejection: &Rejection) {
        let Attempt { client, environment, reference, mut refused } = attempt;
        if !RefusedPhoto::is_recorded(rejection.refusal()) || reference == ReferenceId::erased() {
            return;
        }
        rejection.refusal().name().clone_into(&mut refused.reason);
        let case = Case { client: &client, environment, reference: &reference };
        match self.refusals.record(case, &refused).await {
            Ok(true) => {}
            Ok(false) => {
                tracing::info!("the refusal is not recorded: the limit of its session or reference is reached")
            }
            Err(error) => tracing::warn!(cause = %error, "failed to record the refusal"),
        }
    }
}
