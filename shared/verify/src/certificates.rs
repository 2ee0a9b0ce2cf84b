//! The certificates that came with a signature.

use der::{Decode, Encode};
use lacre_domain::clock::rfc3339_millis;
use lacre_proof::{Expiry, expiry::validity};
use x509_cert::Certificate;

use super::report;

/// The certificates of a signature: the signer's first, then each issuer after the certificate that it issued, then
/// those that belong to no such chain.
pub(super) struct Certificates {
    certificates: Vec<Certificate>,
    der: Vec<Vec<u8>>,
}

impl Certificates {
    /// Orders certificates in DER.
    pub(super) fn of(leaf: &[u8], others: &[Vec<u8>]) -> Result<Self, String> {
        let read = |der: &Vec<u8>| Certificate::from_der(der).map_err(|error| error.to_string());
        let mut others = others.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut certificates = vec![Certificate::from_der(leaf).map_err(|error| error.to_string())?];
        while let Some(issuer) = certificates.last().map(|last| last.tbs_certificate.issuer.clone()) {
            let Some(at) = others.iter().position(|other| other.tbs_certificate.subject == issuer) else { break };
            certificates.push(others.swap_remove(at));
        }
        certificates.append(&mut others);
        let der = certificates.iter().map(Certificate::to_der).collect::<Result<_, _>>();
        Ok(Self { certificates, der: der.map_err(|error| error.to_string())? })
    }

    /// The signer's certificate and all others, in DER.
    pub(super) fn split(&self) -> (&[u8], Vec<&[u8]>) {
        let mut der = self.der.iter().map(Vec::as_slice);
        (der.next().unwrap_or_default(), der.collect())
    }

    /// The signer's certificate.
    pub(super) fn leaf(&self) -> Option<&Certificate> {
        self.certificates.first()
    }

    /// The first expiry among the certificates, except roots.
    pub(super) fn first_end(&self) -> Option<Expiry> {
        Expiry::first_of(self.certificates.iter())
    }

    /// The facts of each certificate for the report.
    pub(super) fn facts(&self) -> Vec<report::Certificate> {
        let facts = |certificate: &Certificate| {
            let fields = &certificate.tbs_certificate;
            let (not_before, not_after) = validity(certificate);
            report::Certificate {
                subject: fields.subject.to_string(),
                issuer: fields.issuer.to_string(),
                serial_number: hex::encode(fields.serial_number.as_bytes()),
                not_before: rfc3339_millis(not_before).unwrap_or_default(),
                not_after: rfc3339_millis(not_after).unwrap_or_default(),
            }
        };
        self.certificates.iter().map(facts).collect()
    }
}
