//! `GET /web/session-status/:token`: a computer that handed a hosted session over to a phone polls the progress of the
//! capture.

use std::sync::Arc;

use lacre_api::{Refusal, SessionProgress};
use lacre_domain::{Clock, SessionToken};
use lacre_http::{
    Body, Context, Endpoint, Rejection, Request, Response, json, path_parameter, read_session, record_log_subject,
};
use lacre_storage::{Connection, Sessions};

/// The endpoint with its ports.
pub struct SessionStatusRoute {
    sessions: Sessions,
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
        Self { sessions: Sessions::new(connection), context: Context::new(connection, clock) }
    }

    async fn progress(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let token = SessionToken::parse(&path_parameter(request, "token")).ok_or(Refusal::SessionNotFound)?;
        record_log_subject("session", token.hash().short());
        let session = read_session(&self.sessions, &token, now).await?;
        session.check_flow(true)?;
        json(&SessionProgress {
            status: session.status(now),
            total_photos: session.total_photos(),
            captured_count: session.captured_count(),
        })
    }
}
