//! `/api/admin/PATH`: the page's requests to the admin API, signed with the operator's credentials.
//!
//! A request is sent once. It is sent again only after the gateway has refused it for its credentials, when nothing was done.

use std::{sync::Arc, time::SystemTime};

use aws_credential_types::Credentials;
use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, Method, Uri},
    response::{IntoResponse, Response},
};
use domain::Clock;
use reqwest::Client;

use crate::{
    Shared,
    answer::Refusal,
    credentials::KeptCredentials,
    gateway::Answer,
    outgoing::Outgoing,
    sign::{Unsignable, signature},
    target::AdminUrl,
};

/// The most bytes of a request's body.
pub(crate) const MAX_BODY: usize = 64 * 1024;

/// The way to the admin API.
pub(crate) struct Forwarder {
    pub(crate) http: Client,
    pub(crate) admin: AdminUrl,
    pub(crate) credentials: KeptCredentials,
    pub(crate) region: String,
    pub(crate) clock: Arc<dyn Clock>,
}

/// Passes a request on, and the answer back.
pub(crate) async fn forward(
    State(app): Shared,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let outgoing = match Outgoing::read(&app.forwarder.admin, method, &uri, &headers, body) {
        Ok(outgoing) => outgoing,
        Err(refusal) => return refusal.into_response(),
    };
    match app.forwarder.answer(&outgoing).await {
        Ok(answer) => answer.into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

impl Forwarder {
    /// The admin API's own answer.
    async fn answer(&self, outgoing: &Outgoing) -> Result<Answer, Refusal> {
        let credentials = self.credentials.current().await?;
        let answer = self.send(outgoing, &credentials).await?;
        let Some(refusal) = answer.refusal() else { return Ok(answer) };
        let says_expired = refusal == Refusal::Credentials;
        if !(says_expired || refusal == Refusal::Denied && may_have_expired(&credentials)) {
            return Err(refusal);
        }
        let renewed = self.credentials.renewed(&credentials).await?;
        if !says_expired && renewed == credentials {
            return Err(refusal);
        }
        let answer = self.send(outgoing, &renewed).await?;
        answer.refusal().map_or(Ok(answer), Err)
    }

    async fn send(&self, outgoing: &Outgoing, credentials: &Credentials) -> Result<Answer, Refusal> {
        let signed = signature(outgoing, credentials, &self.region, SystemTime::from(self.clock.now()))?;
        let headers = outgoing.all_headers(signed)?;
        let request = self.http.request(outgoing.method.clone(), outgoing.url.clone()).headers(headers);
        let response = request.body(outgoing.body.clone()).send().await.map_err(lost)?;
        let status = response.status();
        let body = response.bytes().await.map_err(lost)?;
        Ok(Answer { status, body })
    }
}

/// An HTTP API says of expired credentials no more than "Forbidden". Those of a role whose end is not known may be of that kind.
fn may_have_expired(credentials: &Credentials) -> bool {
    credentials.session_token().is_some() && credentials.expiry().is_none()
}

/// What is known when no answer came. Before there was a connection, nothing was sent.
fn lost(error: reqwest::Error) -> Refusal {
    if error.is_connect() || error.is_builder() { Refusal::Unreachable } else { Refusal::Unknown }
}

impl From<Unsignable> for Refusal {
    fn from(_: Unsignable) -> Self {
        Self::Header
    }
}
