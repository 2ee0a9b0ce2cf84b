//! Forwards a request to another server of this process and returns its response.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, header},
    response::{IntoResponse, Response},
};

/// Hop-by-hop headers of a response, which are not forwarded.
const OF_A_CONNECTION: [HeaderName; 2] = [header::CONNECTION, header::TRANSFER_ENCODING];

/// Copies the named headers of a request.
pub(crate) fn named(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    names.iter().filter_map(|name| Some((name.clone(), headers.get(name)?.clone()))).collect()
}

/// Converts a response of the other server, including its body.
pub(crate) async fn answer(answer: reqwest::Response) -> reqwest::Result<Response> {
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    OF_A_CONNECTION.iter().for_each(|name| drop(headers.remove(name)));
    Ok((status, headers, Body::from(answer.bytes().await?)).into_response())
}
