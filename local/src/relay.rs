//! Handing a request on to another server of this process, and its answer back.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, header},
    response::{IntoResponse, Response},
};

/// They belong to one connection, not to the answer.
const OF_A_CONNECTION: [HeaderName; 2] = [header::CONNECTION, header::TRANSFER_ENCODING];

/// The named headers of a request.
pub(crate) fn named(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    names.iter().filter_map(|name| Some((name.clone(), headers.get(name)?.clone()))).collect()
}

/// The whole answer.
pub(crate) async fn answer(answer: reqwest::Response) -> reqwest::Result<Response> {
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    OF_A_CONNECTION.iter().for_each(|name| drop(headers.remove(name)));
    Ok((status, headers, Body::from(answer.bytes().await?)).into_response())
}
