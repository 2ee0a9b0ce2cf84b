//! Error responses of the demo: the service's own, or some of the same form.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// An error response: status and JSON body.
pub(super) struct Refused(StatusCode, Value);

pub(super) fn refused(status: StatusCode, error: &str) -> Refused {
    Refused(status, json!({ "error": error }))
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}

/// The service runs in this same process, so a failed request is shown to the developer with its cause.
impl From<reqwest::Error> for Refused {
    fn from(error: reqwest::Error) -> Self {
        // The URL is omitted because it may contain a session token.
        refused(StatusCode::BAD_GATEWAY, &format!("O serviço não respondeu: {}", error.without_url()))
    }
}

/// Returns the JSON of a successful response. Any other response is forwarded unchanged as an error.
pub(super) async fn success(response: reqwest::Response) -> Result<Value, Refused> {
    let status = response.status();
    let body = response.json().await?;
    if status.is_success() { Ok(body) } else { Err(Refused(status, body)) }
}
