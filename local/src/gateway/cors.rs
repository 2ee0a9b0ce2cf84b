//! The gateway's CORS: any page may read the answers; which page may use which license is the handlers' decision.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

const METHODS: HeaderValue = HeaderValue::from_static("GET,POST");
const HEADERS: HeaderValue = HeaderValue::from_static("content-type,x-svc-touch-points");
const EXPOSED: HeaderValue = HeaderValue::from_static("retry-after,x-request-id,apigw-requestid");
/// Two hours, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// The answer to a preflight. API Gateway gives it for every path, a known one or not.
pub(super) fn preflight(request: &HeaderMap) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if request.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    }
    response
}

/// Lets any page read an answer.
pub(super) fn allow(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}
