//! Answers: JSON of what was asked for, and of why it was not done.

use administration::{Error, Listed};
use domain::clock::rfc3339;
use lacre_http::{Body, Response, StatusCode, response};
use serde::Serialize;
use serde_json::json;

/// Returned when a call to AWS fails. The cause is logged only.
const UNKNOWN: &str = "AWS did not respond; the change may have been applied. Check before retrying.";

/// Returned when a call to AWS fails, and it is certain that nothing was changed.
const NOT_DONE: &str = "AWS did not respond. Nothing was changed.";

/// Returned when a record or the deployment is damaged: a retry does not help.
const UNREADABLE: &str = "A record cannot be read, or the deployment is incomplete. The log has the cause.";

pub(crate) fn ok<T: Serialize>(body: &T) -> Result<Response<Body>, Error> {
    answer(StatusCode::OK, body)
}

pub(crate) fn created<T: Serialize>(body: &T) -> Result<Response<Body>, Error> {
    answer(StatusCode::CREATED, body)
}

/// A page of a list.
pub(crate) fn listed<T: Serialize>(name: &str, page: Listed<T>) -> Result<Response<Body>, Error> {
    ok(&json!({ name: page.entries, "next": page.next }))
}

fn answer<T: Serialize>(status: StatusCode, body: &T) -> Result<Response<Body>, Error> {
    // Views are structures of strings and numbers, which always have a JSON form.
    let text = serde_json::to_string(body).map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(response(status, text))
}

/// The answer to an operation that was not carried out, with the cause that is for the log alone.
pub(crate) fn refuse(error: &Error) -> (Response<Body>, Option<String>) {
    let text = error.to_string();
    let (status, message, cause) = match error {
        Error::Invalid(_) => (StatusCode::BAD_REQUEST, text.as_str(), None),
        Error::NotFound(_) => (StatusCode::NOT_FOUND, text.as_str(), None),
        Error::Refused(_) => (StatusCode::CONFLICT, text.as_str(), None),
        Error::Stale(_) => (StatusCode::PRECONDITION_FAILED, text.as_str(), None),
        Error::Repeated { at } => {
            let body = json!({ "error": text, "carried_out_at": rfc3339(*at) });
            return (response(StatusCode::CONFLICT, body.to_string()), None);
        }
        Error::Unavailable(cause @ (aws::Error::Corrupt { .. } | aws::Error::Misconfigured(_))) => {
            (StatusCode::INTERNAL_SERVER_ERROR, UNREADABLE, Some(cause.to_string()))
        }
        Error::Unavailable(cause @ aws::Error::NothingChanged(_)) => {
            (StatusCode::SERVICE_UNAVAILABLE, NOT_DONE, Some(cause.to_string()))
        }
        Error::Unavailable(cause) => (StatusCode::SERVICE_UNAVAILABLE, UNKNOWN, Some(cause.to_string())),
    };
    (response(status, json!({ "error": message }).to_string()), cause)
}
