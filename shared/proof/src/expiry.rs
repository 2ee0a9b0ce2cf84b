//! Until when the certificates of a signer profile are valid.

use lacre_domain::SignerProfile;
use time::OffsetDateTime;
use x509_cert::Certificate;

use crate::pem;

/// A certificate's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// The subject (RFC 4514).
    pub subject: String,
    /// The last second of its validity.
    pub not_after: OffsetDateTime,
}

impl Expiry {
    /// The end of one certificate.
    pub fn of(certificate: &Certificate) -> Self {
        let fields = &certificate.tbs_certificate;
        Self { subject: fields.subject.to_string(), not_after: validity(certificate).1 }
    }

    /// The ends of certificates in PEM, in their order.
    ///
    /// # Errors
    /// A text that says what cannot be read; also without any certificate.
    pub fn of_pem(pem: &str) -> Result<Vec<Self>, String> {
        Ok(pem::certificates(pem)?.iter().map(Self::of).collect())
    }

    /// The ends of all certificates of a profile: those of the seal's chain first, each chain in its order.
    ///
    /// # Errors
    /// A text that says what cannot be read; also when a chain has no certificate.
    pub fn of_profile(profile: &SignerProfile) -> Result<Vec<Self>, String> {
        Ok([Self::of_pem(&profile.seal.chain_pem)?, Self::of_pem(&profile.claim.chain_pem)?].concat())
    }

    /// Whole days left at that time; negative after the expiry.
    #[must_use]
    pub fn days_left(&self, now: OffsetDateTime) -> i64 {
        (self.not_after - now).whole_seconds().div_euclid(86_400)
    }
}

/// A certificate's first and last second. X.509 times lie between 1950 and 9999; those before 1970 read as 1970.
pub fn validity(certificate: &Certificate) -> (OffsetDateTime, OffsetDateTime) {
    let validity = &certificate.tbs_certificate.validity;
    let read = |time: &x509_cert::time::Time| OffsetDateTime::UNIX_EPOCH + time.to_unix_duration();
    (read(&validity.not_before), read(&validity.not_after))
}
