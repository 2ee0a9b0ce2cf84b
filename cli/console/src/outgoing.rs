//! What of a browser's request goes to the admin API.

use axum::{
    body::Bytes,
    extract::rejection::BytesRejection,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
};
use lacre_api::headers;
use reqwest::Url;

use crate::{answer::RequestError, guard::only, target::AdminUrl};

/// The route, before the admin API's path.
const PREFIX: &str = "/api/admin/";
/// The only headers of the browser that are passed on.
const PASSED_ON: [&str; 2] = [headers::IDEMPOTENCY_KEY, headers::IF_MATCH];

/// A request to the admin API, not signed yet.
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Names in lower case.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
}

impl Outgoing {
    /// Takes of a browser's request what the admin API may see.
    pub(crate) fn read(
        admin: &AdminUrl,
        method: Method,
        uri: &Uri,
        headers: &HeaderMap,
        body: Result<Bytes, BytesRejection>,
    ) -> Result<Self, RequestError> {
        let is_read = method == Method::GET;
        if !is_read && method != Method::POST && method != Method::PATCH {
            return Err(RequestError::Method);
        }
        // As it was sent: nothing of it is decoded.
        let path = uri.path().strip_prefix(PREFIX).ok_or(RequestError::Path)?;
        let url = admin.route(path, uri.query())?;
        let body = body.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => RequestError::TooLarge,
            _ => RequestError::Body,
        })?;
        let mut passed_on = Vec::new();
        if !is_read {
            passed_on.push(("content-type", "application/json".to_owned()));
        }
        for name in PASSED_ON {
            if let Some(value) = only(headers, name, RequestError::Header)? {
                passed_on.push((name, value.to_owned()));
            }
        }
        Ok(Self { method, url, headers: passed_on, body })
    }

    /// Its own headers, and the signature's.
    pub(crate) fn all_headers(&self, mut headers: HeaderMap) -> Result<HeaderMap, RequestError> {
        for &(name, ref value) in &self.headers {
            let value = HeaderValue::try_from(value.as_str()).map_err(|_| RequestError::Header)?;
            headers.insert(HeaderName::from_static(name), value);
        }
        // The client leaves out the length of no body, and some gateways ask for it.
        if self.body.is_empty() && self.method != Method::GET {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(headers)
    }
}
