//! Classifies responses that API Gateway itself generated instead of the admin API.

use axum::{
    body::Bytes,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::Value;

use crate::answer::RequestError;

/// A response that was received completely.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl Answer {
    /// The error that the gateway reports; `None` if the response is the admin API's own.
    pub(crate) fn refusal(&self) -> Option<RequestError> {
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            return Some(RequestError::Throttled);
        }
        let message = self.message_of_gateway()?;
        match self.status {
            StatusCode::FORBIDDEN => Some(refused_because(&message.to_lowercase())),
            // The function failed or timed out. It may have completed its work, so the outcome is unknown.
            StatusCode::INTERNAL_SERVER_ERROR
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Some(RequestError::Unknown),
            _ => None,
        }
    }

    /// The `message` of a gateway error. Errors of the admin API have an `error` field instead.
    fn message_of_gateway(&self) -> Option<String> {
        let body: Value = serde_json::from_slice(&self.body).ok()?;
        if body.get("error").is_some() {
            return None;
        }
        let message = body.get("message").or_else(|| body.get("Message"))?;
        message.as_str().map(str::to_owned)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        (self.status, [(header::CONTENT_TYPE, "application/json")], self.body).into_response()
    }
}

fn refused_because(message: &str) -> RequestError {
    // AWS reports a wrong local clock as an expired signature. New credentials would not help.
    if message.starts_with("signature expired") || message.starts_with("signature not yet current") {
        return RequestError::Clock;
    }
    if message.contains("expired") { RequestError::Credentials } else { RequestError::Denied }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, body: &'static str) -> Option<RequestError> {
        let status = StatusCode::from_u16(status).unwrap_or_default();
        Answer { status, body: Bytes::from_static(body.as_bytes()) }.refusal()
    }

    #[test]
    fn distinguishes_gateway_from_admin_api_errors() {
        let expired = r#"{"message":"The security token included in the request is expired"}"#;
        assert_eq!(refusal(403, expired), Some(RequestError::Credentials));
        assert_eq!(refusal(403, r#"{"message":"ExpiredTokenException"}"#), Some(RequestError::Credentials));
        assert_eq!(refusal(403, r#"{"message":"Forbidden"}"#), Some(RequestError::Denied));
        assert_eq!(refusal(403, r#"{"Message":"User: x is not authorized"}"#), Some(RequestError::Denied));
        let skewed = r#"{"message":"Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z"}"#;
        assert_eq!(refusal(403, skewed), Some(RequestError::Clock));
        assert_eq!(refusal(429, r#"{"message":"Too Many Requests"}"#), Some(RequestError::Throttled));
        assert_eq!(refusal(429, ""), Some(RequestError::Throttled));
        for status in [500, 502, 503, 504] {
            assert_eq!(
                refusal(status, r#"{"message":"Service Unavailable"}"#),
                Some(RequestError::Unknown),
                "{status}"
            );
            assert_eq!(refusal(status, r#"{"error":"AWS: DynamoDB did not respond"}"#), None, "{status}");
        }
        for status in [200, 201, 400, 404, 409, 412] {
            assert_eq!(refusal(status, r#"{"message":"of a client"}"#), None, "{status}");
        }
        assert_eq!(refusal(403, r#"{"error":"the license has expired","message":"expired"}"#), None);
        assert_eq!(refusal(403, "<html>expired</html>"), None);
        assert_eq!(refusal(403, r#"{"message":5}"#), None);
    }
}
