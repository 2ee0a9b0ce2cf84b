//! The single port for phones: it serves pages, both flows, uploads and signed photos, through a tunnel or on the local
//! network.
//!
//! Anyone who finds its address can use it. It serves only the routes of this router, whatever `Host` a request has:
//! never the admin API, the console, tables, keys or bucket listings.

mod authority;
mod objects;
mod trust;

use std::{
    io,
    net::{IpAddr, Ipv4Addr, UdpSocket},
    path::PathBuf,
    sync::Arc,
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{self, Next},
    response::{Redirect, Response},
    routing::{any, get},
};
use lacre_domain::Origin;
use lacre_pki::ServerName;
use time::OffsetDateTime;
use tokio::net::TcpListener;

use crate::{
    Error,
    demo::{self, Addresses, SHARED},
    server::{Server, listen},
};

use self::authority::{ServerAuthority, fingerprint};
pub(crate) use self::objects::Objects;
pub use self::trust::STEPS as TRUST_STEPS;

/// How phones reach the service.
#[derive(Clone, Debug)]
pub enum Public {
    /// Through a tunnel or proxy that serves this origin. The port listens on loopback.
    Proxied(Origin),
    /// On the local network, with a certificate of a CA that is kept in a directory.
    Https {
        /// This machine's address or name; the default is the address of the default network interface.
        host: Option<ServerName>,
        /// The directory of the CA.
        directory: PathBuf,
    },
}

/// The routers behind the port.
pub(crate) struct Parts {
    /// The API flow and license validation.
    pub(crate) api: Router,
    /// The hosted flow and its page.
    pub(crate) hosted: Router,
    /// The demo page, its backend and the component.
    pub(crate) demo: Router,
    /// The names of the uploads and proofs buckets.
    pub(crate) buckets: [String; 2],
    pub(crate) objects: Arc<Objects>,
}

/// The port, bound but not served yet. URLs that are created before it is served contain its origin.
pub(crate) struct Bound {
    listener: TcpListener,
    origin: Origin,
    tls: Option<Tls>,
}

struct Tls {
    authority: ServerAuthority,
    host: ServerName,
    /// Where phones download the CA certificate before they trust it.
    trust: TcpListener,
}

/// The running port.
pub(crate) struct Port {
    origin: Origin,
    server: Server,
    trust: Option<(Server, Trust)>,
}

/// What a phone must trust before it can open a page.
#[derive(Clone, Debug)]
pub struct Trust {
    /// The page with the CA certificate, over plain HTTP.
    pub url: String,
    /// The certificate's SHA-256 fingerprint, formatted as phones show it.
    pub fingerprint: String,
}

impl Bound {
    /// Binds the port, and for `--https` a second one, where phones download the CA certificate.
    pub(crate) async fn to(public: &Public, port: u16, trust_port: u16) -> Result<Self, Error> {
        let (host, directory) = match public {
            Public::Proxied(origin) => {
                let listener = listen(Ipv4Addr::LOCALHOST.into(), port).await?;
                return Ok(Self { listener, origin: origin.clone(), tls: None });
            }
            Public::Https { host, directory } => (host, directory),
        };
        let host = host.clone().map_or_else(own_address, Ok)?;
        // A name can resolve to any address of this machine, so the port listens on all of them.
        let address = match &host {
            ServerName::Address(address) => *address,
            ServerName::Domain(_) => Ipv4Addr::UNSPECIFIED,
        };
        let listener = listen(address.into(), port).await?;
        let trust = listen(address.into(), trust_port).await?;
        let origin = format!("https://{host}:{}", listener.local_addr()?.port());
        let origin = Origin::parse(&origin).ok_or_else(|| io::Error::other(format!("{origin} is not an origin")))?;
        let authority = ServerAuthority::of(directory)?;
        Ok(Self { listener, origin, tls: Some(Tls { authority, host, trust }) })
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Starts serving the routers.
    pub(crate) fn serve(self, parts: Parts) -> Result<Port, Error> {
        let Self { listener, origin, tls } = self;
        let router = router(&origin, parts);
        let Some(Tls { authority, host, trust }) = tls else {
            return Ok(Port { origin, server: Server::start(listener, router)?, trust: None });
        };
        let loopback = [ServerName::Domain("localhost".to_owned()), ServerName::Address(Ipv4Addr::LOCALHOST)];
        let mut names: Vec<_> = loopback.into_iter().chain(own_address().ok()).filter(|name| *name != host).collect();
        names.insert(0, host.clone());
        let server = Server::start_tls(listener, router, authority.server_config(&names, OffsetDateTime::now_utc())?)?;
        let url = format!("http://{host}:{}", trust.local_addr()?.port());
        let certificate = authority.certificate()?;
        let fingerprint = fingerprint(&certificate);
        let page = trust::router(certificate, &fingerprint, &format!("{origin}{DEMO}/"));
        Ok(Port { origin, server, trust: Some((Server::start(trust, page)?, Trust { url, fingerprint })) })
    }
}

impl Port {
    /// Address of the demo page.
    pub(crate) fn page_url(&self) -> String {
        format!("{}{DEMO}/", self.origin)
    }

