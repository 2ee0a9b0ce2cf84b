//! A log as anyone reads it: its files over HTTP, below one address.

use std::{error::Error, time::Duration};

use reqwest::{Client, StatusCode, Url, redirect};
use transparency::{LogReader, TilePath};

/// No file of a log is larger: a full entry bundle has 8,704 bytes, and a checkpoint with 64 signatures some kilobytes.
const MAX_FILE: usize = 64 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);
/// The attempts at one file.
const ROUNDS: u32 = 4;

/// The log.
pub(crate) struct PublicLog {
    client: Client,
    /// The address, with a slash at its end.
    base: Url,
}

/// A file was not read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {cause}")]
pub(crate) struct Unread {
    path: String,
    cause: String,
}

impl PublicLog {
    /// The log at an address (http or https).
    pub(crate) fn at(address: &Url) -> Result<Self, reqwest::Error> {
        let mut base = address.clone();
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", address.path()));
        }
        let client = Client::builder().timeout(TIMEOUT).redirect(redirect::Policy::none()).build()?;
        Ok(Self { client, base })
    }

    /// The published checkpoint, as it is.
    pub(crate) async fn checkpoint(&self) -> Result<String, Unread> {
        let bytes = self.file("checkpoint").await?;
        String::from_utf8(bytes).map_err(|_| unread("checkpoint", "not text".into()))
    }

    /// What is temporarily unavailable is asked for again.
    async fn file(&self, path: &str) -> Result<Vec<u8>, Unread> {
        let mut round = 0;
        loop {
            round += 1;
            match self.attempt(path).await {
                Err((cause, true)) if round < ROUNDS => {
                    drop(cause);
                    tokio::time::sleep(Duration::from_millis(250 << round)).await;
                }
                Err((cause, _)) => return Err(unread(path, cause)),
                Ok(bytes) => return Ok(bytes),
            }
        }
    }

    /// One attempt: the file, or why not, and whether another may have more luck.
    async fn attempt(&self, path: &str) -> Result<Vec<u8>, (String, bool)> {
        let address = self.base.join(path).map_err(|error| (error.to_string(), false))?;
        let lost = |error: reqwest::Error| (described(&error), true);
        let mut response = self.client.get(address).send().await.map_err(lost)?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err((
                format!("HTTP status {}", status.as_u16()),
                status.is_server_error() || status.as_u16() == 429,
            ));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if bytes.len() + chunk.len() > MAX_FILE {
                return Err((format!("more than {MAX_FILE} bytes"), false));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

impl LogReader for PublicLog {
    type Error = Unread;

    async fn read(&self, path: &TilePath) -> Result<Vec<u8>, Unread> {
        self.file(path.as_str()).await
    }
}

fn unread(path: &str, cause: String) -> Unread {
    Unread { path: path.to_owned(), cause }
}

/// An error with its causes.
fn described(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
