//! The structures of the detached CAdES signature with an explicit policy (CAdES-EPES, RFC 5126), as ICP-Brasil's AD-RB
//! policies require it, and with a timestamp over the signature value (CAdES-T), as its AD-RT policies do.
//!
//! SHA-256 and RSA PKCS#1 v1.5 throughout; the whole certificate chain is embedded.

use cms::cert::IssuerAndSerialNumber;
use const_oid::ObjectIdentifier;
use der::{
    Sequence,
    asn1::{Ia5String, OctetString},
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{
    Certificate,
    ext::pkix::name::{GeneralName, GeneralNames},
    serial_number::SerialNumber,
};

use crate::oid;

/// The content type of the frame.
pub const MIME_TYPE: &str = "image/jpeg";

/// `SigningCertificateV2` (RFC 5035).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SigningCertificateV2 {
    /// The signer's certificate, alone.
    pub certs: Vec<EssCertIdV2>,
}

/// `ESSCertIDv2` with its default hash algorithm, SHA-256, which DER leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct EssCertIdV2 {
    /// SHA-256 of the certificate in DER.
    pub cert_hash: OctetString,
    /// The same certificate by issuer and serial number.
    pub issuer_serial: IssuerSerial,
}

/// `IssuerSerial` (RFC 5035).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct IssuerSerial {
    /// The issuer, as one directory name.
    pub issuer: GeneralNames,
    /// The serial number.
    pub serial_number: SerialNumber,
}

/// `SignaturePolicyId` (RFC 5126, 5.8.1), in the form that carries the policy's address.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SignaturePolicyId {
    /// The policy's identifier.
    pub id: ObjectIdentifier,
    /// The policy's `signPolicyHash`.
    pub hash: OtherHashAlgAndValue,
    /// The policy's address, alone.
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

/// `SigPolicyQualifierInfo` (RFC 5126) with the address as its qualifier.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct PolicyQualifier {
    /// `id-spq-ets-uri`.
    pub id: ObjectIdentifier,
    /// The address.
    pub uri: Ia5String,
}

/// SHA-256 without parameters, as RFC 5754 prefers.
#[must_use]
pub fn sha_256() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid: oid::SHA_256, parameters: None }
}

/// A certificate as `SignerInfo` names its signer.
#[must_use]
pub fn issuer_and_serial(leaf: &Certificate) -> IssuerAndSerialNumber {
    IssuerAndSerialNumber {
        issuer: leaf.tbs_certificate.issuer.clone(),
        serial_number: leaf.tbs_certificate.serial_number.clone(),
    }
}

/// A certificate as [`EssCertIdV2`] names it.
#[must_use]
pub fn issuer_serial(leaf: &Certificate) -> IssuerSerial {
    IssuerSerial {
        issuer: vec![GeneralName::DirectoryName(leaf.tbs_certificate.issuer.clone())],
        serial_number: leaf.tbs_certificate.serial_number.clone(),
    }
}
