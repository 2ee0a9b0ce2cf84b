//! `/api/admin/PATH`: forwards the page's requests to the admin API, signed with the operator's credentials.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, Method, Uri},
    response::{IntoResponse, Response},
};

use crate::{Shared, outgoing::Outgoing};

/// Maximum size of a request body, in bytes: that of a copy of a photo.
pub(crate) const MAX_BODY: usize = lacre_api::limits::MAX_ASSET_BYTES as usize;

/// Forwards a request to the admin API and returns its response.
pub(crate) async fn forward(
    State(app): Shared,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let outgoing = match Outgoing::read(&app.admin_api.url, method, &uri, &headers, body) {
        Ok(outgoing) => outgoing,
        Err(refusal) => return refusal.into_response(),
    };
    match app.admin_api.answer(&outgoing).await {
        Ok(answer) => answer.into_response(),
        Err(refusal) => refusal.into_response(),
    }
}
