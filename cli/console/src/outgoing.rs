//! Selects the parts of a browser's request that are forwarded to the admin API.

use axum::{
    body::Bytes,
    extract::rejection::BytesRejection,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
};
use lacre_api::{headers, resolution::MEDIA_TYPES};
use reqwest::Url;

use crate::{answer::RequestError, guard::only, target::AdminUrl};

/// Path prefix of the route; the rest is the admin API's path.
const PREFIX: &str = "/api/admin/";
/// The header by which API Gateway passes a picture on as bytes. Whatever is no picture is JSON.
const CONTENT_TYPE: &str = "content-type";
/// The only other request headers of the browser that are forwarded.
const PASSED_ON: [&str; 2] = [headers::IDEMPOTENCY_KEY, headers::IF_MATCH];

/// A request to the admin API before it is signed.
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Header names are in lower case.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
}

impl Outgoing {
    /// Builds the outgoing request from a browser's request.
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
        // The path is forwarded as it was sent, without decoding.
        let path = uri.path().strip_prefix(PREFIX).ok_or(RequestError::Path)?;
        let url = admin.route(path, uri.query())?;
        let body = body.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => RequestError::TooLarge,
            _ => RequestError::Body,
        })?;
        let mut passed_on = Vec::new();
        if !is_read {
            let named = only(headers, CONTENT_TYPE, RequestError::Header)?.unwrap_or_default();
            let picture = MEDIA_TYPES.into_iter().find(|known| *known == named);
            passed_on.push((CONTENT_TYPE, picture.unwrap_or("application/json").to_owned()));
        }
        for name in PASSED_ON {
            if let Some(value) = only(headers, name, RequestError::Header)? {
                passed_on.push((name, value.to_owned()));
            }
        }
        Ok(Self { method, url, headers: passed_on, body })
    }

    /// All headers: its own and those of the signature.
    pub(crate) fn all_headers(&self, mut headers: HeaderMap) -> Result<HeaderMap, RequestError> {
        for &(name, ref value) in &self.headers {
            let value = HeaderValue::try_from(value.as_str()).map_err(|_| RequestError::Header)?;
            headers.insert(HeaderName::from_static(name), value);
        }
        // The HTTP client omits `Content-Length` if the body is empty, but some gateways require it.
        if self.body.is_empty() && self.method != Method::GET {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(headers)
    }
}
