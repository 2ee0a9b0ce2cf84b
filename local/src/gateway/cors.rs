//! CORS of the gateway: every page may read responses. The handlers decide which page may use which license.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

const METHODS: HeaderValue = HeaderValue::from_static("GET,POST");
const HEADERS: HeaderValue = HeaderValue::from_static("content-type,x-svc-photo,x-svc-touch-points");
const EXPOSED: HeaderValue = HeaderValue::from_static("retry-after,x-request-id,apigw-requestid");
/// How long browsers may cache a preflight response: two hours, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// The response to a preflight request. API Gateway sends it for every path, even an unknown one.
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

/// Adds the header that lets every page read a response.
pub(super) fn allow(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}
