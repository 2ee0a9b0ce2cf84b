//! Trusted time: tokens of an RFC 3161 timestamp authority over the two signatures of a proof.
//!
//! A token states that what it covers existed at its time, so the signature's chain can be validated at that time even
//! after its certificates have expired. [`TimestampRequest`] makes the request and checks the response; the caller
//! transports both ([`TimestampSource`]). `verify` repeats the same checks, except for the nonce.

mod algorithm;
mod certificate;
mod fault;
mod request;
mod signing_certificate;
mod status;
mod token;
mod tst_info;

use std::pin::Pin;

use time::OffsetDateTime;

pub use fault::TokenFault;
pub use request::TimestampRequest;
pub use token::SignedToken;

/// Maximum length of a token in bytes. A manifest reserves space for it before the token is known. Tokens of real
/// authorities have 2 to 8 KB.
pub const MAX_TOKEN: usize = 11 * 1024;

/// Minimum length of a token in bytes; a shorter one cannot contain a certificate.
pub const MIN_TOKEN: usize = 256;

/// A timestamp token over one message, in DER. A value exists only after the token was checked against its request and
/// the trusted roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    der: Vec<u8>,
    time: OffsetDateTime,
}

impl Token {
    /// The CMS `ContentInfo` in DER.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// A response that grants this token (`TimeStampResp`), in DER.
    pub fn response(&self) -> Result<Vec<u8>, String> {
        status::Response::granting(&self.der).map_err(|error| error.to_string())
    }

    /// The time at which the message existed, according to the authority.
    #[must_use]
    pub fn time(&self) -> OffsetDateTime {
        self.time
    }
}

/// A pending request to an authority.
pub type AskedTimestamp<'a> = Pin<Box<dyn Future<Output = Result<Token, TimestampFailure>> + Send + 'a>>;

/// A source of timestamps, such as a client of timestamp authorities.
pub trait TimestampSource: Send + Sync {
    /// Requests a token over the message with the given SHA-256. The implementation limits the time.
    ///
    /// # Errors
    /// [`TimestampFailure`] if no authority returned a valid token.
    fn timestamp(&self, message_sha256: [u8; 32]) -> AskedTimestamp<'_>;
}

/// Why no token was obtained: a text for the log, without the authorities' passwords.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TimestampFailure(pub String);

/// Whether and how the timestamps of a capture are obtained.
#[derive(Clone, Copy)]
pub enum Timestamps<'a> {
    /// No timestamp is requested.
    None,
    /// If no token arrives in time, the proof is made without it.
    BestEffort(&'a dyn TimestampSource),
    /// Without both tokens no proof is made.
    Required(&'a dyn TimestampSource),
}

impl Timestamps<'_> {
    /// Whether timestamps are requested.
    pub fn are_wanted(self) -> bool {
        !matches!(self, Self::None)
    }

    /// Requests a token. `None` if timestamps are not requested, or if a best-effort request failed.
    pub async fn over(self, message_sha256: [u8; 32]) -> Result<Option<Token>, TimestampFailure> {
        match self {
            Self::None => Ok(None),
            Self::BestEffort(source) => Ok(source.timestamp(message_sha256).await.ok()),
            Self::Required(source) => source.timestamp(message_sha256).await.map(Some),
        }
    }
}
