//! Serves the page's files from the workspace, with the security headers that an integrator's page needs.

use std::path::Path;

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tower_http::services::ServeDir;

use super::{Addresses, Demo, Shared};

const PERMISSIONS: &str = "camera=(self), geolocation=(self), accelerometer=(self), gyroscope=(self), \
                           magnetometer=(self), screen-wake-lock=(self)";

/// Serves the demo page.
pub(super) fn page() -> ServeDir {
    ServeDir::new(web().join("demo"))
}

/// Serves the component's modules.
pub(super) fn component() -> ServeDir {
    ServeDir::new(web().join("src"))
}

/// Serves the modules that pages have in common.
pub(crate) fn shared() -> ServeDir {
    ServeDir::new(web().join("shared"))
}

fn web() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")
}

/// Middleware that adds the headers to every response.
pub(super) async fn protect(State(backend): Shared, request: Request, next: Next) -> Response {
    let Ok(content_security) = HeaderValue::from_str(&content_security_policy(&backend.demo)) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, content_security),
        (HeaderName::from_static("permissions-policy"), HeaderValue::from_static(PERMISSIONS)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, next.run(request).await).into_response()
}

fn content_security_policy(Demo { pages: Addresses { base_url, license_url, .. }, upload_url, .. }: &Demo) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; \
         connect-src 'self' {base_url} {license_url} {upload_url}; img-src 'self' blob:; media-src 'self' blob:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    )
}
