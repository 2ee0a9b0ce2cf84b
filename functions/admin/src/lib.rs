//! The admin API: the operations on clients, API keys, licenses, alerts and webhooks as routes.
//!
//! IAM authorizes callers before the function runs. Responses are JSON, also errors: `{"error": text}` with 400 for
//! what cannot be used, 404 for what does not exist, 409 for what the state of things does not allow, 500
//! for a record that cannot be read, 503 when AWS did not respond.
//! One line of log for each answer names the route, the caller, the client or license that the path names, and the status.

use std::sync::Arc;

use administration::{Administration, AlertFilter, AttemptFilter, Error, is_id};
use aws::{Connection, TimeBudgets, within};
use domain::{AttemptState, ClientId, Clock, Environment, LicenseId, Terms};
use lacre_http::{Body, Endpoint, Request, Response, StatusCode, path_parameter, response};
use lambda_http::{RequestExt, request::RequestContext};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use time::Duration;

/// Returned when a call to AWS fails. The cause is logged only.
const UNKNOWN: &str = "AWS did not respond; the change may have been applied. Check before retrying.";

/// Returned when a record or the deployment is damaged: a retry does not help.
const UNREADABLE: &str = "A record cannot be read, or the deployment is incomplete. The log has the cause.";

/// Every route: its method and its path.
pub const ROUTES: [(&str, &str); 23] = [
    ("POST", "/clients"),
    ("GET", "/clients"),
    ("GET", "/clients/{client_id}"),
    ("POST", "/clients/{client_id}/suspend"),
    ("POST", "/clients/{client_id}/resume"),
    ("POST", "/clients/{client_id}/api-keys"),
    ("GET", "/clients/{client_id}/api-keys"),
    ("POST", "/clients/{client_id}/api-keys/{key_id}/revoke"),
    ("POST", "/clients/{client_id}/licenses"),
    ("GET", "/clients/{client_id}/licenses"),
    ("GET", "/clients/{client_id}/hosted-licenses"),
    ("POST", "/clients/{client_id}/webhook-secrets"),
    ("GET", "/clients/{client_id}/webhook-secrets"),
    ("POST", "/clients/{client_id}/webhook-secrets/rotate"),
    ("POST", "/clients/{client_id}/webhook-secrets/{secret_id}/revoke"),
    ("GET", "/clients/{client_id}/webhooks"),
    ("POST", "/clients/{client_id}/webhooks/{message_id}/redeliver"),
    ("GET", "/licenses/{license_id}"),
    ("PATCH", "/licenses/{license_id}"),
    ("POST", "/licenses/{license_id}/rotate"),
    ("POST", "/licenses/{license_id}/revoke"),
    ("POST", "/licenses/{license_id}/host"),
    ("GET", "/alerts"),
];

