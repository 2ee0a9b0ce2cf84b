//! `GET /web/session-status/:token`: the progress of a hosted session. The page asks for it before it loads the session,
//! then also for what it tells the customer first; and a computer that handed the session over to a phone polls it.

use std::sync::Arc;

use lacre_api::{Introduction, Refusal, SessionProgress};
use lacre_domain::{Clock, Sender, Session, SessionToken, clock::rfc3339};
use lacre_http::{
    Body, Context, Endpoint, OrRefuseAs, Rejection, Request, Response, json, path_parameter, read_session,
    record_log_subject,
};
use lacre_storage::{Accounts, Connection, Error, Sessions};
use lambda_http::RequestExt;

/// The endpoint with its ports.
pub struct SessionStatusRoute {
    sessions: Sessions,
    accounts: Accounts,
    context: Context,
}

impl Endpoint for SessionStatusRoute {
    async fn warm_up(&self) {
        let _ = self.sessions.read(&SessionToken::from_entropy([0; 16]), self.context.now()).await;
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        self.context.respond(self.progress(&request)).await
    }
}

impl SessionStatusRoute {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("session-status");
        Self {
            sessions: Sessions::new(connection),
            accounts: Accounts::new(connection),
            context: Context::new(connection, clock),
        }
    }

    async fn progress(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let token = SessionToken::parse(&path_parameter(request, "token")).ok_or(Refusal::SessionNotFound)?;
        record_log_subject("session", token.hash().short());
        let session = read_session(&self.sessions, &token, now).await?;
        session.check_flow(true)?;
        let introduction = match request.query_string_parameters().first("introduction") {
            Some("true") => Some(self.introduction(&session).await?),
            _ => None,
        };
        let pending = session.pending_order().and_then(|order| session.photo(order));
        json(&SessionProgress {
            status: session.status(now),
            total_photos: session.total_photos(),
            captured_count: session.captured_count(),
            expires_at: rfc3339(session.expires_at).into(),
            kit: session.hosted.as_ref().and_then(|flow| flow.kit.version_text()),
            step: pending.and_then(|photo| photo.step_id().cloned()),
            introduction,
        })
    }

    /// The sender, and the titles of the photos. A sender that cannot be parsed is left out: the photos can be taken
    /// without it.
    async fn introduction(&self, session: &Session) -> Result<Introduction, Rejection> {
        let (client, environment) = (&session.client_id, session.environment);
        let kit = &session.hosted.as_ref().ok_or(Refusal::SessionNotFound)?.kit;
        let (sender, kit) =
            tokio::join!(self.accounts.sender(client, environment), self.accounts.kit_of(client, environment, kit));
        let refusal = |error: &Error| error.refusal(Refusal::SessionCorrupt, Refusal::UpstreamUnavailable);
        let (sender, kit) = (sender.or_refuse_as(refusal)?, kit.or_refuse_as(refusal)?);
        let sender = sender.and_then(|record| Sender::parse(record.json.as_bytes()).ok());
        let steps = session.steps(&kit).ok_or(Refusal::SessionCorrupt)?;
        let asked = steps.into_iter().zip(&session.photos).filter(|(_, photo)| !photo.skipped);
        Ok(Introduction {
            sender: sender.map(|sender| sender.content().clone()),
            titles: asked.map(|(step, _)| step.title.clone()).collect(),
        })
    }
}
