//! The demo: a page with the component, and the small backend that an integrator would write for it.
//!
//! The backend holds the API key and never sends it to a page. It can also present a desktop browser to the service as
//! a phone; only this demo does so, the functions have no such mode.

mod answer;
mod files;
mod hosted;
mod phone;
mod qr;
mod result;
mod sessions;
mod webhook;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any, get, post},
};
use lacre_domain::{Clock, Origin, limits};
use lacre_proof::Anchors;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use self::answer::refused;
pub(crate) use self::files::shared;
use crate::{
    public::{DEMO, Objects},
    seed::Keys,
    server::Server,
};

/// Path of the modules that pages have in common, beside the page's folder as in `web/`.
pub(crate) const SHARED: &str = "/shared";

/// Addresses of the service, without a trailing slash.
pub(crate) struct Addresses {
    pub(crate) base_url: String,
    pub(crate) license_url: String,
    pub(crate) capture_url: String,
}

/// Addresses and keys that the demo needs.
pub(crate) struct Demo {
    /// Addresses that this backend uses.
    pub(crate) own: Addresses,
    /// Addresses that pages use.
    pub(crate) pages: Addresses,
    /// Origin of uploads, for the page's Content-Security-Policy.
    pub(crate) upload_url: String,
    pub(crate) verify_url: String,
    /// Origin of the port for phones, if there is one.
    pub(crate) public: Option<Origin>,
    pub(crate) objects: Arc<Objects>,
    pub(crate) keys: Keys,
    pub(crate) anchors: Anchors,
    pub(crate) clock: Arc<dyn Clock>,
}

/// State that the demo's routes share.
struct Backend {
    demo: Demo,
    /// The page's origins: two on this machine, the first of which is canonical, and the public one if there is one.
    origins: Vec<String>,
    http: reqwest::Client,
    /// Verified webhook messages, oldest first.
    webhooks: Mutex<VecDeque<Value>>,
}

type Shared = State<Arc<Backend>>;

/// The running demo.
pub(crate) struct Started {
    pub(crate) server: Server,
    /// The page's address, without a trailing slash.
    pub(crate) url: String,
    /// The routes that phones may reach: the page and its backend.
    pub(crate) public: Router,
}

/// Starts the demo's server.
pub(crate) fn start(listener: TcpListener, demo: Demo) -> std::io::Result<Started> {
    let port = listener.local_addr()?.port();
    let own = ["localhost", "127.0.0.1"].map(|host| format!("http://{host}:{port}"));
    let url = own[0].clone();
    let origins = own.into_iter().chain(demo.public.as_ref().map(Origin::to_string)).collect();
    let http = reqwest::Client::builder().no_proxy().build().map_err(std::io::Error::other)?;
    let backend = Arc::new(Backend { demo, origins, http, webhooks: Mutex::default() });
    let public = page(&backend, get(public_config)).with_state(Arc::clone(&backend));
    Ok(Started { server: Server::start(listener, router(backend))?, url, public })
}

fn router(backend: Arc<Backend>) -> Router {
    let phone = Router::new().route("/phone/web/{*path}", any(phone::forward));
    // The service calls this route, not the page, so the check of the origin does not apply.
    let receiver = Router::new()
        .route("/webhook", post(webhook::receive).layer(DefaultBodyLimit::max(limits::WEBHOOK_BODY_BYTES)));
    page(&backend, get(config)).merge(phone).merge(receiver).with_state(backend)
}

/// Routes of the page and its backend.
fn page(backend: &Arc<Backend>, config: MethodRouter<Arc<Backend>>) -> Router<Arc<Backend>> {
    let own_page = Router::new()
        .route("/sessions", post(sessions::create))
        .route("/hosted-sessions", post(hosted::create))
        .route("/hosted-results", post(hosted::results))
        .route("/hosted-webhook", post(webhook::of_session))
        .route("/result", post(result::result))
        .route("/photo", post(result::photo))
        .route("/verify", post(result::verify_own).layer(DefaultBodyLimit::max(limits::MAX_RESPONSE_BYTES)))
        .route_layer(middleware::from_fn_with_state(Arc::clone(backend), only_own_page));
    let page = Router::new()
        .route("/config.json", config)
        .route("/qr.svg", get(qr::svg))
        .nest_service("/svc-camera", files::component())
        .nest_service(SHARED, shared())
        .fallback_service(files::page())
        .layer(middleware::from_fn_with_state(Arc::clone(backend), files::protect));
    own_page.merge(page)
}

/// `GET /config` for pages on this machine: the addresses that they need. None of them is secret.
async fn config(State(backend): Shared) -> Json<Value> {
    let Demo { pages: Addresses { base_url, license_url, .. }, upload_url, verify_url, .. } = &backend.demo;
    Json(json!({
        "base_url": base_url, "license_url": license_url, "upload_url": upload_url, "verify_url": verify_url,
        "phone": { "base_url": "/phone", "user_agent": phone::USER_AGENT, "touch_points": phone::TOUCH_POINTS },
    }))
}

/// `GET /config` for phones, which get no simulated phone and no verification page.
async fn public_config(State(backend): Shared) -> Json<Value> {
    let Demo { pages: Addresses { base_url, license_url, .. }, upload_url, .. } = &backend.demo;
    Json(json!({ "base_url": base_url, "license_url": license_url, "upload_url": upload_url }))
}

/// Middleware that rejects requests from other pages in the same browser: they must not create sessions or read
/// results.
async fn only_own_page(State(backend): Shared, request: Request, next: Next) -> Response {
    match backend.is_own_page(request.headers()) {
        true => next.run(request).await,
        false => refused(StatusCode::FORBIDDEN, "Só a página da demonstração pode pedir isto").into_response(),
    }
}

impl Backend {
    /// Whether `Origin` is one of the page's. Browsers send it with every POST, and a DNS name that was rebound to this
    /// machine is not among these origins.
    fn is_own_page(&self, headers: &HeaderMap) -> bool {
        let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
        origin.is_some_and(|origin| self.origins.iter().any(|own| own == origin))
    }

    /// The page's address at an origin.
    fn page_of(&self, origin: &str) -> String {
        let is_public = self.demo.public.as_ref().is_some_and(|public| public.to_string() == origin);
        format!("{origin}{}/", if is_public { DEMO } else { "" })
    }
}
