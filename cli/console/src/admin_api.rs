//! The admin API, with the operator's credentials.
//!
//! A request is sent once. It is sent again only after the gateway has refused it for its credentials, when nothing was done.

use std::{fmt, io, sync::Arc, time::SystemTime};

use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
use axum::{
    body::Bytes,
    http::{Method, StatusCode},
};
use lacre_domain::Clock;
use reqwest::Client;

use crate::{
    answer::RequestError,
    client::http_client,
    credentials::KeptCredentials,
    gateway::Answer,
    outgoing::Outgoing,
    sign::{Unsignable, signature},
    target::AdminUrl,
};

/// The way to the admin API.
pub struct AdminApi {
    pub(crate) url: AdminUrl,
    http: Client,
    credentials: KeptCredentials,
    region: String,
    clock: Arc<dyn Clock>,
}

impl AdminApi {
    /// The API at an address, for a caller. The PEM file, where one is named, replaces the built-in roots of TLS.
    ///
    /// # Errors
    /// When it is not an HTTP address, or the file cannot be used.
    pub fn new(
        url: &str,
        region: String,
        credentials: SharedCredentialsProvider,
        ca_bundle: Option<&str>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, io::Error> {
        let url = AdminUrl::parse(url)?;
        Ok(Self {
            http: http_client(url.host(), ca_bundle)?,
            url,
            credentials: KeptCredentials::new(credentials, Arc::clone(&clock)),
            region,
            clock,
        })
    }

    /// Posts an empty body to a path, which has no slash before it. Returns status and body of the API's own answer.
    ///
    /// # Errors
    /// A text for people: IAM refused, the API cannot be reached, or its answer was lost.
    pub async fn post(&self, path: &str, query: Option<&str>) -> Result<(StatusCode, Bytes), String> {
        let answered = async {
            let url = self.url.route(path, query)?;
            self.answer(&Outgoing { method: Method::POST, url, headers: Vec::new(), body: Bytes::new() }).await
        };
        let Answer { status, body } = answered.await.map_err(|refusal: RequestError| refusal.text().to_owned())?;
        Ok((status, body))
    }

    /// The admin API's own answer.
    pub(crate) async fn answer(&self, outgoing: &Outgoing) -> Result<Answer, RequestError> {
        let credentials = self.credentials.current().await?;
        let answer = self.send(outgoing, &credentials).await?;
        let Some(refusal) = answer.refusal() else { return Ok(answer) };
        let says_expired = refusal == RequestError::Credentials;
        if !(says_expired || refusal == RequestError::Denied && may_have_expired(&credentials)) {
            return Err(refusal);
        }
        let renewed = self.credentials.renewed(&credentials).await?;
        if !says_expired && renewed == credentials {
            return Err(refusal);
        }
        let answer = self.send(outgoing, &renewed).await?;
        answer.refusal().map_or(Ok(answer), Err)
    }

    async fn send(&self, outgoing: &Outgoing, credentials: &Credentials) -> Result<Answer, RequestError> {
        let signed = signature(outgoing, credentials, &self.region, SystemTime::from(self.clock.now()))?;
        let headers = outgoing.all_headers(signed)?;
        let request = self.http.request(outgoing.method.clone(), outgoing.url.clone()).headers(headers);
        let response = request.body(outgoing.body.clone()).send().await.map_err(lost)?;
        let status = response.status();
        let body = response.bytes().await.map_err(lost)?;
        Ok(Answer { status, body })
    }
}

impl fmt::Debug for AdminApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdminApi").field("url", &self.url).finish_non_exhaustive()
    }
}

/// An HTTP API says of expired credentials no more than "Forbidden". Those of a role whose end is not known may be of that kind.
fn may_have_expired(credentials: &Credentials) -> bool {
    credentials.session_token().is_some() && credentials.expiry().is_none()
}

/// What is known when no answer came. Before there was a connection, nothing was sent.
fn lost(error: reqwest::Error) -> RequestError {
    if error.is_connect() || error.is_builder() { RequestError::Unreachable } else { RequestError::Unknown }
}

impl From<Unsignable> for RequestError {
    fn from(_: Unsignable) -> Self {
        Self::Header
    }
}
