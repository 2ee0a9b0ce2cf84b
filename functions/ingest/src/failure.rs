//! How a step fails that reserves the frame, or finds it reserved.

use lacre_http::Rejection;

/// A rejection, and what becomes of the frame's reservation.
pub(crate) struct Failure {
    pub(crate) rejection: Rejection,
    /// Whether the reservation is released at once. Otherwise it stays as it is: until it expires, or for good.
    pub(crate) release: bool,
}

impl Failure {
    /// A failure after which it is certain that nothing was signed, or that no record will name the signed photo: the
    /// reservation is released, so that the frame can be submitted again. This has no effect on the reservation of
    /// another attempt.
    pub(crate) fn released(rejection: impl Into<Rejection>) -> Self {
        Self { rejection: rejection.into(), release: true }
    }

    /// A failure after which this attempt has no reservation, or after which a signature or a record may exist.
    pub(crate) fn kept(rejection: impl Into<Rejection>) -> Self {
        Self { rejection: rejection.into(), release: false }
    }
}
