//! Errors as JSON: a text for people, and a reason that the page acts on.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Why a request was not answered as it was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestError {
    /// It names another host: a name that was rebound to this machine.
    Host,
    /// It comes from another page.
    Origin,
    /// It lacks the cookie or the token.
    Session,
    /// Its path could lead out of the admin API.
    Path,
    /// A header is not text.
    Header,
    /// The body is too large.
    TooLarge,
    /// The body ended before its time.
    Body,
    /// The route does not have this method.
    Method,
    /// There is no such file or route.
    NotFound,
    /// The credentials have expired, or cannot be read.
    Credentials,
    /// IAM does not allow it.
    Denied,
    /// The signature's time is too far from AWS's.
    Clock,
    /// The answer was lost.
    Unknown,
    /// Nothing was sent.
    Unreachable,
    /// There were too many requests.
    Throttled,
    /// AWS did not do its part.
    Unavailable,
}

impl RequestError {
    /// The text for people.
    pub(crate) fn text(self) -> &'static str {
        self.parts().2
    }

    /// The status, the reason and the text.
    fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Host => (StatusCode::FORBIDDEN, "host", "The request names another host than this console."),
            Self::Origin => (StatusCode::FORBIDDEN, "origin", "The request does not come from this console's page."),
            Self::Session => (
                StatusCode::UNAUTHORIZED,
                "session",
                "The session has ended, or is another browser's. Run lacre-admin console again.",
            ),
            Self::Path => (StatusCode::BAD_REQUEST, "path", "The path is not one of the admin API."),
            Self::Header => (StatusCode::BAD_REQUEST, "header", "A header is not plain text, or is there twice."),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", "The body is larger than 64 KB."),
            Self::Body => (StatusCode::BAD_REQUEST, "body", "The body did not arrive whole."),
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, "method", "The route does not have this method."),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "There is no such route."),
            Self::Credentials => (
                StatusCode::UNAUTHORIZED,
                "credentials",
                "The AWS credentials have expired. Sign in again (for example: aws sso login), then retry: lacre-admin \
                 reads them again.",
            ),
            Self::Denied => (
                StatusCode::FORBIDDEN,
                "denied",
                "IAM does not allow this request (execute-api:Invoke), or the credentials are no longer valid.",
            ),
            Self::Clock => (
                StatusCode::FORBIDDEN,
                "denied",
                "AWS refused the time of the signature. Set this machine's clock, then retry.",
            ),
            Self::Unknown => {
                (StatusCode::GATEWAY_TIMEOUT, "unknown", "The answer was lost. The change may have been made.")
            }
            Self::Unreachable => {
                (StatusCode::BAD_GATEWAY, "unreachable", "The admin API cannot be reached. Nothing was changed.")
            }
            Self::Throttled => (
                StatusCode::TOO_MANY_REQUESTS,
                "throttled",
                "Too many requests. Nothing was changed: wait a moment, then retry.",
            ),
            Self::Unavailable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "unavailable",
                "AWS did not respond, or refused. If the credentials have expired, run lacre-admin console again.",
            ),
        }
    }
}

impl IntoResponse for RequestError {
    fn into_response(self) -> Response {
        let (status, reason, error) = self.parts();
        (status, Json(json!({ "error": error, "reason": reason }))).into_response()
    }
}
