//! One attempt to deliver a message: the signed request, and its outcome.

use std::{error::Error as _, sync::Arc, time::Duration};

use lacre_api::headers;
use lacre_domain::{
    Attempt, DeliveryResult, Environment, Outcome, WebUrl, WebhookSecret, address::is_public, limits, webhook::excerpt,
};
use reqwest::{Client, Response, dns::Resolve, header, redirect};
use standardwebhooks::Webhook;
use time::OffsetDateTime;
use tokio::time::Instant;

use crate::public_addresses::{AdmittedAddresses, NoPublicAddress, is_public_or_own};

/// Time limit for establishing a connection.
const CONNECT: Duration = Duration::from_secs(10);
const USER_AGENT: &str = concat!("lacre-webhooks/", env!("CARGO_PKG_VERSION"));

/// Sends the messages of attempts.
pub(crate) struct Deliverer {
    pub(crate) resolver: Arc<dyn Resolve>,
    /// Time limit for the receiver's complete response.
    pub(crate) timeout: Duration,
    /// Whether the service runs on a developer's machine, where receivers of sandbox webhooks may run on the same
    /// machine.
    pub(crate) own_machine: bool,
}

impl Deliverer {
    /// Sends a message to its receiver, once.
    pub(crate) async fn deliver(
        &self,
        attempt: &Attempt,
        body: Vec<u8>,
        secrets: &[WebhookSecret],
        now: OffsetDateTime,
    ) -> Outcome {
        let start = Instant::now();
        let (result, status, detail) = match self.send(attempt, body, secrets, now).await {
            Ok(response) => judged(response).await,
            Err((result, detail)) => (result, None, detail),
        };
        let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        Outcome { result, status, duration_ms, detail: excerpt(detail.as_bytes()) }
    }

    async fn send(
        &self,
        attempt: &Attempt,
        body: Vec<u8>,
        secrets: &[WebhookSecret],
        now: OffsetDateTime,
    ) -> Result<Response, (DeliveryResult, String)> {
        // The URL was checked when the session was created; it is checked again because the rules may have become
        // stricter since.
        if !attempt.url.may_announce(attempt.environment, self.own_machine) {
            return Err((DeliveryResult::Forbidden, "the URL must use https and a public host".into()));
        }
        let signatures = signatures(attempt, &body, secrets, now)?;
        let client = self.client(attempt).map_err(|error| (DeliveryResult::Unreachable, described(error)))?;
        let request = client
            .post(attempt.url.as_str())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::USER_AGENT, USER_AGENT)
            .header(headers::WEBHOOK_ID, attempt.message_id.as_str())
            .header(headers::WEBHOOK_TIMESTAMP, now.unix_timestamp())
            .header(headers::WEBHOOK_SIGNATURE, signatures)
            .body(body);
        request.send().await.map_err(failed)
    }

    /// An HTTP client for one attempt, so that no connection or state is shared between receivers.
    fn client(&self, attempt: &Attempt) -> reqwest::Result<Client> {
        let is_own = self.own_machine && attempt.environment == Environment::Sandbox && is_plain(&attempt.url);
        let admits = if is_own { is_public_or_own } else { is_public };
        Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .https_only(!is_own)
            .connect_timeout(CONNECT)
            .timeout(self.timeout)
            .dns_resolver(Arc::new(AdmittedAddresses { resolver: Arc::clone(&self.resolver), admits }))
            .build()
    }
}

/// One signature for each secret in force, so that a receiver accepts the message before and after it changes its
/// secret.
fn signatures(
    attempt: &Attempt,
    body: &[u8],
    secrets: &[WebhookSecret],
    now: OffsetDateTime,
) -> Result<String, (DeliveryResult, String)> {
    let unsigned = |detail: String| (DeliveryResult::Unsigned, detail);
    let sign = |secret: &WebhookSecret| {
        let webhook = Webhook::from_bytes(secret.as_bytes().to_vec()).map_err(|error| unsigned(error.to_string()))?;
        let signature = webhook.sign(attempt.message_id.as_str(), now.unix_timestamp(), body);
        signature.map_err(|error| unsigned(error.to_string()))
    };
    match secrets.is_empty() {
        true => Err(unsigned("the client has no live webhook secret in this environment".into())),
        false => Ok(secrets.iter().map(sign).collect::<Result<Vec<_>, _>>()?.join(" ")),
    }
}

/// Determines the outcome from the response's status once the response is complete. The body is read so that the
/// receiver's write succeeds, but only up to a limit.
async fn judged(mut response: Response) -> (DeliveryResult, Option<u16>, String) {
    let status = response.status();
    let mut body = Vec::new();
    loop {
        let chunk = match response.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) => {
                let (result, detail) = failed(error);
                return (result, Some(status.as_u16()), detail);
            }
        };
        let room = limits::WEBHOOK_RESPONSE_BYTES - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == limits::WEBHOOK_RESPONSE_BYTES {
            break;
        }
    }
    match status.is_success() {
        true => (DeliveryResult::Delivered, Some(status.as_u16()), String::new()),
        false => (DeliveryResult::Rejected, Some(status.as_u16()), String::from_utf8_lossy(&body).into_owned()),
    }
}

fn failed(error: reqwest::Error) -> (DeliveryResult, String) {
    let result = if is_forbidden(&error) {
        DeliveryResult::Forbidden
    } else if error.is_timeout() {
        DeliveryResult::TimedOut
    } else {
        DeliveryResult::Unreachable
    };
    (result, described(error))
}

fn is_forbidden(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.is::<NoPublicAddress>())
}

/// The innermost cause of an error, which is the most specific one, without the URL.
fn described(error: reqwest::Error) -> String {
    let error = error.without_url();
    causes(&error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

fn is_plain(url: &WebUrl) -> bool {
    url.as_str().starts_with("http://")
}
