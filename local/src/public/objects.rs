//! Uploads and downloads by presigned URL. S3 checks the signature under the host that the URL was signed for, which a tunnel
//! may have replaced.

use std::sync::Arc;

use axum::{
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderName, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use reqwest::RequestBuilder;

use crate::relay;

/// Twice what `ingest` accepts: a photo that is too large gets its refusal there.
const MAX_UPLOAD_BYTES: usize = 8 * 1024 * 1024;
/// Handed on to S3. No `Authorization`, so that only a presigned URL opens an object, and none of S3's own, of which some
/// name another object.
const HANDED_ON: [HeaderName; 6] = [
    header::CONTENT_TYPE,
    header::ORIGIN,
    header::RANGE,
    header::IF_NONE_MATCH,
    header::ACCESS_CONTROL_REQUEST_METHOD,
    header::ACCESS_CONTROL_REQUEST_HEADERS,
];

/// S3 as presigned URLs lead to it.
pub(crate) struct Objects {
    http: reqwest::Client,
    /// S3 on this machine.
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
    /// Of S3's endpoint, for URLs that are signed for an origin.
    pub(crate) fn new(endpoint: &str, signed_for: &str) -> Self {
        Self {
            http: reqwest::Client::builder().no_proxy().build().unwrap_or_default(),
            endpoint: endpoint.to_owned(),
            signed_for: signed_for.to_owned(),
        }
    }

    /// The request of a presigned URL, sent to this machine, whose own requests need no tunnel.
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

/// Whether every part of a path is written as keys of this service are, so that it names the object that it seems to name.
fn is_plain(uri: &Uri) -> bool {
    let is_key = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    uri.path().split('/').skip(1).all(is_key)
}
