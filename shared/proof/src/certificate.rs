//! The certificate chain of a signer profile, and the verification of signatures with its leaf's key.

use const_oid::{AssociatedOid, ObjectIdentifier};
use der::{Decode, Encode, Reader, Tag, Tagged};
use lacre_domain::Environment;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use spki::SubjectPublicKeyInfoOwned;
use time::OffsetDateTime;
use webpki::EndEntityCert;
use x509_cert::{
    Certificate,
    ext::pkix::{SubjectAltName, name::GeneralName},
};

use crate::{apart::Apart, cnpj, expiry::validity};

/// The `otherName` type in which an ICP-Brasil certificate contains the company's CNPJ (DOC-ICP-04).
const CNPJ: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.76.1.3.3");
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// Certificates, leaf first, each issued by the next one.
#[derive(Clone, Debug)]
pub struct Chain {
    certificates: Vec<Certificate>,
    der: Vec<Vec<u8>>,
}

/// The beginning of the common name of every ICP-Brasil root, which is followed by its version.
const ICP_BRASIL_ROOT: &str = "Autoridade Certificadora Raiz Brasileira";

impl Chain {
    /// Parses a chain in PEM.
    pub fn from_pem(pem: &str) -> Result<Self, String> {
        Self::of(crate::pem::certificates(pem)?)
    }

    /// Parses a chain of DER certificates.
    pub fn from_der<'a>(certificates: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, String> {
        let parsed = certificates.into_iter().map(Certificate::from_der).collect::<Result<Vec<_>, _>>();
        Self::of(parsed.map_err(|error| error.to_string())?)
    }

    /// Creates a chain from certificates in order.
    pub fn of(certificates: Vec<Certificate>) -> Result<Self, String> {
        if certificates.is_empty() {
            return Err("no certificate".into());
        }
        for pair in certificates.windows(2) {
            let [issued, issuer] = pair else { continue };
            if issued.tbs_certificate.issuer != issuer.tbs_certificate.subject {
                let [issued, issuer] = [&issued.tbs_certificate, &issuer.tbs_certificate];
                return Err(format!(
                    "the chain is out of order: {} is followed by {}, not by its issuer {}",
                    issued.subject, issuer.subject, issued.issuer
                ));
            }
        }
        let der = certificates.iter().map(Certificate::to_der).collect::<Result<_, _>>();
        Ok(Self { certificates, der: der.map_err(|error| error.to_string())? })
    }

    /// Refuses an ICP-Brasil chain outside production. A chain counts as ICP-Brasil's if `icp_brasil` states so, or if
    /// its last certificate has the name of an ICP-Brasil root. Anyone can use such a name, so it proves nothing, but
    /// it is refused all the same.
    pub fn check_environment(&self, environment: Environment, icp_brasil: bool) -> Result<(), String> {
        let root = self.certificates.last().and_then(common_name);
        let is_icp_brasil = icp_brasil || root.is_some_and(|name| name.starts_with(ICP_BRASIL_ROOT));
        match is_icp_brasil && environment != Environment::Production {
            true => Err(format!("an ICP-Brasil chain signs in PRODUCTION only, not in {}", environment.name())),
            false => Ok(()),
        }
    }

    /// The certificates, leaf first.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// The certificates in DER, leaf first.
    pub fn der(&self) -> &[Vec<u8>] {
        &self.der
    }

    /// The first certificate, which is the signer's.
    pub fn leaf(&self) -> &Certificate {
        &self.certificates[0]
    }

    /// The first certificate in DER.
    pub fn leaf_der(&self) -> &[u8] {
        &self.der[0]
    }

    /// The subject of the first certificate that is not valid at the given time; `None` if all are valid.
    pub fn invalid_at(&self, at: OffsetDateTime) -> Option<String> {
        let valid = |certificate: &&Certificate| {
            let (not_before, not_after) = validity(certificate);
            (not_before.unix_timestamp()..=not_after.unix_timestamp()).contains(&at.unix_timestamp())
        };
        let invalid = self.certificates.iter().find(|certificate| !valid(certificate))?;
        Some(invalid.tbs_certificate.subject.to_string())
    }
}

/// `SubjectAltName` (RFC 5280, 4.2.1.6).
struct AlternativeNames(Vec<Apart<GeneralName>>);

impl AssociatedOid for AlternativeNames {
    const OID: ObjectIdentifier = SubjectAltName::OID;
}

impl<'a> Decode<'a> for AlternativeNames {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.decode().map(Self)
    }
}

/// The 14 characters of the CNPJ in an ICP-Brasil certificate's `subjectAltName`.
pub fn cnpj(certificate: &Certificate) -> Option<String> {
    let (_, AlternativeNames(names)) = extension::<AlternativeNames>(certificate).ok()??;
    let value = names.into_iter().find_map(|Apart(name)| match name {
        GeneralName::OtherName(other) if other.type_id == CNPJ => Some(other.value),
        _ => None,
    })?;
    let characters = String::from_utf8(value.value().to_vec()).ok()?;
    cnpj::punctuated(&characters).map(|_| characters)
}

/// The common name of a certificate's subject; `None` if there is none, or several.
pub fn common_name(certificate: &Certificate) -> Option<String> {
    let attributes = certificate.tbs_certificate.subject.0.iter().flat_map(|part| part.0.iter());
    let mut names = attributes.filter(|attribute| attribute.oid == COMMON_NAME);
    let (Some(name), None) = (names.next(), names.next()) else { return None };
    let is_text = matches!(name.value.tag(), Tag::PrintableString | Tag::Utf8String | Tag::TeletexString);
    is_text.then(|| String::from_utf8(name.value.value().to_vec()).ok())?
}

/// The two signature schemes of proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// RSA PKCS#1 v1.5 with SHA-256 and at least 2048 bits, for the seal (the ICP-Brasil signature).
    Rsa,
    /// ECDSA on P-256 with SHA-256, encoded in DER, for the C2PA claim signature.
    P256,
}

impl Scheme {
    fn algorithm(self) -> &'static dyn SignatureVerificationAlgorithm {
        match self {
            Self::Rsa => webpki::ring::RSA_PKCS1_2048_8192_SHA256,
            Self::P256 => webpki::ring::ECDSA_P256_SHA256,
        }
    }

    /// Verifies a signature over a message with the key of a certificate in DER.
    pub fn verifies(self, certificate: &[u8], message: &[u8], signature: &[u8]) -> bool {
        EndEntityCert::try_from(&CertificateDer::from(certificate))
            .is_ok_and(|certificate| certificate.verify_signature(self.algorithm(), message, signature).is_ok())
    }

    /// Whether a public key is of this scheme's type.
    pub fn fits(self, spki: &SubjectPublicKeyInfoOwned) -> bool {
        // The algorithm's identifier lacks the surrounding SEQUENCE header.
        let identifier = self.algorithm().public_key_alg_id();
        spki.algorithm.to_der().is_ok_and(|der| der.get(2..) == Some(identifier.as_ref()))
    }
}

/// An extension of a certificate, with whether it is critical.
pub fn extension<'a, T: AssociatedOid + Decode<'a>>(certificate: &'a Certificate) -> Result<Option<(bool, T)>, String> {
    certificate.tbs_certificate.get::<T>().map_err(|error| error.to_string())
}
