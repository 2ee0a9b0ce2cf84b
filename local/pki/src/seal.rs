//! A certificate hierarchy that imitates ICP-Brasil, with e-CNPJ A1 leaves.

use const_oid::ObjectIdentifier;
use der::{Any, asn1::OctetString};
use rsa::pkcs8::EncodePrivateKey;
use spki::SubjectPublicKeyInfoOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::ext::pkix::{
    CertificatePolicies, ExtendedKeyUsage, KeyUsages, SubjectAltName,
    certpolicy::PolicyInformation,
    name::{GeneralName, OtherName},
};

use crate::{
    PkiError,
    authority::{Hierarchy, RsaKey, Shape, pem, rsa_key},
};

const CLIENT_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");
const EMAIL_PROTECTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4");
/// Certificate policy of A1 certificates of one of ICP-Brasil's CAs.
const A1_POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.76.1.2.1.12");

/// The fictitious CNPJ of every A1 certificate.
pub const SEAL_HOLDER_CNPJ: &str = "11222333000181";

/// The `otherName` entries of an e-CNPJ's subject alternative name, by their ICP-Brasil OIDs. Persons and numbers are
/// fictitious.
const HOLDER: [(ObjectIdentifier, &[u8]); 4] = [
    // Name of the responsible person.
    (ObjectIdentifier::new_unwrap("2.16.76.1.3.2"), b"PESSOA DE DESENVOLVIMENTO"),
    // CNPJ, 14 digits.
    (ObjectIdentifier::new_unwrap("2.16.76.1.3.3"), SEAL_HOLDER_CNPJ.as_bytes()),
    // Responsible person: date of birth (8 digits), CPF (11), NIS (11), RG (15) and its issuer.
    (ObjectIdentifier::new_unwrap("2.16.76.1.3.4"), b"010119700000000019100000000000000000000000000SSPSP"),
    // CEI, 12 digits.
    (ObjectIdentifier::new_unwrap("2.16.76.1.3.7"), b"000000000000"),
];

/// A root and a CA with RSA-2048 keys.
pub struct SealPki(Hierarchy<RsaKey>);

/// An e-CNPJ A1 certificate with its private key.
pub struct A1 {
    /// The complete chain in PEM, leaf first, including the root.
    pub chain_pem: String,
    /// The RSA-2048 private key as DER PKCS#8, the format that KMS imports.
    pub pkcs8_der: Vec<u8>,
}

impl SealPki {
    /// Creates a hierarchy, valid for ten years from the day before `now`.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn generate(now: OffsetDateTime) -> Result<Self, PkiError> {
        let root = "CN=Lacre Development Seal Root,OU=Development,O=ICP-Brasil,C=BR";
        let issuing = "CN=AC Lacre Development,OU=Development,O=ICP-Brasil,C=BR";
        Hierarchy::generate(|| Ok(RsaKey::new(rsa_key()?)), root, issuing, now).map(Self)
    }

    /// Generates a key and issues its e-CNPJ A1 certificate, valid for 365 days from the day before `now`.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn issue_a1(&self, now: OffsetDateTime) -> Result<A1, PkiError> {
        let leaf = Shape {
            subject: "CN=LACRE DEVELOPMENT:11222333000181,OU=Development,O=ICP-Brasil,C=BR",
            key_usage: KeyUsages::DigitalSignature | KeyUsages::NonRepudiation | KeyUsages::KeyEncipherment,
            lifetime: Duration::days(365),
            authority_depth: None,
        };
        let key = rsa_key()?;
        let spki = SubjectPublicKeyInfoOwned::from_key(key.to_public_key())?;
        let holder = alternative_name()?;
        let policies =
            CertificatePolicies(vec![PolicyInformation { policy_identifier: A1_POLICY, policy_qualifiers: None }]);
        let leaf = self.0.issuing.issue(&spki, &leaf, now, |builder| {
            builder.add_extension(&ExtendedKeyUsage(vec![CLIENT_AUTH, EMAIL_PROTECTION]))?;
            builder.add_extension(&policies)?;
            builder.add_extension(&holder)
        })?;
        let pkcs8 = key.to_pkcs8_der().map_err(|error| PkiError::PrivateKey(error.to_string()))?;
        Ok(A1 {
            chain_pem: pem([&leaf, self.0.issuing.certificate(), self.0.root.certificate()])?,
            pkcs8_der: pkcs8.as_bytes().to_vec(),
        })
    }

    /// The root certificate in PEM.
    ///
    /// # Errors
    /// [`PkiError`].
    pub fn anchors_pem(&self) -> Result<String, PkiError> {
        self.0.anchors_pem()
    }
}

fn alternative_name() -> Result<SubjectAltName, PkiError> {
    let other_name = |(type_id, value): (ObjectIdentifier, &[u8])| {
        let value = Any::encode_from(&OctetString::new(value)?)?;
        Ok(GeneralName::OtherName(OtherName { type_id, value }))
    };
    Ok(SubjectAltName(HOLDER.into_iter().map(other_name).collect::<Result<_, der::Error>>()?))
}
