//! Applies a bucket's CORS rules as S3 does: answers preflights, and adds headers to other responses.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{cors_rule::Rule, store::Store};

const REFUSED: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessForbidden</Code>\
    <Message>CORSResponse: This CORS request is not allowed.</Message></Error>";

/// Middleware that applies the rules.
pub(crate) async fn apply(State(store): State<Arc<Store>>, request: Request, next: Next) -> Response {
    let Some(origin) = text(request.headers(), header::ORIGIN) else { return next.run(request).await };
    let bucket = request.uri().path().trim_start_matches('/').split('/').next().unwrap_or_default();
    let rules = store.cors(bucket).unwrap_or_default();
    let requested = text(request.headers(), header::ACCESS_CONTROL_REQUEST_METHOD);
    if let (&Method::OPTIONS, Some(method)) = (request.method(), requested) {
        return preflight(&rules, &origin, &method, &request);
    }
    let method = request.method().as_str().to_owned();
    let mut response = next.run(request).await;
    if let Some(rule) = rules.iter().find(|rule| rule.admits(&origin, &method, &[])) {
        allow(response.headers_mut(), rule, &origin);
    }
    response
}

fn preflight(rules: &[Rule], origin: &str, method: &str, request: &Request) -> Response {
    let asked = text(request.headers(), header::ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or_default();
    let headers: Vec<&str> = asked.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let Some(rule) = rules.iter().find(|rule| rule.admits(origin, method, &headers)) else {
        return (StatusCode::FORBIDDEN, [(header::CONTENT_TYPE, "application/xml")], REFUSED).into_response();
    };
    let mut response = Response::new(Body::empty());
    allow(response.headers_mut(), rule, origin);
    if !headers.is_empty() {
        set(response.headers_mut(), header::ACCESS_CONTROL_ALLOW_HEADERS, &headers.join(", "));
    }
    if let Some(seconds) = rule.max_age_seconds {
        set(response.headers_mut(), header::ACCESS_CONTROL_MAX_AGE, &seconds.to_string());
    }
    response
}

fn allow(headers: &mut HeaderMap, rule: &Rule, origin: &str) {
    set(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, rule.allowed_origin(origin));
    set(headers, header::ACCESS_CONTROL_ALLOW_METHODS, &rule.methods.join(", "));
    if !rule.exposed.is_empty() {
        set(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, &rule.exposed.join(", "));
    }
    set(headers, header::VARY, "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}
