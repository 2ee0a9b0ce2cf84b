//! Reads a log's public files over HTTP.

use std::{error::Error, time::Duration};

use lacre_transparency::{LogReader, TilePath};
use reqwest::{Client, StatusCode, Url, redirect};
use time::Date;

/// Maximum size of a file, in bytes. A full entry bundle has 8,704 bytes; a checkpoint with 64 signatures has a few
/// kilobytes.
const MAX_FILE: usize = 64 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);
/// Attempts to read a file, the first included.
const ROUNDS: u32 = 4;

/// A log at an address.
pub(crate) struct PublicLog {
    client: Client,
    /// Base address, with a trailing slash.
    base: Url,
}

/// A file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {cause}")]
pub(crate) struct Unread {
    path: String,
    cause: Cause,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
enum Cause {
    /// The status was not 200.
    #[error("HTTP status {}", .0.as_u16())]
    Status(StatusCode),
    /// The HTTP exchange failed.
    #[error("{0}")]
    Lost(String),
    /// The content is not a file of the expected form.
    #[error("{0}")]
    Content(String),
}

impl Cause {
    /// Whether another attempt may succeed.
    fn is_temporary(&self) -> bool {
        match self {
            Self::Status(status) => status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS,
            Self::Lost(_) => true,
            Self::Content(_) => false,
        }
    }
}

impl Unread {
    /// Whether another run may succeed.
    pub(crate) fn is_temporary(&self) -> bool {
        self.cause.is_temporary()
    }
}

impl PublicLog {
    /// Creates a reader of the log at an `http` or `https` address.
    pub(crate) fn at(address: &Url) -> Result<Self, reqwest::Error> {
        let mut base = address.clone();
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", address.path()));
        }
        let client = Client::builder().timeout(TIMEOUT).redirect(redirect::Policy::none()).build()?;
        Ok(Self { client, base })
    }

    /// Reads the current checkpoint, unparsed.
    pub(crate) async fn checkpoint(&self) -> Result<String, Unread> {
        self.text("checkpoint").await
    }

    /// Reads the checkpoint of a day, unparsed; `None` if that day has none.
    pub(crate) async fn dated(&self, day: Date) -> Result<Option<String>, Unread> {
        match self.text(&format!("dated/{day}/checkpoint")).await {
            // For a missing object, S3 answers 403 to a caller without the permission to list the bucket.
            Err(Unread { cause: Cause::Status(StatusCode::NOT_FOUND | StatusCode::FORBIDDEN), .. }) => Ok(None),
            read => read.map(Some),
        }
    }

    async fn text(&self, path: &str) -> Result<String, Unread> {
        let bytes = self.file(path).await?;
        let no_text = |_| Unread { path: path.to_owned(), cause: Cause::Content("not text".into()) };
        String::from_utf8(bytes).map_err(no_text)
    }

    /// Reads a file, and retries temporary errors.
    async fn file(&self, path: &str) -> Result<Vec<u8>, Unread> {
        let mut round = 0;
        loop {
            round += 1;
            match self.attempt(path).await {
                Err(cause) if cause.is_temporary() && round < ROUNDS => {
                    tokio::time::sleep(Duration::from_millis(250 << round)).await;
                }
                read => return read.map_err(|cause| Unread { path: path.to_owned(), cause }),
            }
        }
    }

    async fn attempt(&self, path: &str) -> Result<Vec<u8>, Cause> {
        let address = self.base.join(path).map_err(|error| Cause::Content(error.to_string()))?;
        let lost = |error: reqwest::Error| Cause::Lost(described(&error));
        let mut response = self.client.get(address).send().await.map_err(lost)?;
        if response.status() != StatusCode::OK {
            return Err(Cause::Status(response.status()));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if bytes.len() + chunk.len() > MAX_FILE {
                return Err(Cause::Content(format!("more than {MAX_FILE} bytes")));
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

/// The message of an error followed by those of its causes.
fn described(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
