//! Checks of every request before it is processed: `Host` names this server, the request comes from this
//! server's page, and the browser has the session.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, Uri, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{Shared, answer::RequestError, opening, session::Session};

const HOST: &str = "host";
const ORIGIN: &str = "origin";
const SITE: &str = "sec-fetch-site";
const MODE: &str = "sec-fetch-mode";
const NAVIGATE: &str = "navigate";

/// The host names under which this server accepts requests.
#[derive(Debug)]
pub(crate) struct Guard {
    hosts: [String; 2],
}

/// Middleware that passes an admitted request on, or returns the error.
pub(crate) async fn check(State(app): Shared, request: Request, next: Next) -> Response {
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    let admitted = app.guard.admit(&app.session, method, uri, headers);
    let wants_page = *method == Method::GET && uri.path() == "/" && is_navigation(headers);
    match admitted {
        Ok(()) => next.run(request).await,
        Err(RequestError::Session) if wants_page => opening::run_again(),
        Err(refusal) => refusal.into_response(),
    }
}

impl Guard {
    /// Creates the guard of a port.
    pub(crate) fn new(port: u16) -> Self {
        Self { hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")) }
    }

    /// Runs the checks in order and returns the first failure.
    fn admit(&self, session: &Session, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), RequestError> {
        let host = self.check_host(uri, headers)?;
        check_origin(host, method, uri, headers)?;
        let path = uri.path();
        if path == opening::PATH {
            return Ok(());
        }
        let needs_token = path == "/api" || path.starts_with("/api/");
        match session.has_cookie(headers) && (!needs_token || session.has_token(headers)) {
            true => Ok(()),
            false => Err(RequestError::Session),
        }
    }

    /// Requires `Host` to name this server. This stops DNS rebinding, where a foreign host name resolves to
    /// this machine.
    fn check_host<'a>(&self, uri: &Uri, headers: &'a HeaderMap) -> Result<&'a str, RequestError> {
        let host = only(headers, HOST, RequestError::Host)?.ok_or(RequestError::Host)?;
        // An absolute-form request target takes precedence over `Host` (RFC 9112, section 3.2.2), so both
        // must agree.
        let target_agrees = uri.authority().map(Authority::as_str).is_none_or(|authority| authority == host);
        match target_agrees && self.hosts.iter().any(|own| own == host) {
            true => Ok(host),
            false => Err(RequestError::Host),
        }
    }
}

/// Rejects cross-origin requests by `Origin` and `Sec-Fetch-Site`. Browsers send these headers; other
/// programs must send `Origin` only with a request that changes something.
fn check_origin(host: &str, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), RequestError> {
    let is_read = *method == Method::GET || *method == Method::HEAD;
    let is_own = match only(headers, ORIGIN, RequestError::Origin)? {
        Some(origin) => origin.strip_prefix("http://") == Some(host),
        None => is_read,
    };
    let site = only(headers, SITE, RequestError::Origin)?;
    let mode = only(headers, MODE, RequestError::Origin)?;
    // Top-level navigation from another site (a link, or an address that was typed) may open the page: only
    // the operator sees the response.
    let is_opening = *method == Method::GET && matches!(uri.path(), "/" | opening::PATH) && mode == Some(NAVIGATE);
    match is_own && site.is_none_or(|site| site == "same-origin" || is_opening) {
        true => Ok(()),
        false => Err(RequestError::Origin),
    }
}

/// Whether the request is a navigation. A browser without `Sec-Fetch-Mode` displays whatever it receives, so
/// it counts as one.
fn is_navigation(headers: &HeaderMap) -> bool {
    headers.get(MODE).is_none_or(|mode| mode == NAVIGATE)
}

/// The value of a header that may occur at most once.
pub(crate) fn only<'a>(
    headers: &'a HeaderMap,
    name: &str,
    refusal: RequestError,
) -> Result<Option<&'a str>, RequestError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| refusal),
        (Some(_), Some(_)) => Err(refusal),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::headers;

    #[test]
    fn accepts_two_host_names_with_port() {
        let guard = Guard::new(8750);
        let check = |target: &str, pairs: &[(&'static str, &str)]| {
            guard.check_host(&target.parse().unwrap(), &headers(pairs)).map(str::to_owned)
        };
        for good in ["127.0.0.1:8750", "localhost:8750"] {
            assert_eq!(check("/", &[("host", good)]).as_deref(), Ok(good));
        }
        for bad in [
            "127.0.0.1",
            "127.0.0.1:8751",
            "127.0.0.1.evil.example:8750",
            "LOCALHOST:8750",
            "localhost.:8750",
            "[::1]:8750",
            "",
        ] {
            assert_eq!(check("/", &[("host", bad)]), Err(RequestError::Host), "{bad}");
        }
        assert_eq!(check("/", &[]), Err(RequestError::Host));
        let twice = [("host", "localhost:8750"), ("host", "localhost:8750")];
        assert_eq!(check("/", &twice), Err(RequestError::Host));
        let own = [("host", "localhost:8750")];
        assert!(check("http://localhost:8750/", &own).is_ok());
        assert_eq!(check("http://evil.example/", &own), Err(RequestError::Host));
    }

    #[test]
    fn refuses_requests_of_other_origins() {
        let check = |method: Method, path: &str, pairs: &[(&'static str, &str)]| {
            check_origin("localhost:8750", &method, &path.parse().unwrap(), &headers(pairs))
        };
        let own = ("origin", "http://localhost:8750");
        assert!(check(Method::POST, "/api/admin/clients", &[own, ("sec-fetch-site", "same-origin")]).is_ok());
        assert!(check(Method::GET, "/api/console", &[]).is_ok());
        assert_eq!(check(Method::POST, "/api/admin/clients", &[]), Err(RequestError::Origin));
        assert_eq!(check(Method::DELETE, "/", &[]), Err(RequestError::Origin));
        for origin in
            ["null", "http://localhost:8751", "http://127.0.0.1:8750", "https://localhost:8750", "localhost:8750", ""]
        {
            assert_eq!(check(Method::GET, "/", &[("origin", origin)]), Err(RequestError::Origin), "{origin}");
        }
        for site in ["none", "same-site", "cross-site", "unheard-of"] {
            let navigation = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate")];
            assert!(check(Method::GET, "/", &navigation).is_ok(), "{site}");
            assert!(check(Method::GET, "/open", &navigation).is_ok(), "{site}");
            let elsewhere = check(Method::GET, "/console.css", &navigation);
            assert_eq!(elsewhere, Err(RequestError::Origin), "{site}");
            let fetched = check(Method::GET, "/", &[("sec-fetch-site", site), ("sec-fetch-mode", "no-cors")]);
            assert_eq!(fetched, Err(RequestError::Origin), "{site}");
            let posted = check(Method::POST, "/", &[own, navigation[0], navigation[1]]);
            assert_eq!(posted, Err(RequestError::Origin), "{site}");
        }
    }
}
