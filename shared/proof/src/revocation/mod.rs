//! What CRLs and OCSP responses state about certificates, and who may state it.
//!
//! `verify` judges certificates by them. A manifest carries one OCSP response about the certificate of its claim signer:
//! its [`Staple`].

mod answer;
mod issuer;
mod list;
mod signed;
mod staple;

use time::OffsetDateTime;
use x509_cert::ext::pkix::CrlReason;

pub use answer::Answer;
pub use issuer::Issuer;
pub use list::{List, list_addresses};
pub use signed::Signed;
pub use staple::{MAX_STAPLE, STAPLE_MARGIN, Staple, StapleFault, ocsp_address, ocsp_request};

/// The time and reason of a revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revoked {
    /// When the certificate was revoked, or when its key may have been compromised before that.
    pub since: OffsetDateTime,
    /// The reason, if one is stated.
    pub reason: Option<CrlReason>,
}

impl Revoked {
    /// Combines two revocations: the earlier time, and the more severe reason.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        let reason = if self.key_is_safe() { other.reason } else { self.reason };
        Self { since: self.since.min(other.since), reason }
    }

    /// Whether the reason implies that the key was not compromised (RFC 3161, 4). A missing reason does not.
    #[must_use]
    pub fn key_is_safe(&self) -> bool {
        use CrlReason::{AffiliationChanged, CessationOfOperation, Superseded, Unspecified};
        matches!(self.reason, Some(Unspecified | AffiliationChanged | Superseded | CessationOfOperation))
    }
}

/// The statement of a CRL or OCSP response about a certificate.
pub struct Word {
    /// The revocation; `None` if the certificate is not revoked.
    pub revoked: Option<Revoked>,
    /// `thisUpdate`: the time for which the statement was made.
    pub this_update: OffsetDateTime,
    /// When the statement was written: `thisUpdate` of a list, `producedAt` of a response.
    pub written: OffsetDateTime,
    /// If set, revoked certificates stay on the list if they expired at this time or later.
    pub names_ended_since: Option<OffsetDateTime>,
    /// The name of a delegated responder whose own revocation was not checked.
    pub responder: Option<String>,
}
