//! `POST /web/sessions`: an integrator's backend creates a capture session, on `{base_url}` for the component or on
//! `{capture_url}` for the hosted flow. Both check the API key first and share its hourly limit.

mod component;
mod hosted;

use std::sync::Arc;

use lacre_api::{CreatedSession, Refusal, headers};
use lacre_domain::{ApiKey, ApiKeyRecord, Clock, Session, SessionToken, clock::rfc3339};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, OrRefuseAs, Rejection, Request, Response, StatusCode, check_api_key, flow,
    header, json, parse_api_key, record_log_subject, seconds_to_next_hour,
};
use lacre_storage::{Accounts, Connection, Counted, Error, Sessions, within};
use time::OffsetDateTime;

pub use component::Order;

/// The endpoint with its ports.
pub struct CreateSession {
    accounts: Accounts,
    sessions: Sessions,
    context: Context,
    /// Whether the receiver of a sandbox webhook may run on the same machine as the service.
    announces_to_own_machine: bool,
}

impl Endpoint for CreateSession {
    async fn warm_up(&self) {
        let unknown = ApiKey::from_entropy([0; 32]).hash();
        let _ = self.accounts.read_api_key(&unknown).await;
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        self.context.respond(self.create(&request)).await
    }
}

impl CreateSession {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("create-session");
        Self {
            accounts: Accounts::new(connection),
            sessions: Sessions::new(connection),
            context: Context::new(connection, clock),
            announces_to_own_machine: connection.config().announces_to_own_machine,
        }
    }

    async fn create(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let api_key = parse_api_key(header(request, headers::API_KEY))?;
        record_log_subject("api_key", api_key.hash().short());
        let is_hosted = flow(request).is_hosted();
        let session = match is_hosted {
            true => self.hosted(request, &api_key, now).await?,
            false => self.of_component(request, &api_key, now).await?,
        };
        let token = SessionToken::from_entropy(lacre_storage::entropy());
        record_log_subject("session", token.hash().short());
        self.store(&api_key, &token, &session, now).await?;
        let mut response =
            json(&CreatedSession { token: token.expose().into(), expires_at: rfc3339(session.expires_at).into() })?;
        if is_hosted {
            *response.status_mut() = StatusCode::CREATED;
        }
        Ok(response)
    }

    /// Reads the API key's record alone, and checks it.
    async fn identify(&self, api_key: &ApiKey) -> Result<ApiKeyRecord, Rejection> {
        let record = self.accounts.read_api_key(&api_key.hash()).await;
        let refusal = |error: &Error| error.refusal(Refusal::ApiKeyInconsistent, Refusal::UpstreamUnavailable);
        Ok(check_api_key(record.or_refuse_as(refusal)?)?)
    }

    /// Stores the session and counts its creation at the same time. If the count is refused, the session is not
    /// returned; if the session could not be stored, its count is removed.
    async fn store(
        &self,
        api_key: &ApiKey,
        token: &SessionToken,
        session: &Session,
        now: OffsetDateTime,
    ) -> Result<(), Rejection> {
        let api_key = api_key.hash();
        let (counted, stored) =
            tokio::join!(self.sessions.count_creation(&api_key, token, now), self.sessions.create(token, session),);
        if counted.is_err() || stored.is_err() {
            // Only successful creations count. The removal is best effort, because counts expire with their hour.
            let _ = within(self.context.budgets.cleanup, self.sessions.uncount_creation(&api_key, token, now)).await;
        }
        if counted.or_refuse(Refusal::UpstreamUnavailable)? == Counted::LimitReached {
            return Err(Refusal::CreationLimitReached { retry_after: seconds_to_next_hour(now) }.into());
        }
        stored.or_refuse(Refusal::UpstreamUnavailable)
    }
}
