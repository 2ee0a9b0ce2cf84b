//! The simulated phone: forwards requests to the service with a phone's `User-Agent` in place of the browser's.
//!
//! The service admits browsers by `User-Agent`, which a page cannot set. This detour lets a developer capture with a
//! desktop browser.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    Shared,
    answer::{Refused, refused},
};
use crate::relay;

/// `User-Agent` of Chrome on Android.
pub(super) const USER_AGENT: &str =
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";
/// Touch points of the simulated phone's screen.
pub(super) const TOUCH_POINTS: u8 = 5;

const MAX_BODY_BYTES: usize = 1024 * 1024;
const HANDED_ON: [HeaderName; 3] =
    [header::CONTENT_TYPE, HeaderName::from_static("x-svc-photo"), HeaderName::from_static("x-svc-touch-points")];

/// `/phone/web/…`: forwards the request to the service and returns its complete response.
pub(super) async fn forward(State(backend): Shared, request: Request) -> Result<Response, Refused> {
    let (head, body) = request.into_parts();
    let too_large = |_| refused(StatusCode::PAYLOAD_TOO_LARGE, "Pedido grande demais");
    let body = axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(too_large)?;
    let target = head.uri.path_and_query().map_or("", |target| target.as_str());
    let target = target.strip_prefix("/phone").unwrap_or(target);

    let mut headers = relay::named(&head.headers, &HANDED_ON);
    headers.extend(origin(&head.headers, &backend.origins).map(|origin| (header::ORIGIN, origin)));
    let request = backend.http.request(head.method, format!("{}{target}", backend.demo.own.base_url));
    let answer = request.header(header::USER_AGENT, USER_AGENT).headers(headers).body(body).send().await?;
    Ok(relay::answer(answer).await?)
}

/// The page's origin. Browsers send no `Origin` with a same-origin GET, so it is then derived from `Host`.
fn origin(headers: &HeaderMap, own: &[String]) -> Option<HeaderValue> {
    if let Some(origin) = headers.get(header::ORIGIN) {
        return Some(origin.clone());
    }
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let own = own.iter().find(|origin| origin.strip_prefix("http://") == Some(host))?;
    let same_origin = headers.get("sec-fetch-site")? == "same-origin";
    same_origin.then(|| HeaderValue::from_str(own).ok()).flatten()
}
