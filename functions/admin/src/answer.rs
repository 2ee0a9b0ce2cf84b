//! Responses of the admin API: the JSON of a result, or of the error that prevented the operation.

use lacre_administration::{Error, Listed};
use lacre_api::admin::{CarriedOut, Fault, FaultBody, Route};
use lacre_domain::clock::rfc3339;
use lacre_http::{Body, Response, StatusCode, response};
use serde::Serialize;
use serde_json::json;

/// The response of a route whose operation succeeded.
pub(crate) fn answer<T: Serialize>(route: Route, body: &T) -> Result<Response<Body>, Error> {
    // Views consist of strings and numbers, which always have a JSON form.
    let text = serde_json::to_string(body).map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(response(status(route.success().0), text))
}

/// The response with one page of a list.
pub(crate) fn listed<T, P: Serialize>(
    route: Route,
    page: Listed<T>,
    body: impl FnOnce(Vec<T>, Option<String>) -> P,
) -> Result<Response<Body>, Error> {
    answer(route, &body(page.entries, page.next))
}

/// The response for an operation that failed, and the cause if it must appear only in the log.
pub(crate) fn refuse(error: &Error) -> (Response<Body>, Option<String>) {
    let (fault, error, cause) = match error {
        Error::Repeated { at } => {
            let body = json!(CarriedOut { error: error.to_string(), carried_out_at: rfc3339(*at).into() });
            return (response(status(Fault::Conflict.status()), body.to_string()), None);
        }
        error => error.fault(),
    };
    (response(status(fault.status()), json!(FaultBody { error }).to_string()), cause)
}

/// Converts a status of the API's tables, all of which are valid HTTP status codes.
fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
