//! The operator's console: serves a page on loopback and forwards its requests to the admin API.
//!
//! The page has no AWS credentials. This server signs each of its requests with the operator's own
//! credentials, so IAM authorizes it
//! and the audit log names the operator. Anyone who can send requests to this port could act as the operator.
//! Therefore every request
//! must first prove that it comes from the page, in the browser that was opened with the one-time code. This
//! crate writes no logs, so
//! codes, tokens, cookies and bodies never reach one.

mod about;
mod admin_api;
mod answer;
mod assets;
mod client;
mod credentials;
mod forward;
mod gateway;
mod guard;
mod opening;
mod outgoing;
mod session;
mod sign;
mod signers;
mod target;

use std::{fmt, io, net::Ipv4Addr, sync::Arc};

use aws_credential_types::provider::SharedCredentialsProvider;
use axum::{
    Router,
    extract::{DefaultBodyLimit, State},
    middleware,
    routing::{any, get},
    serve::ListenerExt,
};
use lacre_domain::Clock;
use lacre_storage::Connection;
use tokio::{net::TcpListener, sync::oneshot};

use crate::{about::About, answer::RequestError, guard::Guard, session::Session};

pub use admin_api::AdminApi;

/// Settings of a console.
pub struct Settings {
    /// Address of the admin API (`ADMIN_URL`).
    pub admin_url: String,
    /// AWS region of the admin API, which is part of each signature.
    pub region: String,
    /// Name of the deployment, shown on the page.
    pub stack_name: String,
    /// Address of the verification page, if the deployment has one.
    pub verify_url: Option<String>,
    /// Provider of the operator's credentials. It is called again when they expire.
    pub credentials: SharedCredentialsProvider,
    /// PEM file whose certificates replace the built-in TLS root certificates.
    pub ca_bundle: Option<String>,
    /// AWS connection that reads the principal and the signers.
    pub connection: Connection,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Settings");
        shown.field("admin_url", &self.admin_url).field("region", &self.region).field("stack_name", &self.stack_name);
        shown.finish_non_exhaustive()
    }
}

/// A running console. Dropping it stops the server: it accepts no new connections and closes idle ones.
pub struct Console {
    port: u16,
    app: Arc<App>,
    _stop: oneshot::Sender<()>,
}

/// State that all routes share.
struct App {
    guard: Guard,
    session: Session,
    about: About,
    admin_api: AdminApi,
    connection: Connection,
    clock: Arc<dyn Clock>,
}

type Shared = State<Arc<App>>;

impl Console {
    /// Serves the page on a listener bound to 127.0.0.1. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// If the listener is bound to another address, `admin_url` is not an HTTP address, or the PEM file
    /// cannot be used.
    pub fn start(listener: TcpListener, settings: Settings) -> Result<Self, io::Error> {
        let address = listener.local_addr()?;
        if address.ip() != Ipv4Addr::LOCALHOST {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the console listens on 127.0.0.1 only"));
        }
        let app = Arc::new(App::new(address.port(), settings)?);
        let (stop, stopped) = oneshot::channel::<()>();
        // Without `TCP_NODELAY`, small responses on keep-alive connections wait for the client's
        // acknowledgement.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let router = router(Arc::clone(&app));
        tokio::spawn(async move {
            let stopped = async move {
                let _ = stopped.await;
            };
            let _ = axum::serve(listener, router).with_graceful_shutdown(stopped).await;
        });
        Ok(Self { port: address.port(), app, _stop: stop })
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The address that opens the console in a browser. It contains the one-time code, which is a secret
    /// until it is used.
    #[must_use]
    pub fn opening_url(&self) -> String {
        format!("{}/open?code={}", self.url(), self.app.session.code())
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").field("url", &self.url()).finish_non_exhaustive()
    }
}

impl App {
    fn new(port: u16, settings: Settings) -> Result<Self, io::Error> {
        let Settings { admin_url, region, stack_name, verify_url, credentials, ca_bundle, connection, clock } =
            settings;
        let ca_bundle = ca_bundle.as_deref();
        Ok(Self {
            admin_api: AdminApi::new(&admin_url, region.clone(), credentials, ca_bundle, Arc::clone(&clock))?,
            guard: Guard::new(port),
            session: Session::new(port),
            about: About::new(stack_name, region, admin_url, verify_url),
            connection,
            clock,
        })
    }
}

fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/open", get(opening::open))
        .route("/api/console", get(about::about))
        .route("/api/signers", get(signers::signers))
        .route("/api/admin/{*path}", any(forward::forward))
        .fallback(assets::file)
        .method_not_allowed_fallback(not_allowed)
        .layer(DefaultBodyLimit::max(forward::MAX_BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(&app), guard::check))
        // The last layer is the outermost, so that responses of the guard have the security headers too.
        .layer(middleware::from_fn(assets::protect))
        .with_state(app)
}

async fn not_allowed() -> RequestError {
    RequestError::Method
}

/// The headers of a request, for tests.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
fn headers(pairs: &[(&'static str, &str)]) -> axum::http::HeaderMap {
    let mut headers = axum::http::HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().unwrap());
    }
    headers
}