    /// The address that a tunnel must forward to: the port on this machine, without TLS.
    pub(crate) fn tunnel_target(&self) -> Option<String> {
        self.trust.is_none().then(|| self.server.url())
    }

    pub(crate) fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref().map(|(_, trust)| trust)
    }
}

/// Path of the API flow: `{base_url}` and `{license_url}` are the origin with this path. `{capture_url}` is the origin
/// alone.
pub(crate) const API: &str = "/api";
/// Path of the demo page.
pub(crate) const DEMO: &str = "/demo";

/// The service's addresses at an origin.
pub(crate) fn addresses(origin: &Origin) -> Addresses {
    let api = format!("{origin}{API}");
    Addresses { base_url: api.clone(), license_url: api, capture_url: origin.to_string() }
}

/// The complete router of the port. The gateways and the demo answer 404 to unknown routes.
fn router(origin: &Origin, parts: Parts) -> Router {
    let Parts { api, hosted, demo: page, buckets: [uploads, proofs], objects } = parts;
    let own = HeaderValue::from_str(&origin.to_string()).ok();
    let objects = Router::new()
        .route(&format!("/{uploads}/{{key}}"), any(objects::upload))
        .route(&format!("/{proofs}/{{capture}}/{{attempt}}/{{file}}"), any(objects::download))
        .with_state(objects);
    Router::new()
        .nest_service(API, api.layer(middleware::from_fn_with_state(own, name_own_page)))
        .nest_service(&format!("{DEMO}/"), page)
        .route(DEMO, get(|| async { Redirect::permanent(&format!("{DEMO}/")) }))
        .nest_service(SHARED, demo::shared())
        .merge(objects)
        .fallback_service(hosted)
}

/// Adds `Origin` to requests of the port's own page. The API flow requires the header, but browsers omit it on a
/// same-origin GET; in production the page has another origin and browsers send it.
async fn name_own_page(State(own): State<Option<HeaderValue>>, mut request: Request, next: Next) -> Response {
    if let Some(own) = own.filter(|_| is_of_own_page(request.headers())) {
        request.headers_mut().insert(header::ORIGIN, own);
    }
    next.run(request).await
}

/// Whether the request comes from the port's own page. Safari before 16.4 sends no `Sec-Fetch-Site`; there a custom
/// header proves it, because from another origin it would require a preflight and an `Origin`. The hosted flow uses the
/// same rule.
fn is_of_own_page(headers: &HeaderMap) -> bool {
    let is_same_origin = match headers.get("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => headers.contains_key("x-svc-touch-points"),
    };
    is_same_origin && !headers.contains_key(header::ORIGIN)
}

/// This machine's address on its default network interface. Nothing is sent.
fn own_address() -> io::Result<ServerName> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    // An address reserved for documentation (RFC 5737); connecting a UDP socket to it selects the default route.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
    let address: IpAddr = socket.local_addr()?.ip();
    ServerName::parse(&address.to_string()).ok_or_else(|| {
        io::Error::other(format!(
            "{address} is not a local network address: pass another address, or use a tunnel and --public"
        ))
    })
}
