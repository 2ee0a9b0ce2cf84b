//! The HTTP client of a run: each request has a deadline, and errors contain no secret.

use std::{
    error::Error as _,
    iter::successors,
    net::{Ipv4Addr, SocketAddr},
};

use lacre_api::headers;
use lacre_domain::{is_local_name, limits};
use reqwest::{RequestBuilder, Response, StatusCode, Url, redirect};
use serde::{Deserialize, de::DeserializeOwned};
use tokio::time::Instant;

use crate::{Addresses, Deadlines, Failure, Step};

/// The response headers with request ids: the service's and S3's.
const REQUEST_IDS: [&str; 2] = [headers::REQUEST_ID, "x-amz-request-id"];
/// The maximum length of a request id or block reason in the log. Longer values cannot be one.
const LONGEST_NAME: usize = 64;

/// The HTTP client of one run. Connections of an earlier run would have timed out, so none is reused.
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    deadlines: Deadlines,
    end: Instant,
}

/// The machine-readable part of a refusal's body.
#[derive(Deserialize)]
struct Refused {
    block_reason: String,
}

impl Client {
    /// A client whose run starts now.
    pub(crate) fn new(addresses: &Addresses, deadlines: Deadlines) -> Result<Self, Failure> {
        let mut builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            // The local service has no TLS.
            .https_only(addresses.base_url.starts_with("https:"));
        // Resolves local names to the loopback address, because some system resolvers do not.
        for url in [&addresses.base_url, &addresses.license_url].into_iter().filter_map(|url| Url::parse(url).ok()) {
            if let Some(host) = url.host_str().filter(|host| is_local_name(host)) {
                builder = builder.resolve(host, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
            }
        }
        let http = builder.build().map_err(|error| Failure::of(Step::Create, innermost(&error)))?;
        Ok(Self { http, deadlines, end: Instant::now() + deadlines.run })
    }

    /// Sends a request, and parses the response as JSON.
    pub(crate) async fn json<T: DeserializeOwned>(&self, step: Step, request: RequestBuilder) -> Result<T, Failure> {
        let answered = self.send(step, request).await?;
        serde_json::from_slice(&answered.body)
            .map_err(|_| answered.failure(step, "the response does not match openapi/web.yaml"))
    }

    /// Sends a request, and returns the response's body.
    pub(crate) async fn bytes(&self, step: Step, request: RequestBuilder) -> Result<Vec<u8>, Failure> {
        Ok(self.send(step, request).await?.body)
    }

    async fn send(&self, step: Step, request: RequestBuilder) -> Result<Answered, Failure> {
        let left = self.end.saturating_duration_since(Instant::now());
        let request = request.timeout(self.deadlines.request.min(left));
        let response = request.send().await.map_err(|error| Failure::of(step, cause(error)))?;
        let mut answered = Answered { status: response.status(), request_id: request_id(&response), body: Vec::new() };
        match body(response).await {
            Ok(body) => answered.body = body,
            Err(cause) => return Err(answered.failure(step, cause)),
        }
        match answered.status.is_success() {
            true => Ok(answered),
            false => Err(answered.failure(step, block_reason(&answered.body).as_deref().unwrap_or("refused"))),
        }
    }
}

/// A complete response.
struct Answered {
    status: StatusCode,
    request_id: Option<String>,
    body: Vec<u8>,
}

impl Answered {
    fn failure(&self, step: Step, cause: impl Into<String>) -> Failure {
        let (status, request_id) = (Some(self.status.as_u16()), self.request_id.clone());
        Failure { status, request_id, ..Failure::of(step, cause) }
    }
}

async fn body(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(cause)? {
        body.extend_from_slice(&chunk);
        if body.len() > limits::MAX_RESPONSE_BYTES {
            return Err("the response is too large".into());
        }
    }
    Ok(body)
}

fn request_id(response: &Response) -> Option<String> {
    let mut found = REQUEST_IDS.iter().filter_map(|name| response.headers().get(*name)?.to_str().ok());
    found.next().filter(|id| id.len() <= LONGEST_NAME).map(str::to_owned)
}

fn block_reason(body: &[u8]) -> Option<String> {
    let Refused { block_reason } = serde_json::from_slice(body).ok()?;
    let is_reason =
        block_reason.len() <= LONGEST_NAME && block_reason.bytes().all(|b| b == b'_' || b.is_ascii_lowercase());
    is_reason.then_some(block_reason)
}

/// The error without its URL, which contains tokens and signatures.
fn cause(error: reqwest::Error) -> String {
    match error.is_timeout() {
        true => "no response in time".into(),
        false => innermost(&error.without_url()),
    }
}

/// The innermost cause of an error, which is the most specific one.
fn innermost(error: &reqwest::Error) -> String {
    successors(error.source(), |&cause| cause.source()).last().map_or_else(|| error.to_string(), ToString::to_string)
}
