//! The results of the two signing steps, and their errors.

use lacre_domain::SignError;
use lacre_proof::TimestampFailure;

/// A finished proof.
pub struct SignedPhoto {
    /// The frame with the manifest in it: the authenticated JPEG.
    pub jpeg: Vec<u8>,
    /// The same manifest on its own: the `.c2pa` sidecar.
    pub manifest: Vec<u8>,
}

/// Why no proof was made. The causes are for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The first of the two signatures was refused: nothing was signed.
    #[error("the first signature was refused: {0}")]
    Rejected(String),
    /// A signer did not answer: it may have signed.
    #[error("a signer is unavailable: {0}")]
    Unavailable(String),
    /// The second signature was refused, an answer cannot be read, a signature is not its certificate's, or no proof could be made of them.
    #[error("no valid proof: {0}")]
    InvalidResponse(String),
    /// A timestamp was required, and no authority gave one. What was signed is kept nowhere.
    #[error("no timestamp: {0}")]
    NotTimestamped(TimestampFailure),
}

impl SealError {
    /// The failure of the first signature.
    pub(crate) fn first(failure: SignError) -> Self {
        match failure {
            SignError::Rejected(cause) => Self::Rejected(cause),
            SignError::Unavailable(cause) => Self::Unavailable(cause),
            SignError::Unreadable(cause) => Self::InvalidResponse(cause),
        }
    }

    /// The failure of a later signature: something was signed already, so this is not a clean refusal.
    pub(crate) fn later(failure: SignError) -> Self {
        match failure {
            SignError::Rejected(cause) | SignError::Unreadable(cause) => Self::InvalidResponse(cause),
            SignError::Unavailable(cause) => Self::Unavailable(cause),
        }
    }
}
