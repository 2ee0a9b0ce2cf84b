//! The reference of a token to the certificate that signed it: `signingCertificateV2` (RFC 5035, RFC 5816), or the
//! older `signingCertificate` (RFC 2634), which many authorities still write.
//!
//! The older one uses SHA-1. That is sufficient here: only the authority itself could create two certificates with the
//! same SHA-1, which would gain it nothing, and the certificate's own signature is verified anyway.

use const_oid::ObjectIdentifier;
use der::{Sequence, asn1::OctetString};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{
    Certificate,
    attr::Attributes,
    ext::pkix::{certpolicy::PolicyInformation, name::GeneralName},
    serial_number::SerialNumber,
};

use super::algorithm::Digest;
use crate::{apart::Apart, attribute, oid};

/// Attribute `id-aa-signingCertificate`.
const SIGNING_CERTIFICATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.12");

/// `SigningCertificateV2`, or `SigningCertificate`, which has the same fields except for the hash algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
struct SigningCertificate {
    certs: Vec<CertificateId>,
    #[asn1(optional = "true")]
    policies: Option<Vec<PolicyInformation>>,
}

/// `ESSCertIDv2`, which omits the hash algorithm for SHA-256; or `ESSCertID`, which is always SHA-1.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
struct CertificateId {
    #[asn1(optional = "true")]
    hash_algorithm: Option<AlgorithmIdentifierOwned>,
    cert_hash: OctetString,
    #[asn1(optional = "true")]
    issuer_serial: Option<IssuerSerial>,
}

/// `IssuerSerial`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
struct IssuerSerial {
    issuer: Vec<Apart<GeneralName>>,
    serial_number: SerialNumber,
}

/// Checks that the attributes name the given certificate. The first entry of the list is the signer's.
pub(super) fn check(attributes: &Attributes, leaf: &Certificate, leaf_der: &[u8]) -> Result<(), String> {
    let has_newer = attributes.iter().any(|attribute| attribute.oid == oid::SIGNING_CERTIFICATE_V2);
    let (oid, unnamed) = match has_newer {
        true => (oid::SIGNING_CERTIFICATE_V2, Sha256::digest(leaf_der).to_vec()),
        false => (SIGNING_CERTIFICATE, Sha1::digest(leaf_der).to_vec()),
    };
    attribute::single::<SigningCertificate>(attributes, oid)?.check(leaf, leaf_der, unnamed)
}

impl SigningCertificate {
    /// Checks one reference. `unnamed` is the certificate's hash by the default algorithm.
    fn check(&self, leaf: &Certificate, leaf_der: &[u8], unnamed: Vec<u8>) -> Result<(), String> {
        let id = self.certs.first().ok_or("it contains no certificate reference")?;
        let hash = match &id.hash_algorithm {
            None => unnamed,
            Some(algorithm) => Digest::of(algorithm).ok_or("its hash function is not supported")?.hash(leaf_der),
        };
        if id.cert_hash.as_bytes() != hash {
            return Err("it names another certificate".into());
        }
        match &id.issuer_serial {
            Some(named) if !named.is_of(leaf) => Err("it names another issuer or serial number".into()),
            _ => Ok(()),
        }
    }
}

impl IssuerSerial {
    fn is_of(&self, leaf: &Certificate) -> bool {
        let fields = &leaf.tbs_certificate;
        self.issuer == [Apart(GeneralName::DirectoryName(fields.issuer.clone()))]
            && self.serial_number == fields.serial_number
    }
}
