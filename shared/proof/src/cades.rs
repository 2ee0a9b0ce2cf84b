//! The structures of a detached CAdES signature with an explicit policy (CAdES-EPES, RFC 5126), as ICP-Brasil's AD-RB
//! policies require it, and with a timestamp over the signature value (CAdES-T), as its AD-RT policies require.
//!
//! All signatures use SHA-256 with RSA PKCS#1 v1.5, and embed the whole certificate chain.

use cms::cert::IssuerAndSerialNumber;
use const_oid::ObjectIdentifier;
use der::{
    Sequence,
    asn1::{Ia5String, OctetString},
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{Certificate, ext::pkix::name::GeneralName, serial_number::SerialNumber};

use crate::{apart::Apart, oid};

/// The content type of the frame, in the attribute `mimeType` of a photo's seal.
pub const FRAME: &str = "image/jpeg";

/// The content type of a dossier's index, in the attribute `mimeType` of its seal. So a photo's seal is not one of a dossier,
/// and the reverse.
pub const DOSSIER_INDEX: &str = "application/vnd.lacre.dossier+json";

/// `SigningCertificateV2` (RFC 5035).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SigningCertificateV2 {
    /// A single entry, which names the signer's certificate.
    pub certs: Vec<EssCertIdV2>,
}

/// `ESSCertIDv2` (RFC 5035) with the default hash algorithm SHA-256, which DER omits.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct EssCertIdV2 {
    /// SHA-256 of the certificate in DER.
    pub cert_hash: OctetString,
    /// The issuer and serial number of the same certificate.
    pub issuer_serial: IssuerSerial,
}

/// `IssuerSerial` (RFC 5035).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct IssuerSerial {
    /// The issuer, as a single directory name.
    pub issuer: Vec<Apart<GeneralName>>,
    /// The serial number.
    pub serial_number: SerialNumber,
}

/// `SignaturePolicyId` (RFC 5126, 5.8.1) with a qualifier that contains the policy's URL.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SignaturePolicyId {
    /// The policy's identifier.
    pub id: ObjectIdentifier,
    /// The policy's `signPolicyHash`.
    pub hash: OtherHashAlgAndValue,
    /// A single qualifier, the URL of the policy.
    pub qualifiers: Vec<PolicyQualifier>,
}

/// `OtherHashAlgAndValue` (RFC 5126).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct OtherHashAlgAndValue {
    /// The hash algorithm.
    pub algorithm: AlgorithmIdentifierOwned,
    /// The hash.
    pub value: OctetString,
}

/// `SigPolicyQualifierInfo` (RFC 5126) with a URL.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct PolicyQualifier {
    /// Always `id-spq-ets-uri`.
    pub id: ObjectIdentifier,
    /// The URL of the policy.
    pub uri: Ia5String,
}

/// The algorithm identifier of SHA-256 without parameters, as RFC 5754 prefers.
#[must_use]
pub fn sha_256() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid: oid::SHA_256, parameters: None }
}

/// The reference to a certificate in `SignerInfo`: issuer and serial number.
#[must_use]
pub fn issuer_and_serial(leaf: &Certificate) -> IssuerAndSerialNumber {
    IssuerAndSerialNumber {
        issuer: leaf.tbs_certificate.issuer.clone(),
        serial_number: leaf.tbs_certificate.serial_number.clone(),
    }
}

/// The reference to a certificate in [`EssCertIdV2`]: issuer and serial number.
#[must_use]
pub fn issuer_serial(leaf: &Certificate) -> IssuerSerial {
    IssuerSerial {
        issuer: vec![Apart(GeneralName::DirectoryName(leaf.tbs_certificate.issuer.clone()))],
        serial_number: leaf.tbs_certificate.serial_number.clone(),
    }
}
