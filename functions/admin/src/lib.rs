//! The admin API: operations on clients, API keys, licenses, alerts and webhooks, and searches, as HTTP routes.
//!
//! IAM authorizes callers before the function runs. [`lacre_api::admin`] defines the routes, bodies and errors. Lists
//! are paginated. A change carries the id of its request (`idempotency-key`) and is applied once; its audit entry names
//! the IAM principal and the source address. Each response is logged in one line with the route, the caller, the client
//! or license in the path, and the status.

mod answer;
mod parameters;
mod routes;

use std::sync::Arc;

use lacre_administration::{Administration, Caller, Error};
pub use lacre_api::admin::Route;
use lacre_domain::{ClientId, Clock, LicenseId, Operator, Via};
use lacre_http::{Body, Endpoint, Request, Response, StatusCode, operator, path_parameter, route_key};
use lacre_storage::{Connection, TimeBudgets, within};

/// The endpoint of every route of the admin API except `ProbeSigners`, which `ingest` serves, and `FindCopy`, which
/// `find-proof` serves.
pub struct Api {
    administration: Administration,
    budgets: TimeBudgets,
}

/// A request as API Gateway describes it: its route, its sender, and the ids in its path for the log.
struct Received {
    route: String,
    operator: Operator,
    client: String,
    license: String,
}

impl Endpoint for Api {
    async fn handle(&self, request: Request) -> Response<Body> {
        let received = Received::of(&request);
        let answer = within(self.budgets.request, self.answer(&received, &request)).await;
        let (response, cause) = match answer {
            Ok(response) => (response, None),
            Err(error) => answer::refuse(&error),
        };
        received.log(response.status(), cause);
        response
    }
}

impl Api {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("admin");
        let budgets = connection.config().budgets;
        // A placeholder: the operator is known only with each request.
        let nobody = Operator { principal: String::new(), via: Via::Api, source: String::new() };
        Self { administration: Administration::new(connection, clock, Caller::of(nobody)), budgets }
    }

    async fn answer(&self, received: &Received, request: &Request) -> Result<Response<Body>, Error> {
        let caller = parameters::caller(request, received.operator.clone())?;
        routes::carry_out(&received.route, &self.administration.by(caller), request).await
    }
}

impl Received {
    /// The route key and the authorized IAM principal, from API Gateway's request context.
    fn of(request: &Request) -> Self {
        // A path parameter that does not have the format of an id could be a key, which must not reach the log.
        let client = ClientId::parse(&path_parameter(request, "client_id"));
        let license = LicenseId::parse(&path_parameter(request, "license_id"));
        Self {
            route: route_key(request).to_owned(),
            operator: operator(request),
            client: client.map(|id| id.to_string()).unwrap_or_default(),
            license: license.map(|id| id.to_string()).unwrap_or_default(),
        }
    }

    fn log(self, status: StatusCode, cause: Option<String>) {
        let (Self { route, operator, client, license }, status) = (self, status.as_u16());
        let caller = operator.principal;
        match cause {
            Some(cause) => tracing::error!(route, caller, client, license, status, cause, "refused"),
            None => tracing::info!(route, caller, client, license, status, "answered"),
        }
    }
}
