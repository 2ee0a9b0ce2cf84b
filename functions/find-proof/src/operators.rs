//! `POST /clients/{client_id}/captures/{environment}/matches` of the admin API: finds the captures that a copy may show,
//! for an operator.
//!
//! This function serves the route because its role may search the index, and read fingerprints and stored photos. That
//! of the function `admin` may not. IAM authorizes callers before the function runs.

use std::sync::Arc;

use lacre_administration::{Caller, CopySearch, Error, environment};
use lacre_api::{
    admin::{CopyMatches, FaultBody, Route},
    resolution::MEDIA_TYPES,
};
use lacre_domain::{ClientId, Clock};
use lacre_http::{Body, Request, Response, StatusCode, operator, path_parameter, response, route_key};
use lacre_storage::{Connection, TimeBudgets, within};
use serde_json::json;

use crate::query::is_picture;

/// Whether a request came through the operators' route. Only the admin API's gateway has this route.
pub(crate) fn is_of_operator(request: &Request) -> bool {
    route_key(request) == Route::FindCopy.key()
}

/// The endpoint of operators, with what their lookups need.
pub(crate) struct OperatorLookups {
    connection: Connection,
    clock: Arc<dyn Clock>,
    budgets: TimeBudgets,
}

impl OperatorLookups {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self { connection: connection.clone(), clock, budgets: connection.config().budgets }
    }

    /// Responds to an operator's request. The response is logged in one line, as those of the function `admin` are.
    pub(crate) async fn respond(&self, request: &Request) -> Response<Body> {
        let caller = operator(request).principal;
        let route = Route::FindCopy.key();
        let (status, body) = match within(self.budgets.request, self.find(request)).await {
            Ok(found) => {
                let status = Route::FindCopy.success().0;
                tracing::info!(route, caller, status, "answered");
                (status, json!(found))
            }
            Err(failure) => {
                let (fault, error, cause) = failure.fault();
                let status = fault.status();
                match cause {
                    Some(cause) => tracing::error!(route, caller, status, cause, "refused"),
                    None => tracing::info!(route, caller, status, "answered"),
                }
                (status, json!(FaultBody { error }))
            }
        };
        // All statuses of the tables are valid HTTP status codes.
        response(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body.to_string())
    }

    async fn find(&self, request: &Request) -> Result<CopyMatches, Error> {
        let client = ClientId::parse(&path_parameter(request, "client_id"))?;
        let environment = environment(&path_parameter(request, "environment"))?;
        if !is_picture(request) {
            let types = MEDIA_TYPES.join(", ");
            return Err(Error::Invalid(format!("send the copy as the body, with one of the media types {types}")));
        }
        let search = CopySearch::new(&self.connection, Arc::clone(&self.clock), Caller::of(operator(request)));
        search.find(&client, environment, request.body().to_vec()).await
    }
}
