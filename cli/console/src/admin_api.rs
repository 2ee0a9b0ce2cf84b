//! Client of the admin API that signs requests with the operator's credentials.
//!
//! Each request is sent once. A second attempt follows only if the gateway rejected the credentials, because
//! the function has not run
//! then.

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

/// A client of the admin API at one address.
pub struct AdminApi {
    pub(crate) url: AdminUrl,
    http: Client,
    credentials: KeptCredentials,
    region: String,
    clock: Arc<dyn Clock>,
}

impl AdminApi {
    /// Creates a client for the API at `url`. If `ca_bundle` names a PEM file, its certificates replace the
    /// built-in TLS root certificates.
    ///
    /// # Errors
    /// If `url` is not an `http` or `https` address, or the PEM file cannot be read.
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

    /// Posts an empty body to `path`, which has no leading slash. Returns the status and body of the admin
    /// API's response.
    ///
    /// # Errors
    /// A message for people: IAM denied the request, the API is unreachable, or its response was lost.
    pub async fn post(&self, path: &str, query: Option<&str>) -> Result<(StatusCode, Bytes), String> {
        let answered = async {
            let url = self.url.route(path, query)?;
            self.answer(&Outgoing { method: Method::POST, url, headers: Vec::new(), body: Bytes::new() }).await
        };
        let Answer { status, body } = answered.await.map_err(|refusal: RequestError| refusal.text().to_owned())?;
        Ok((status, body))
    }

    /// Sends a request and returns the admin API's own response. A response of the gateway itself becomes an
    /// error.
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

/// Whether a 403 may mean expired credentials: an HTTP API answers these only with "Forbidden". This can be
/// the case for credentials of a role whose expiry is unknown.
fn may_have_expired(credentials: &Credentials) -> bool {
    credentials.session_token().is_some() && credentials.expiry().is_none()
}

/// Maps a failed exchange to an error. If the connection was never made, the request was not sent; otherwise
/// its outcome is unknown.
fn lost(error: reqwest::Error) -> RequestError {
    if error.is_connect() || error.is_builder() { RequestError::Unreachable } else { RequestError::Unknown }
}

impl From<Unsignable> for RequestError {
    fn from(_: Unsignable) -> Self {
        Self::Header
    }
}
