//! Serves the verification page as the stack does: static files with the same Content-Security-Policy. This copy also
//! trusts the development roots of this machine, and says so.
//!
//! The page's module is WebAssembly, a target that this crate's toolchain may lack, so a separate command builds the
//! page.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{
    Router,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

use crate::server::Server;

/// The page's Content-Security-Policy, equal to that of the stack (`VerifyPageHeaders` in infra/edge.yaml).
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; \
                      connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const NOT_BUILT: &str = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not built yet</title>\
    <h1>The verification page is not built yet</h1><p>Run <code>scripts/build-verify-page</code> in the project, then load \
    this page again.</p></html>";

/// The files and the additions that are served.
struct Site {
    folder: PathBuf,
    roots_pem: String,
    log_key: String,
}

impl Site {
    /// Link elements that name this machine's roots, which the page adds to the built-in lists, and its log's key.
    fn link(&self) -> String {
        let log_key = &self.log_key;
        format!(r#"<link rel="lacre-roots" href="roots.pem" data-environment="sandbox" data-log-key="{log_key}">"#)
    }
}

/// Starts the server and returns it with the page's address, without a trailing slash.
pub(crate) fn start(listener: TcpListener, roots_pem: &str, log_key: &str) -> std::io::Result<(Server, String)> {
    let url = format!("http://localhost:{}", listener.local_addr()?.port());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/verify-page");
    let site = Arc::new(Site { folder, roots_pem: roots_pem.to_owned(), log_key: log_key.to_owned() });
    let header = |name, value| SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value));
    let router = Router::new()
        .route("/", get(page))
        .route("/index.html", get(page))
        .route("/roots.pem", get(roots))
        .fallback_service(ServeDir::new(&site.folder))
        .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(header::REFERRER_POLICY, "no-referrer"))
        .layer(header(header::CACHE_CONTROL, "no-cache"))
        .with_state(site);
    Ok((Server::start(listener, router)?, url))
}

/// Serves the page. The file is read on each request, because it may be built while the service runs.
async fn page(State(site): State<Arc<Site>>) -> Response {
    match tokio::fs::read_to_string(site.folder.join("index.html")).await {
        Ok(page) => Html(page.replacen("</head>", &format!("{}</head>", site.link()), 1)).into_response(),
        Err(_) => (StatusCode::NOT_FOUND, Html(NOT_BUILT)).into_response(),
    }
}

async fn roots(State(site): State<Arc<Site>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/x-pem-file")], site.roots_pem.clone())
}
