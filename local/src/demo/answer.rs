//! The demo's error responses: the service's own, or one of the same form.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// A status and a JSON body.
pub(super) struct Refused(StatusCode, Value);

pub(super) fn refused(status: StatusCode, error: &str) -> Refused {
    Refused(status, json!({ "error": error }))
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}

/// The service is this same process; if it cannot be reached, the cause is for the developer's eyes.
impl From<reqwest::Error> for Refused {
    fn from(error: reqwest::Error) -> Self {
        // URLs hold tokens.
        refused(StatusCode::BAD_GATEWAY, &format!("O serviço não respondeu: {}", error.without_url()))
    }
}

/// The JSON of a success; any other response is forwarded unchanged.
pub(super) async fn success(response: reqwest::Response) -> Result<Value, Refused> {
    let status = response.status();
    let body = response.json().await?;
    if status.is_success() { Ok(body) } else { Err(Refused(status, body)) }
}
