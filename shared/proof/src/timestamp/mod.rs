//! Trusted time: tokens of an RFC 3161 authority over the two signatures of a proof.
//!
//! A token says that what it is over existed at its time, so that a chain can be judged at that time also after its
//! certificates' end. [`TimestampRequest`] asks for one and checks the answer; how the two travel is the caller's
//! ([`TimestampSource`]). The same checks, but for the nonce, are made again by `verify`.

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

/// The longest token that is taken, in bytes: the room for it in a manifest is reserved before it is known. Tokens of real
/// authorities have 2 to 8 KB.
pub const MAX_TOKEN: usize = 11 * 1024;

/// Shorter ones hold no certificate.
pub const MIN_TOKEN: usize = 256;

/// An authority's token over one message, in DER. Where one exists, it was checked against its request and the roots.
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

    /// The token in an answer that grants it (`TimeStampResp`), in DER.
    pub fn response(&self) -> Result<Vec<u8>, String> {
        status::Response::granting(&self.der).map_err(|error| error.to_string())
    }

    /// When the message existed, by the authority's word.
    #[must_use]
    pub fn time(&self) -> OffsetDateTime {
        self.time
    }
}

/// A request to an authority that is under way.
pub type AskedTimestamp<'a> = Pin<Box<dyn Future<Output = Result<Token, TimestampFailure>> + Send + 'a>>;

/// Authorities that are elsewhere.
pub trait TimestampSource: Send + Sync {
    /// Asks for a token over the message with that SHA-256. The implementation bounds the time.
    ///
    /// # Errors
    /// [`TimestampFailure`], when no authority gave a token that holds.
    fn timestamp(&self, message_sha256: [u8; 32]) -> AskedTimestamp<'_>;
}

/// Why no token was obtained: a text for the log, without the authorities' passwords.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TimestampFailure(pub String);

/// The timestamps of one capture.
#[derive(Clone, Copy)]
pub enum Timestamps<'a> {
    /// No request is made.
    None,
    /// Without a token in time the proof is made without it.
    BestEffort(&'a dyn TimestampSource),
    /// No proof is made without both tokens.
    Required(&'a dyn TimestampSource),
}

impl Timestamps<'_> {
    /// Whether a token is requested.
    pub fn are_wanted(self) -> bool {
        !matches!(self, Self::None)
    }

    /// Asks for a token: `None` where it is not wanted, or wanted as a best effort and not there.
    pub async fn over(self, message_sha256: [u8; 32]) -> Result<Option<Token>, TimestampFailure> {
        match self {
            Self::None => Ok(None),
            Self::BestEffort(source) => Ok(source.timestamp(message_sha256).await.ok()),
            Self::Required(source) => source.timestamp(message_sha256).await.map(Some),
        }
    }
}
