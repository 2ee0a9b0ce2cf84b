//! Why the two signing steps made no proof.

use lacre_domain::SignError;
use lacre_proof::TimestampFailure;

/// Why no proof was made. The variants say whether a signature may exist. The texts are for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofFailure {
    /// The first of the two signatures was refused, so nothing was signed.
    #[error("the first signature was refused: {0}")]
    Rejected(String),
    /// A key did not respond; it may have signed.
    #[error("a signer is unavailable: {0}")]
    Unavailable(String),
    /// The second signature was refused, a response cannot be parsed, a signature does not match its certificate, or no
    /// proof could be built from the signatures.
    #[error("no valid proof: {0}")]
    InvalidResponse(String),
    /// A required timestamp was not obtained. What was signed is not stored anywhere.
    #[error("no timestamp: {0}")]
    NotTimestamped(TimestampFailure),
}

impl ProofFailure {
    /// Converts the failure of the first signature.
    pub(crate) fn first(error: SignError) -> Self {
        match error {
            SignError::Rejected(cause) => Self::Rejected(cause),
            SignError::Unavailable(cause) => Self::Unavailable(cause),
            SignError::Unreadable(cause) => Self::InvalidResponse(cause),
        }
    }

    /// Converts the failure of a later signature. Something has already been signed, so it is never
    /// [`ProofFailure::Rejected`].
    pub(crate) fn later(error: SignError) -> Self {
        match error {
            SignError::Rejected(cause) | SignError::Unreadable(cause) => Self::InvalidResponse(cause),
            SignError::Unavailable(cause) => Self::Unavailable(cause),
        }
    }
}
