//! `POST /web/sessions`: an integrator's backend creates a capture session.

use std::sync::Arc;

use aws::{Accounts, Connection, Counted, Sessions, within};
use domain::{
    ApiKey, ApiKeyRecord, Clock, LicenseKey, LicenseKeyRecord, ReferenceId, Refusal, Session, SessionToken,
    clock::rfc3339, keys::ApiKeyFault,
};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, OrRefuseAs, Rejection, Request, Response, header, json, json_object,
    record_log_subject,
};
use serde::Serialize;
use time::OffsetDateTime;

/// A session created here is the component's, which takes one photo.
const TOTAL_PHOTOS: u32 = 1;

/// The endpoint with its ports.
pub struct CreateSession {
    accounts: Accounts,
    sessions: Sessions,
    context: Context,
}

/// The body of the request.
pub struct Order {
    /// The license of the session.
    pub license_key: LicenseKey,
    /// The integrator's reference.
    pub reference_id: ReferenceId,
}

impl Order {
    /// Reads the body.
    ///
    /// # Errors
    /// In this order: [`Refusal::CreatePayloadInvalid`], [`Refusal::LicenseKeyMalformed`],
    /// [`Refusal::ReferenceIdInvalid`].
    pub fn read(request: &Request) -> Result<Self, Refusal> {
        let body = json_object(request).ok_or(Refusal::CreatePayloadInvalid)?;
        let text = |name: &str| body.get(name).and_then(|value| value.as_str());
        Ok(Self {
            license_key: text("license_key").and_then(LicenseKey::parse).ok_or(Refusal::LicenseKeyMalformed)?,
            reference_id: ReferenceId::parse(text("reference_id").unwrap_or_default())?,
        })
    }
}

#[derive(Serialize)]
struct Created {
    token: String,
    expires_at: String,
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
    /// The endpoint over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program(env!("CARGO_PKG_NAME"));
        Self {
            accounts: Accounts::new(connection),
            sessions: Sessions::new(connection),
            context: Context::new(connection, clock),
        }
    }

    async fn create(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let now = self.context.now();
        let api_key = read_api_key(request)?;
        record_log_subject("api_key", api_key.hash().short());
        let (record, order, license) = self.identify(request, &api_key).await?;
        if !license.may_create(&record, TOTAL_PHOTOS, now) {
            return Err(Refusal::LicenseNotOwned.into());
        }
        if license.environment != record.environment {
            return Err(Refusal::LicenseEnvironmentMismatch.into());
        }
        let token = SessionToken::from_entropy(aws::entropy());
        let session = Session::new(
            license.client_id,
            license.license_id,
            license.environment,
            order.reference_id,
            TOTAL_PHOTOS,
            now,
        );
        record_log_subject("session", token.hash().short());
        self.store(&api_key, &token, &session, now).await?;
        json(&Created { token: token.expose(), expires_at: rfc3339(session.expires_at) })
    }

    /// Reads both keys' records in one round trip. The API key is judged before the body, so a body that asks for
    /// nothing readable is refused only after the key was read alone.
    async fn identify(
        &self,
        request: &Request,
        api_key: &ApiKey,
    ) -> Result<(ApiKeyRecord, Order, LicenseKeyRecord), Rejection> {
        let order = match Order::read(request) {
            Ok(order) => order,
            Err(refusal) => {
                let record = self.accounts.read_api_key(&api_key.hash()).await;
                check_api_key(record)?;
                return Err(refusal.into());
            }
        };
        let keys = self.accounts.read_create_keys(&api_key.hash(), &order.license_key.hash()).await;
        let keys = keys.or_refuse(Refusal::UpstreamUnavailable)?;
        let record = check_api_key(keys.api_key)?;
        let license = keys.license_key.or_refuse(Refusal::LicenseInconsistent)?.ok_or(Refusal::LicenseNotOwned)?;
        Ok((record, order, license))
    }

    /// Counts the creation beside storing the session. A session whose count was refused is not returned; a count
    /// whose session was not stored is taken back.
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
            // Only creations that succeed count. Best effort: the count leaves with its hour.
            let _ = within(self.context.budgets.cleanup, self.sessions.uncount_creation(&api_key, token, now)).await;
        }
        if counted.or_refuse(Refusal::UpstreamUnavailable)? == Counted::LimitReached {
            return Err(Refusal::CreationLimitReached { retry_after: seconds_to_next_hour(now) }.into());
        }
        stored.or_refuse(Refusal::UpstreamUnavailable)
    }
}

fn read_api_key(request: &Request) -> Result<ApiKey, Refusal> {
    ApiKey::parse(header(request, "x-api-key").unwrap_or_default()).map_err(|fault| match fault {
        ApiKeyFault::WrongPrefix => Refusal::ApiKeyWrongPrefix,
        ApiKeyFault::Missing | ApiKeyFault::Malformed => Refusal::ApiKeyInvalid,
    })
}

fn check_api_key(record: Result<Option<ApiKeyRecord>, aws::Error>) -> Result<ApiKeyRecord, Rejection> {
    let refusal = |error: &aws::Error| error.refusal(Refusal::ApiKeyInconsistent, Refusal::UpstreamUnavailable);
    let record = record.or_refuse_as(refusal)?.ok_or(Refusal::ApiKeyInvalid)?;
    if record.is_usable() { Ok(record) } else { Err(Refusal::ApiKeyRevoked.into()) }
}

fn seconds_to_next_hour(now: OffsetDateTime) -> u32 {
    3600 - u32::from(now.minute()) * 60 - u32::from(now.second())
}
