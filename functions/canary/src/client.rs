//! Requests of a run: each within its deadline, and a failure without anything secret.

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

/// The ids of a request: the service's own, and S3's.
const REQUEST_IDS: [&str; 2] = [headers::REQUEST_ID, "x-amz-request-id"];
/// Longer texts are neither an id nor a block reason.
const LONGEST_NAME: usize = 64;

/// An HTTP client for one run: connections of an earlier one would be closed by now.
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    deadlines: Deadlines,
    end: Instant,
}

/// What a refusal says for programs.
#[derive(Deserialize)]
struct Refused {
    block_reason: String,
}

impl Client {
    /// A client whose run begins now.
    pub(crate) fn new(addresses: &Addresses, deadlines: Deadlines) -> Result<Self, Failure> {
        let mut builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            // On a developer's machine nothing has TLS.
            .https_only(addresses.base_url.starts_with("https:"));
        // Not every resolver knows local names.
        for url in [&addresses.base_url, &addresses.license_url].into_iter().filter_map(|url| Url::parse(url).ok()) {
            if let Some(host) = url.host_str().filter(|host| is_local_name(host)) {
                builder = builder.resolve(host, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
            }
        }
        let http = builder.build().map_err(|error| Failure::of(Step::Create, innermost(&error)))?;
        Ok(Self { http, deadlines, end: Instant::now() + deadlines.run })
    }

    /// The JSON of a response.
    pub(crate) async fn json<T: DeserializeOwned>(&self, step: Step, request: RequestBuilder) -> Result<T, Failure> {
        let answered = self.send(step, request).await?;
        serde_json::from_slice(&answered.body)
            .map_err(|_| answered.failure(step, "the response is not as openapi/web.yaml says"))
    }

    /// The body of a response.
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

/// A response that arrived.
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

/// URLs hold tokens and signatures.
fn cause(error: reqwest::Error) -> String {
    match error.is_timeout() {
        true => "no response in time".into(),
        false => innermost(&error.without_url()),
    }
}

/// What says most: the last of the causes.
fn innermost(error: &reqwest::Error) -> String {
    successors(error.source(), |&cause| cause.source()).last().map_or_else(|| error.to_string(), ToString::to_string)
}
