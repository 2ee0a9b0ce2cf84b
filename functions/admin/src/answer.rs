//! Responses of the admin API: the JSON of a result, or of the error that prevented the operation.

use lacre_administration::{Error, Listed};
use lacre_api::admin::{CarriedOut, Fault, FaultBody, NOTHING_CHANGED, OUTCOME_UNKNOWN, Route, UNREADABLE};
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
    let text = error.to_string();
    let (fault, message, cause) = match error {
        Error::Invalid(_) => (Fault::Invalid, text.as_str(), None),
        Error::NotFound(_) => (Fault::NotFound, text.as_str(), None),
        Error::Refused(_) => (Fault::Conflict, text.as_str(), None),
        Error::Stale(_) => (Fault::Stale, text.as_str(), None),
        Error::Repeated { at } => {
            let body = json!(CarriedOut { error: text, carried_out_at: rfc3339(*at).into() });
            return (response(status(Fault::Conflict.status()), body.to_string()), None);
        }
        Error::NothingChanged(_) => (Fault::Unavailable, NOTHING_CHANGED, Some(text.clone())),
        Error::Unavailable(cause @ lacre_storage::Error::Corrupt { .. }) => {
            (Fault::Unreadable, UNREADABLE, Some(cause.to_string()))
        }
        Error::Unavailable(cause) => (Fault::Unavailable, OUTCOME_UNKNOWN, Some(cause.to_string())),
    };
    let body = json!(FaultBody { error: message.to_owned() });
    (response(status(fault.status()), body.to_string()), cause)
}

/// Converts a status of the API's tables, all of which are valid HTTP status codes.
fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
