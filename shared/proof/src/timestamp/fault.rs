//! Every way in which an authority's answer, or a token in a file, does not hold.

use time::{Duration, OffsetDateTime};

/// Why a timestamp is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// It is not in DER, or not the structure of RFC 3161 and RFC 5652.
    #[error("the timestamp cannot be read: {0}")]
    Unreadable(String),
    /// The authority says that it gives none.
    #[error("the authority gave no timestamp: {0}")]
    Refused(String),
    /// It has no room in a manifest: it is longer than [`super::MAX_TOKEN`].
    #[error("the timestamp has {0} bytes, more than are reserved")]
    Length(usize),
    /// It is over another message, or by another hash algorithm than SHA-256.
    #[error("the timestamp is over another message")]
    Imprint,
    /// It is the response to another request.
    #[error("the timestamp's nonce is not the request's")]
    Nonce,
    /// Its time is more than a minute before the caller's clock, or more than five minutes after it.
    #[error("the timestamp's time, {time}, is not that of this clock, {now}")]
    Clock {
        /// The timestamp's time.
        time: OffsetDateTime,
        /// The caller's clock.
        now: OffsetDateTime,
    },
    /// Its time may be off by more than a minute, by the authority's own word.
    #[error("the timestamp's time may be off by {} s", .0.as_seconds_f64())]
    Accuracy(Duration),
    /// The message digest differs, or the signature does not verify under the certificate's key.
    #[error("the timestamp's signature does not hold: {0}")]
    Signature(String),
    /// It was made after the moment as of which it is judged.
    #[error("the timestamp is of {time}, and so later than {at}")]
    Later {
        /// The timestamp's time.
        time: OffsetDateTime,
        /// The moment of the judgement.
        at: OffsetDateTime,
    },
    /// The signature does not name the certificate that it is checked with (RFC 3161, RFC 5816).
    #[error("the timestamp does not name its certificate: {0}")]
    SigningCertificate(String),
    /// The certificate is not one of a timestamp authority (RFC 3161, 2.3).
    #[error("the timestamp's certificate is not made for timestamps: {0}")]
    Certificate(String),
    /// The certificate does not lead to a trusted root, at the timestamp's time or now.
    #[error("the timestamp's certificate is not trusted: {0}")]
    Untrusted(String),
    /// The unsigned part is not in the canonical form.
    #[error("the timestamp is not in the canonical form")]
    Form,
}

/// So much later than the moment of judgement a timestamp may be.
pub(super) const CLOCK_TOLERANCE: Duration = Duration::minutes(5);

/// The accuracy that an authority may state. Chains are judged at that time as it is.
pub(super) const MAX_ACCURACY: Duration = Duration::minutes(1);

impl TokenFault {
    pub(super) fn unreadable(error: impl std::fmt::Display) -> Self {
        Self::Unreadable(error.to_string())
    }
}
