//! The simulated phone: requests go on to the service with a phone's name in the place of the browser's.
//!
//! The service decides by the `User-Agent`, which no page can set. A developer at a desk gets a camera by this detour.

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

/// Chrome on an Android phone, as it presents itself.
pub(super) const USER_AGENT: &str =
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";
/// The touch points of its screen.
pub(super) const TOUCH_POINTS: u8 = 5;

const MAX_BODY_BYTES: usize = 1024 * 1024;
const HANDED_ON: [HeaderName; 2] = [header::CONTENT_TYPE, HeaderName::from_static("x-svc-touch-points")];

/// `/phone/web/…`: the same request to the service, and its answer whole.
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

/// The page's origin. On a GET to its own server a browser does not send it, so it is built from the Host header.
fn origin(headers: &HeaderMap, own: &[String]) -> Option<HeaderValue> {
    if let Some(origin) = headers.get(header::ORIGIN) {
        return Some(origin.clone());
    }
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let own = own.iter().find(|origin| origin.strip_prefix("http://") == Some(host))?;
    let same_origin = headers.get("sec-fetch-site")? == "same-origin";
    same_origin.then(|| HeaderValue::from_str(own).ok()).flatten()
}
