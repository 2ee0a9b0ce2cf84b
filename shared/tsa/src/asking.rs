//! Requests the timestamps of one capture.

use std::{
    error::Error,
    sync::atomic::{AtomicUsize, Ordering},
};

use lacre_proof::{
    Anchors, AskedTimestamp, TimestampFailure, TimestampRequest, TimestampSource, Token, timestamp::SignedToken,
};
use reqwest::{Client, StatusCode, Url, header, redirect};
use tokio::time::{Duration, Instant, timeout};

use crate::{Authorities, address::place_of};

/// Maximum size of a response in bytes, which is more than one with any certificate chain needs.
const MAX_ANSWER: usize = 64 * 1024;

/// The requests of one capture. They share connections, which are not kept for the next capture: while Lambda freezes a
/// function, the other side closes them without notice.
pub struct Asking<'a> {
    authorities: &'a Authorities,
    client: Result<Client, String>,
    deadline: Instant,
    attempt: Duration,
    /// The number of authorities that failed. They are not tried again for the same capture.
    failed: AtomicUsize,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(authorities: &'a Authorities, deadline: Instant, attempt: Duration) -> Self {
        // Requests go to the configured URL only: no proxy from environment variables, and no redirects.
        let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).build();
        let client = client.map_err(described);
        Self { authorities, client, deadline, attempt, failed: AtomicUsize::new(0) }
    }

    async fn ask(&self, address: &Url, anchors: &Anchors, message_sha256: [u8; 32]) -> Result<Token, String> {
        let mut nonce = [0; 16];
        getrandom::fill(&mut nonce).map_err(|error| error.to_string())?;
        let request = TimestampRequest::new(message_sha256, nonce)?;
        let answer = self.exchange(address, request.der().to_vec()).await?;
        request.open(&answer, anchors, self.authorities.now()).map_err(|fault| fault.to_string())
    }

    async fn exchange(&self, address: &Url, query: Vec<u8>) -> Result<Vec<u8>, String> {
        let request = self.client.as_ref()?.post(address.clone()).header(header::CONTENT_TYPE, QUERY).body(query);
        let mut response = request.send().await.map_err(described)?;
        if response.status() != StatusCode::OK {
            return Err(format!("HTTP status {}", response.status().as_u16()));
        }
        let mut answer = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(described)? {
            if answer.len() + chunk.len() > MAX_ANSWER {
                return Err(format!("a response of more than {MAX_ANSWER} bytes"));
            }
            answer.extend_from_slice(&chunk);
        }
        Ok(answer)
    }

    /// Asks the authorities in order, from the one at a place on, for a token under one of these anchors. Returns it with
    /// the place of its authority.
    async fn first_from(
        &self,
        from: usize,
        anchors: &Anchors,
        message_sha256: [u8; 32],
    ) -> Result<(usize, Token), TimestampFailure> {
        let mut faults = Vec::new();
        let addresses = &self.authorities.addresses;
        for (at, address) in addresses.iter().enumerate().skip(from.max(self.failed.load(Ordering::Relaxed))) {
            // The remaining time is divided among the remaining authorities, so that one that hangs leaves time for the
            // others.
            let left = self.deadline.saturating_duration_since(Instant::now());
            let budgets = self.attempt.min(left / (addresses.len() - at) as u32);
            let asked = timeout(budgets, self.ask(address, anchors, message_sha256)).await;
            match asked.unwrap_or_else(|_| Err(format!("no response within {} ms", budgets.as_millis()))) {
                Ok(token) => return Ok((at, token)),
                Err(fault) => {
                    let fault = format!("{}: {fault}", place_of(address));
                    tracing::warn!(fault, "a timestamp authority failed");
                    faults.push(fault);
                    self.failed.store(at + 1, Ordering::Relaxed);
                }
            }
        }
        if faults.is_empty() {
            faults.push("every timestamp authority failed before".into());
        }
        Err(TimestampFailure(faults.join("; ")))
    }

    /// Requests a token, and a second one under another root from the authorities after the one that gave the first. There
    /// is no second one if none of these has another root, or all fail.
    ///
    /// # Errors
    /// [`TimestampFailure`] if there is no token.
    pub async fn two_timestamps(&self, message_sha256: [u8; 32]) -> Result<(Token, Option<Token>), TimestampFailure> {
        let authorities = self.authorities;
        let (at, first) = self.first_from(0, &authorities.anchors, message_sha256).await?;
        let others = match at + 1 < authorities.addresses.len() {
            true => authorities.anchors.roots_that(|root| !is_under(&first, message_sha256, root)),
            false => None,
        };
        let second = match &others {
            Some(others) => self.first_from(at + 1, others, message_sha256).await.ok().map(|(_, token)| token),
            None => None,
        };
        Ok((first, second))
    }
}

const QUERY: &str = "application/timestamp-query";

impl TimestampSource for Asking<'_> {
    fn timestamp(&self, message_sha256: [u8; 32]) -> AskedTimestamp<'_> {
        Box::pin(async move {
            let (_, token) = self.first_from(0, &self.authorities.anchors, message_sha256).await?;
            Ok(token)
        })
    }
}

/// Whether the token's certificate chains to the root.
fn is_under(token: &Token, message_sha256: [u8; 32], root: &Anchors) -> bool {
    let parsed = SignedToken::parse(token.der());
    parsed.is_ok_and(|parsed| parsed.check_embedded(token.der(), &message_sha256, root, token.time()).is_ok())
}

/// The text of an error with its causes, without the URL, which may contain a password.
fn described(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
