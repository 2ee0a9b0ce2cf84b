//! Forwards uploads and downloads with presigned URLs to S3. A tunnel may have replaced `Host`, so it is set to the
//! host that the URL was signed for, under which S3 verifies the signature.

use std::sync::Arc;

use axum::{
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderName, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use reqwest::RequestBuilder;

use crate::relay;

/// Maximum upload in bytes, twice what `ingest` accepts, so that a photo that is somewhat too large gets the refusal of
/// `ingest`.
const MAX_UPLOAD_BYTES: usize = 8 * 1024 * 1024;
/// Request headers that are forwarded to S3. `Authorization` is left out, so that only presigned URLs give access, and
/// so are the `x-amz-*` headers, some of which name another object.
const HANDED_ON: [HeaderName; 6] = [
    header::CONTENT_TYPE,
    header::ORIGIN,
    header::RANGE,
    header::IF_NONE_MATCH,
    header::ACCESS_CONTROL_REQUEST_METHOD,
    header::ACCESS_CONTROL_REQUEST_HEADERS,
];

/// S3 as presigned URLs reach it.
pub(crate) struct Objects {
    http: reqwest::Client,
    /// S3's endpoint on this machine.
    endpoint: String,
    /// The origin that URLs are signed for.
    signed_for: String,
}

/// `PUT /UPLOADS/KEY`, with its preflight.
pub(super) async fn upload(State(objects): State<Arc<Objects>>, request: Request) -> Response {
    objects.forward(&[Method::PUT, Method::OPTIONS], request).await
}

/// `GET /PROOFS/CAPTURE/ATTEMPT/FILE`, with its preflight.
pub(super) async fn download(State(objects): State<Arc<Objects>>, request: Request) -> Response {
    objects.forward(&[Method::GET, Method::HEAD, Method::OPTIONS], request).await
}

impl Objects {
    /// Forwards to an S3 endpoint requests whose URLs are signed for an origin.
    pub(crate) fn new(endpoint: &str, signed_for: &str) -> Self {
        Self {
            http: reqwest::Client::builder().no_proxy().build().unwrap_or_default(),
            endpoint: endpoint.to_owned(),
            signed_for: signed_for.to_owned(),
        }
    }

    /// A request for a presigned URL, sent directly to S3 on this machine instead of through the tunnel.
    pub(crate) fn get(&self, url: &str) -> RequestBuilder {
        match url.strip_prefix(&self.signed_for) {
            Some(target) => self.request(Method::GET, target),
            None => self.http.get(url),
        }
    }

    fn request(&self, method: Method, target: &str) -> RequestBuilder {
        let host = self.signed_for.split_once("://").map_or("", |(_, host)| host);
        self.http.request(method, format!("{}{target}", self.endpoint)).header(header::HOST, host)
    }

    async fn forward(&self, methods: &[Method], request: Request) -> Response {
        let (head, body) = request.into_parts();
        if !methods.contains(&head.method) || !is_plain(&head.uri) {
            return StatusCode::NOT_FOUND.into_response();
        }
        let Ok(body) = to_bytes(body, MAX_UPLOAD_BYTES).await else {
            return StatusCode::PAYLOAD_TOO_LARGE.into_response();
        };
        let target = head.uri.path_and_query().map_or("", |target| target.as_str());
        let request = self.request(head.method, target).headers(relay::named(&head.headers, &HANDED_ON)).body(body);
        let answer = async { relay::answer(request.send().await?).await };
        answer.await.unwrap_or_else(|_| StatusCode::BAD_GATEWAY.into_response())
    }
}

/// Whether every path segment has the form of this service's keys, so that the path cannot be normalized to another
/// object.
fn is_plain(uri: &Uri) -> bool {
    let is_key = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    uri.path().split('/').skip(1).all(is_key)
}
