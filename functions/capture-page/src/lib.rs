//! `GET {capture_url}/`: the hosted page and its assets. They are compiled into the binary, so a request reads no
//! storage and calls no other service.
//!
//! The page is the same for every session: its script reads the token from the link, so the token is in no log. Asset
//! names contain a hash of the content, so browsers cache them permanently; the page itself is revalidated on every
//! visit.

use std::sync::Arc;

use lacre_domain::Clock;
use lacre_http::{Body, Endpoint, Request, Response, StatusCode, accepts_gzip};
use lacre_storage::Connection;
use lambda_http::{
    RequestExt,
    http::{HeaderValue, header as names},
};

/// A file of the page.
struct Asset {
    name: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
}

static ASSETS: &[Asset] = &include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The Content-Security-Policy hash of the component's `<style>` element, which browsers without constructed style
/// sheets (Safari before 16.4) use.
const STYLE_SOURCE: &str = include_str!("../style-source.txt");
const PAGE: &str = "index.html";
const PERMISSIONS: &str = "camera=(self), geolocation=(self), accelerometer=(self), gyroscope=(self), \
                           magnetometer=(self), screen-wake-lock=(self)";

/// The endpoint.
pub struct CapturePage {
    content_security_policy: HeaderValue,
}

impl Endpoint for CapturePage {
    async fn handle(&self, request: Request) -> Response<Body> {
        let path = request.raw_http_path();
        let name = if path == "/" { PAGE } else { path.strip_prefix("/assets/").unwrap_or_default() };
        let asset = ASSETS.iter().find(|asset| asset.name == name && (name != PAGE || path == "/"));
        let Some(asset) = asset else { return not_found() };
        let mut response = asset.response(&request);
        let headers = response.headers_mut();
        let fixed = [
            (names::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (names::REFERRER_POLICY, "no-referrer"),
            (names::STRICT_TRANSPORT_SECURITY, "max-age=63072000"),
            (names::HeaderName::from_static("permissions-policy"), PERMISSIONS),
            (names::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
            (names::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ];
        headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
        headers.insert(names::CONTENT_SECURITY_POLICY, self.content_security_policy.clone());
        response
    }
}

impl CapturePage {
    /// The endpoint for the configuration of a connection.
    #[must_use]
    pub fn new(connection: &Connection, _clock: Arc<dyn Clock>) -> Self {
        let upload_origin = connection.config().upload_origin.read();
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self' {STYLE_SOURCE}; connect-src 'self' {upload_origin}; \
             img-src 'self' blob: data:; media-src 'self' blob:; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'; require-trusted-types-for 'script'"
        );
        // If the origin cannot be a header value, the configuration is wrong: the strictest policy is sent, and the
        // page cannot upload.
        let strictest = HeaderValue::from_static("default-src 'none'");
        Self { content_security_policy: HeaderValue::from_str(&policy).unwrap_or(strictest) }
    }
}

impl Asset {
    fn response(&self, request: &Request) -> Response<Body> {
        let is_compressed = accepts_gzip(request);
        let mut response = Response::new(Body::Binary(if is_compressed { self.gzip } else { self.plain }.to_vec()));
        let headers = response.headers_mut();
        headers.insert(names::CONTENT_TYPE, HeaderValue::from_static(self.content_type()));
        let kept = if self.name == PAGE { "no-cache" } else { "public, max-age=31536000, immutable" };
        headers.insert(names::CACHE_CONTROL, HeaderValue::from_static(kept));
        headers.insert(names::VARY, HeaderValue::from_static("accept-encoding"));
        if is_compressed {
            headers.insert(names::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    fn content_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            _ => "application/octet-stream",
        }
    }
}

fn not_found() -> Response<Body> {
    lacre_http::response(StatusCode::NOT_FOUND, r#"{"message":"Not Found"}"#.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Read as _;

    #[test]
    fn each_gzip_asset_equals_its_original() {
        assert!(ASSETS.iter().any(|asset| asset.name == PAGE));
        for asset in ASSETS {
            let mut read = Vec::new();
            flate2::read::GzDecoder::new(asset.gzip).read_to_end(&mut read).unwrap();
            assert_eq!(read, asset.plain, "{}", asset.name);
            assert_ne!(asset.content_type(), "application/octet-stream", "{}", asset.name);
        }
    }

    #[test]
    fn the_page_links_only_own_assets() {
        let page = ASSETS.iter().find(|asset| asset.name == PAGE).unwrap();
        let page = std::str::from_utf8(page.plain).unwrap();
        let named: Vec<_> = page.split('"').filter_map(|part| part.strip_prefix("/assets/")).collect();
        assert_eq!(named.len(), 2, "{page}");
        assert!(named.iter().all(|name| ASSETS.iter().any(|asset| asset.name == *name)), "{named:?}");
        assert!(!page.contains("http"), "a third party");
    }
}