/// The endpoint of all routes.
pub struct Api {
    administration: Administration,
    budgets: TimeBudgets,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewClient {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApiKeyRequest {
    environment: Environment,
    name: String,
}

#[derive(Deserialize)]
struct LicenseRequest {
    environment: Environment,
    #[serde(flatten)]
    terms: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookSecretRequest {
    environment: Environment,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RotationRequest {
    environment: Environment,
    overlap_hours: Option<u16>,
}

/// The log fields of a request: caller, route, client and license.
struct Audit {
    route: String,
    caller: String,
    client: String,
    license: String,
}

impl Endpoint for Api {
    async fn handle(&self, request: Request) -> Response<Body> {
        let audit = Audit::of(&request);
        let answer = within(self.budgets.request, self.answer(&audit.route, &request)).await;
        let (response, cause) = match answer {
            Ok(response) => (response, None),
            Err(error) => refuse(&error),
        };
        audit.log(response.status(), cause);
        response
    }
}

impl Api {
    /// The endpoint over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program(env!("CARGO_PKG_NAME"));
        let budgets = connection.config().budgets;
        Self { administration: Administration::new(connection, clock), budgets }
    }

    async fn answer(&self, route: &str, request: &Request) -> Result<Response<Body>, Error> {
        let admin = &self.administration;
        let client = || ClientId(path_parameter(request, "client_id"));
        let license = || LicenseId(path_parameter(request, "license_id"));
        match route {
            "POST /clients" => created(&admin.create_client(&body::<NewClient>(request)?.name).await?),
            "GET /clients" => ok(&json!({ "clients": admin.clients().await? })),
            "GET /clients/{client_id}" => ok(&admin.client(&client()).await?),
            "POST /clients/{client_id}/suspend" => ok(&admin.suspend_client(&client()).await?),
            "POST /clients/{client_id}/resume" => ok(&admin.resume_client(&client()).await?),
            "POST /clients/{client_id}/api-keys" => {
                let ApiKeyRequest { environment, name } = body(request)?;
                created(&admin.issue_api_key(&client(), environment, &name).await?)
            }
            "GET /clients/{client_id}/api-keys" => ok(&json!({ "api_keys": admin.api_keys(&client()).await? })),
            "POST /clients/{client_id}/api-keys/{key_id}/revoke" => {
                ok(&admin.revoke_api_key(&client(), &path_parameter(request, "key_id")).await?)
            }
            "POST /clients/{client_id}/licenses" => {
                let LicenseRequest { environment, terms } = body(request)?;
                let terms: Terms = read(serde_json::from_value(terms.into()))?;
                created(&admin.issue_license(&client(), environment, &terms).await?)
            }
            "GET /clients/{client_id}/licenses" => ok(&json!({ "licenses": admin.licenses(&client()).await? })),
            "GET /clients/{client_id}/hosted-licenses" => {
                ok(&json!({ "hosted_licenses": admin.hosted_licenses(&client()).await? }))
            }
            "POST /clients/{client_id}/webhook-secrets" => {
                let WebhookSecretRequest { environment } = body(request)?;
                created(&admin.issue_webhook_secret(&client(), environment).await?)
            }
            "GET /clients/{client_id}/webhook-secrets" => {
                ok(&json!({ "webhook_secrets": admin.webhook_secrets(&client()).await? }))
            }
            "POST /clients/{client_id}/webhook-secrets/rotate" => {
                let RotationRequest { environment, overlap_hours } = body(request)?;
                let overlap = overlap_hours.map(|hours| Duration::hours(hours.into()));
                created(&admin.rotate_webhook_secret(&client(), environment, overlap).await?)
            }
            "POST /clients/{client_id}/webhook-secrets/{secret_id}/revoke" => {
                ok(&admin.revoke_webhook_secret(&client(), &path_parameter(request, "secret_id")).await?)
            }
            "GET /clients/{client_id}/webhooks" => {
                ok(&json!({ "webhooks": admin.webhooks(&client(), &attempts(request)?).await? }))
            }
            "POST /clients/{client_id}/webhooks/{message_id}/redeliver" => {
                created(&admin.redeliver_webhook(&client(), &path_parameter(request, "message_id")).await?)
            }
            "GET /licenses/{license_id}" => ok(&admin.license(&license()).await?),
            "PATCH /licenses/{license_id}" => ok(&admin.configure_license(&license(), &body(request)?).await?),
            "POST /licenses/{license_id}/rotate" => ok(&admin.rotate_license_key(&license()).await?),
            "POST /licenses/{license_id}/revoke" => ok(&admin.revoke_license(&license()).await?),
            "POST /licenses/{license_id}/host" => ok(&admin.name_hosted_license(&license()).await?),
            "GET /alerts" => ok(&json!({ "alerts": admin.alerts(&filter::<AlertFilter>(request)?).await? })),
            _ => Err(Error::NotFound("the route does not exist".into())),
        }
    }
}

impl Audit {
    /// The route as the gateway names it, and the IAM principal that it let through.
    fn of(request: &Request) -> Self {
        let context = match request.request_context_ref() {
            Some(RequestContext::ApiGatewayV2(context)) => Some(context),
            _ => None,
        };
        let iam = context.and_then(|context| context.authorizer.as_ref()?.iam.as_ref());
        // What has not the shape of an id may be a key, which must not reach the log.
        let id = |name| Some(path_parameter(request, name)).filter(|id| is_id(id)).unwrap_or_default();
        Self {
            route: context.and_then(|context| context.route_key.clone()).unwrap_or_default(),
            caller: iam.and_then(|iam| iam.user_arn.clone()).unwrap_or_default(),
            client: id("client_id"),
            license: id("license_id"),
        }
    }

    fn log(self, status: StatusCode, cause: Option<String>) {
        let (Self { route, caller, client, license }, status) = (self, status.as_u16());
        match cause {
            Some(cause) => tracing::error!(route, caller, client, license, status, cause, "refused"),
            None => tracing::info!(route, caller, client, license, status, "answered"),
        }
    }
}

fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Error> {
    read(serde_json::from_slice(request.body()))
}

fn filter<T: DeserializeOwned>(request: &Request) -> Result<T, Error> {
    let parameters = request.query_string_parameters();
    let fields = parameters.iter().map(|(name, value)| (name.to_owned(), value.into()));
    read(serde_json::from_value(serde_json::Value::Object(fields.collect())))
}

/// A parameter of an address is a text, also where it is a number.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttemptParameters {
    state: Option<AttemptState>,
    limit: Option<String>,
}

fn attempts(request: &Request) -> Result<AttemptFilter, Error> {
    let AttemptParameters { state, limit } = filter(request)?;
    let limit = limit.map(|limit| limit.parse()).transpose();
    let limit = limit.map_err(|_| Error::Invalid("the request cannot be used: limit is not a number".into()))?;
    Ok(AttemptFilter { state, limit })
}

fn read<T>(read: serde_json::Result<T>) -> Result<T, Error> {
    read.map_err(|error| Error::Invalid(format!("the request cannot be used: {error}")))
}

fn ok<T: Serialize>(body: &T) -> Result<Response<Body>, Error> {
    answer(StatusCode::OK, body)
}

fn created<T: Serialize>(body: &T) -> Result<Response<Body>, Error> {
    answer(StatusCode::CREATED, body)
}

fn answer<T: Serialize>(status: StatusCode, body: &T) -> Result<Response<Body>, Error> {
    // Views are structures of strings and numbers, which always have a JSON form.
    let text = serde_json::to_string(body).map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(response(status, text))
}

/// The answer to an operation that was not carried out, with the cause that is for the log alone.
fn refuse(error: &Error) -> (Response<Body>, Option<String>) {
    let (status, message, cause) = match error {
        Error::Invalid(text) => (StatusCode::BAD_REQUEST, text.as_str(), None),
        Error::NotFound(text) => (StatusCode::NOT_FOUND, text.as_str(), None),
        Error::Refused(text) => (StatusCode::CONFLICT, text.as_str(), None),
        Error::Unavailable(cause @ (aws::Error::Corrupt { .. } | aws::Error::Misconfigured(_))) => {
            (StatusCode::INTERNAL_SERVER_ERROR, UNREADABLE, Some(cause.to_string()))
        }
        Error::Unavailable(cause) => (StatusCode::SERVICE_UNAVAILABLE, UNKNOWN, Some(cause.to_string())),
    };
    (response(status, json!({ "error": message }).to_string()), cause)
}
