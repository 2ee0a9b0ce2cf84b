//! Responses, and the place where an internal failure becomes a [`Refusal`] and is logged once.

use std::{fmt, io::Write as _};

use flate2::{Compression, write::GzEncoder};
use lacre_api::Refusal;
use lambda_http::{
    Body, Request, Response,
    http::{HeaderValue, StatusCode, header},
};
use serde::Serialize;

use crate::{defer::defer, read::accepts_gzip};

/// A refusal on its way to the response. If an internal failure caused it, it carries that cause for the log.
#[derive(Clone, Debug)]
pub struct Rejection {
    refusal: Refusal,
    cause: Option<String>,
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, cause: None }
    }
}

impl Rejection {
    /// The refusal.
    #[must_use]
    pub fn refusal(&self) -> Refusal {
        self.refusal
    }

    /// A refusal that an internal failure caused.
    #[must_use]
    pub fn because(refusal: Refusal, cause: &dyn fmt::Display) -> Self {
        Self { refusal, cause: Some(cause.to_string()) }
    }
}

/// Converts an internal failure into a refusal, at the place where it occurs.
pub trait OrRefuse<T> {
    /// Returns the value, or the refusal with the failure as its cause.
    ///
    /// # Errors
    /// The refusal.
    fn or_refuse(self, refusal: Refusal) -> Result<T, Rejection>;
}

/// Like [`OrRefuse`], for failures that lead to different refusals.
pub trait OrRefuseAs<T, E> {
    /// Returns the value, or the refusal that `choose` selects, with the failure as its cause.
    ///
    /// # Errors
    /// The refusal.
    fn or_refuse_as(self, choose: impl FnOnce(&E) -> Refusal) -> Result<T, Rejection>;
}

impl<T, E: std::error::Error> OrRefuse<T> for Result<T, E> {
    fn or_refuse(self, refusal: Refusal) -> Result<T, Rejection> {
        self.or_refuse_as(|_| refusal)
    }
}

impl<T, E: std::error::Error> OrRefuseAs<T, E> for Result<T, E> {
    fn or_refuse_as(self, choose: impl FnOnce(&E) -> Refusal) -> Result<T, Rejection> {
        self.map_err(|error| Rejection::because(choose(&error), &error))
    }
}

/// A response with status 200 and a JSON body.
///
/// # Errors
/// [`Refusal::ResponseSerializationFailed`].
pub fn json<T: Serialize>(body: &T) -> Result<Response<Body>, Rejection> {
    let text = serde_json::to_string(body).or_refuse(Refusal::ResponseSerializationFailed)?;
    Ok(response(StatusCode::OK, text))
}

/// Runs a handler and converts its result into the response. A refusal is logged in one line, after Lambda has received
/// the response. `service_name` is the operator's name in texts for people.
pub async fn respond(
    service_name: &str,
    handler: impl Future<Output = Result<Response<Body>, Rejection>>,
) -> Response<Body> {
    // On the heap: a handler's future contains those of its AWS calls, tens of kilobytes that would otherwise be copied
    // with each move.
    match Box::pin(handler).await {
        Ok(response) => response,
        Err(rejection) => refuse(service_name, rejection),
    }
}

/// Adds to the log lines and the metrics of the request whose it is: `field` is `api_key`, `license_key`, `session` or
/// `capture`; `short` is the first 8 hexadecimal characters of its hash.
pub fn record_log_subject(field: &'static str, short: &str) {
    tracing::Span::current().record(field, short);
    lacre_metrics::name_subject(field, short);
}

fn refuse(service_name: &str, Rejection { refusal, cause }: Rejection) -> Response<Body> {
    let (status, block_reason) = (refusal.status(), refusal.block_reason());
    lacre_metrics::refused(block_reason.unwrap_or("none"));
    defer(move || match cause {
        // A client error may have a logged cause too, but only a failure of the service is logged as an error.
        Some(cause) if status >= 500 => tracing::error!(status, block_reason, cause, "refused"),
        cause => tracing::info!(status, block_reason, cause, "refused"),
    });
    // All statuses of the table are valid HTTP status codes.
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    // The body consists of strings and numbers, which always have a JSON form.
    let body = serde_json::to_string(&refusal.body(service_name)).unwrap_or_default();
    let mut response = response(status, body);
    if let Some(seconds) = refusal.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A response with a JSON body, and with the headers that every response has.
#[must_use]
pub fn response(status: StatusCode, json: String) -> Response<Body> {
    let mut response = Response::new(Body::from(json));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Compresses the body of a response with gzip, if the request accepts it. Nothing caches a response, so none says that
/// it varies.
#[must_use]
pub fn compressed(request: &Request, mut response: Response<Body>) -> Response<Body> {
    if !accepts_gzip(request) {
        return response;
    }
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    if gzip.write_all(response.body()).is_ok()
        && let Ok(bytes) = gzip.finish()
    {
        *response.body_mut() = Body::Binary(bytes);
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Read as _;

    use lambda_http::http::Request;
    use serde_json::json;

    use super::*;

    fn refused(refusal: Refusal) -> (u16, Option<String>, serde_json::Value) {
        let response = refuse("Lacre", refusal.into());
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        let retry_after = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
        (response.status().as_u16(), retry_after, serde_json::from_slice(response.body()).unwrap())
    }

    #[test]
    fn a_refusal_is_logged_in_full() {
        assert_eq!(
            refused(Refusal::OriginNotAllowed),
            (
                403,
                None,
                json!({
                    "error": "Origem não autorizada para esta licença — fale com a Lacre para habilitar este domínio.",
                    "block_reason": "web_origin_not_allowed",
                })
            )
        );
        assert_eq!(
            refused(Refusal::AssetTooLarge { bytes: 5_000_000, max_asset_bytes: 4_194_304 }),
            (
                413,
                None,
                json!({
                    "error": "Imagem acima do tamanho máximo aceito (4194304 bytes).",
                    "block_reason": "web_asset_too_large", "bytes": 5_000_000, "max_asset_bytes": 4_194_304,
                })
            )
        );
        assert_eq!(
            refused(Refusal::RecaptureDetected),
            (422, None, json!({ "error": "Imagem rejeitada — possível recaptura", "recapture_risk": "HIGH" }))
        );
    }

    #[test]
    fn waiting_is_advised_where_it_helps() {
        assert_eq!(refused(Refusal::CreationLimitReached { retry_after: 1234 }).1.as_deref(), Some("1234"));
        assert_eq!(refused(Refusal::UpstreamUnavailable).1.as_deref(), Some("2"));
        assert_eq!(refused(Refusal::LoadLimitReached).1, None);
        assert_eq!(refused(Refusal::SignerUnavailable).1, None);
    }

    #[test]
    fn a_response_is_compressed_as_accepted() {
        let answered = |accepts: &str| {
            let request = Request::builder().header("accept-encoding", accepts).body(Body::Empty).unwrap();
            compressed(&request, json(&json!({ "manifest": "A".repeat(1000) })).unwrap())
        };
        let (plain, gzip) = (answered("br"), answered("br, gzip;q=0.5"));
        assert_eq!((plain.headers().get("content-encoding"), plain.body().len()), (None, 1015));
        assert_eq!(gzip.headers()["content-encoding"], "gzip");
        assert!(gzip.body().len() < 100);
        let mut read = Vec::new();
        flate2::read::GzDecoder::new(&gzip.body()[..]).read_to_end(&mut read).unwrap();
        assert_eq!(read, plain.body()[..]);
    }
}
