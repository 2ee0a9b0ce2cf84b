//! JSON errors: a message for people, and a reason code that the page acts on.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Why a request could not be forwarded or answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestError {
    /// `Host` names another server. A page may have rebound its DNS name to this machine.
    Host,
    /// The request was sent by a page of another origin.
    Origin,
    /// The session cookie or the session token is missing or wrong.
    Session,
    /// The path could be interpreted as a path outside the admin API.
    Path,
    /// A header value is not text.
    Header,
    /// The body is larger than the limit.
    TooLarge,
    /// The body ended before its declared length.
    Body,
    /// The route exists, but does not support this method.
    Method,
    /// No file or route has this path.
    NotFound,
    /// The AWS credentials have expired or cannot be read.
    Credentials,
    /// IAM denied the request.
    Denied,
    /// The local clock differs too much from AWS's clock, so the signature is not valid.
    Clock,
    /// The response was lost, so the outcome is unknown.
    Unknown,
    /// The admin API could not be reached; nothing was sent.
    Unreachable,
    /// API Gateway throttled the request.
    Throttled,
    /// API Gateway or the function failed before the request took effect.
    Unavailable,
}

impl RequestError {
    /// The message for people.
    pub(crate) fn text(self) -> &'static str {
        self.parts().2
    }

    /// The HTTP status, the reason code and the message.
    fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Host => (StatusCode::FORBIDDEN, "host", "The request names another host than this console."),
            Self::Origin => (StatusCode::FORBIDDEN, "origin", "The request does not come from this console's page."),
            Self::Session => (
                StatusCode::UNAUTHORIZED,
                "session",
                "The session has ended, or is another browser's. Run lacre-admin console again.",
            ),
            Self::Path => (StatusCode::BAD_REQUEST, "path", "The admin API has no such path."),
            Self::Header => (StatusCode::BAD_REQUEST, "header", "A header is not plain text or occurs twice."),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", "The body is larger than 4,194,304 bytes."),
            Self::Body => (StatusCode::BAD_REQUEST, "body", "The body did not arrive whole."),
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, "method", "The route does not have this method."),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "The route does not exist."),
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
