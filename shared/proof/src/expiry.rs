//! When the certificates of a signer profile expire.

use lacre_domain::SignerProfile;
use time::OffsetDateTime;
use x509_cert::{Certificate, TbsCertificate};

use crate::pem;

/// The expiry of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// The certificate's subject (RFC 4514).
    pub subject: String,
    /// The last second of the certificate's validity.
    pub not_after: OffsetDateTime,
}

impl Expiry {
    /// The expiry of one certificate.
    pub fn of(certificate: &Certificate) -> Self {
        let fields = &certificate.tbs_certificate;
        Self { subject: fields.subject.to_string(), not_after: validity(certificate).1 }
    }

    /// The first expiry among certificates, except roots, because trust in a root does not end with its expiry.
    pub fn first_of<'a>(certificates: impl Iterator<Item = &'a Certificate>) -> Option<Self> {
        let is_root = |fields: &TbsCertificate| fields.issuer == fields.subject;
        let expiring = certificates.filter(|certificate| !is_root(&certificate.tbs_certificate));
        expiring.map(Self::of).min_by_key(|expiry| expiry.not_after)
    }

    /// The expiries of certificates in PEM, in order.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed; also if there is no certificate.
    pub fn of_pem(pem: &str) -> Result<Vec<Self>, String> {
        Ok(pem::certificates(pem)?.iter().map(Self::of).collect())
    }

    /// The expiries of all certificates of a profile: first the seal's chain, then the claim's, each in order.
    ///
    /// # Errors
    /// A text that describes what cannot be parsed; also if a chain has no certificate.
    pub fn of_profile(profile: &SignerProfile) -> Result<Vec<Self>, String> {
        Ok([Self::of_pem(&profile.seal.chain_pem)?, Self::of_pem(&profile.claim.chain_pem)?].concat())
    }

    /// Whole days until expiry; negative afterwards.
    #[must_use]
    pub fn days_left(&self, now: OffsetDateTime) -> i64 {
        (self.not_after - now).whole_seconds().div_euclid(86_400)
    }
}

/// The first and last second of a certificate's validity. X.509 times are between 1950 and 9999; those before 1970 are
/// returned as 1970.
pub fn validity(certificate: &Certificate) -> (OffsetDateTime, OffsetDateTime) {
    let validity = &certificate.tbs_certificate.validity;
    let read = |time: &x509_cert::time::Time| OffsetDateTime::UNIX_EPOCH + time.to_unix_duration();
    (read(&validity.not_before), read(&validity.not_after))
}
