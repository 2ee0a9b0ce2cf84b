//! Until when the certificates of a signer profile are valid.

use time::OffsetDateTime;
use x509_cert::Certificate;

use crate::{Signers, pem};

/// A certificate's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// Whose certificate it is, as RFC 4514 writes names.
    pub subject: String,
    /// The last second of its validity.
    pub not_after: OffsetDateTime,
}

impl Expiry {
    pub(crate) fn of(certificate: &Certificate) -> Self {
        let fields = &certificate.tbs_certificate;
        Self { subject: fields.subject.to_string(), not_after: validity(certificate).1 }
    }

    /// The ends of certificates in PEM, in their order.
    ///
    /// # Errors
    /// A text that says what cannot be read; also when there is no certificate.
    pub fn of_pem(pem: &str) -> Result<Vec<Self>, String> {
        Ok(pem::certificates(pem)?.iter().map(Self::of).collect())
    }

    /// Whole days that are left at that time; negative once it is over.
    #[must_use]
    pub fn days_left(&self, now: OffsetDateTime) -> i64 {
        (self.not_after - now).whole_seconds().div_euclid(86_400)
    }
}

impl Signers {
    /// The ends of all certificates of both chains: the seal's first, each chain leaf first.
    #[must_use]
    pub fn expiries(&self) -> Vec<Expiry> {
        [&self.seal, &self.claim].into_iter().flat_map(|signer| signer.chain.certificates()).map(Expiry::of).collect()
    }
}

/// A certificate's first and last second. X.509 times lie between 1950 and 9999; those before 1970 read as 1970.
pub(crate) fn validity(certificate: &Certificate) -> (OffsetDateTime, OffsetDateTime) {
    let validity = &certificate.tbs_certificate.validity;
    let read = |time: &x509_cert::time::Time| OffsetDateTime::UNIX_EPOCH + time.to_unix_duration();
    (read(&validity.not_before), read(&validity.not_after))
}
