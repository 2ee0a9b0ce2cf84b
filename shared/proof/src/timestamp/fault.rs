//! The faults of an authority's response, or of a timestamp token in a file.

use time::{Duration, OffsetDateTime};

/// Why a timestamp is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// The token is not valid DER, or does not have the structure of RFC 3161 and RFC 5652.
    #[error("the timestamp cannot be read: {0}")]
    Unreadable(String),
    /// The authority's response states that it granted no timestamp.
    #[error("the authority gave no timestamp: {0}")]
    Refused(String),
    /// The token is longer than [`super::MAX_TOKEN`], the space that a manifest reserves.
    #[error("the timestamp has {0} bytes, more than are reserved")]
    Length(usize),
    /// The token is over another message, or uses another hash algorithm than SHA-256.
    #[error("the timestamp is over another message")]
    Imprint,
    /// The nonce differs from the request's, so this is the response to another request.
    #[error("the timestamp's nonce is not the request's")]
    Nonce,
    /// The token's time is more than a minute before the caller's clock, or more than five minutes after it.
    #[error("the timestamp's time, {time}, differs from this clock's, {now}")]
    Clock {
        /// The timestamp's time.
        time: OffsetDateTime,
        /// The caller's clock.
        now: OffsetDateTime,
    },
    /// The authority states an accuracy of more than a minute.
    #[error("the timestamp's time may be off by {} s", .0.as_seconds_f64())]
    Accuracy(Duration),
    /// The message digest differs, or the signature is invalid for the certificate's key.
    #[error("the timestamp's signature does not hold: {0}")]
    Signature(String),
    /// The token's time is later than the time at which it is validated.
    #[error("the timestamp's time, {time}, is later than {at}")]
    Later {
        /// The timestamp's time.
        time: OffsetDateTime,
        /// The validation time.
        at: OffsetDateTime,
    },
    /// The signature does not name the certificate that it is verified with (RFC 3161, RFC 5816).
    #[error("the timestamp does not name its certificate: {0}")]
    SigningCertificate(String),
    /// The certificate is not a timestamp authority's (RFC 3161, 2.3).
    #[error("the timestamp's certificate is not made for timestamps: {0}")]
    Certificate(String),
    /// The certificate does not chain to a trusted root, at the timestamp's time or now.
    #[error("the timestamp's certificate is not trusted: {0}")]
    Untrusted(String),
    /// The unsigned parts are not in canonical form.
    #[error("the timestamp is not in the canonical form")]
    Form,
}

/// How much later than the validation time a timestamp may be.
pub(super) const CLOCK_TOLERANCE: Duration = Duration::minutes(5);

/// Maximum accuracy value that an authority may state. Chains are validated at the timestamp's time without regard to
/// it.
pub(super) const MAX_ACCURACY: Duration = Duration::minutes(1);

impl TokenFault {
    pub(super) fn unreadable(error: impl std::fmt::Display) -> Self {
        Self::Unreadable(error.to_string())
    }
}
