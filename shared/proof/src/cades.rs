//! The detached CAdES signature with an explicit policy (CAdES-EPES, RFC 5126), as ICP-Brasil's AD-RB policies want it, and
//! with a timestamp over the signature value (CAdES-T), as its AD-RT policies do.
//!
//! It is made in two steps because the key is elsewhere: [`Request`] holds the signed attributes, and
//! [`Request::assemble`] puts the signature that came back beside them. SHA-256 and RSA PKCS#1 v1.5 throughout; the
//! whole certificate chain is embedded.

use cms::{
    cert::{CertificateChoices, IssuerAndSerialNumber},
    content_info::{CmsVersion, ContentInfo},
    signed_data::{EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo},
};
use const_oid::ObjectIdentifier;
use der::{
    Any, Decode, Encode, Sequence,
    asn1::{Ia5String, Null, OctetString, SetOfVec, UtcTime},
};
use sha2::{Digest, Sha256};
use spki::AlgorithmIdentifierOwned;
use time::OffsetDateTime;
use x509_cert::{
    Certificate,
    attr::{Attribute, Attributes},
    ext::pkix::name::{GeneralName, GeneralNames},
    serial_number::SerialNumber,
    time::Time,
};

use crate::{
    SealError, Token, certificate::Chain, oid, sealed::SealedStatements, signers::Policy, statements::Statements,
};

/// The content type of the frame.
pub(crate) const MIME_TYPE: &str = "image/jpeg";

/// A finished CAdES signature over a frame and over what is stated of it.
#[derive(Clone, PartialEq)]
pub struct FrameSignature {
    pub(crate) der: Vec<u8>,
    pub(crate) policy: ObjectIdentifier,
    /// What the manifest must state.
    pub(crate) statements: Statements,
}

impl FrameSignature {
    /// The CMS `ContentInfo` in DER: what goes into a `.p7s` file.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }
}

/// `SigningCertificateV2` (RFC 5035).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(crate) struct SigningCertificateV2 {
    pub(crate) certs: Vec<EssCertIdV2>,
}

/// `ESSCertIDv2` with its default hash algorithm, SHA-256, which DER leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(crate) struct EssCertIdV2 {
    pub(crate) cert_hash: OctetString,
    pub(crate) issuer_serial: IssuerSerial,
}

/// `IssuerSerial` (RFC 5035).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(crate) struct IssuerSerial {
    pub(crate) issuer: GeneralNames,
    pub(crate) serial_number: SerialNumber,
}

/// `SignaturePolicyId` (RFC 5126, 5.8.1), in the form that carries the policy's address.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(crate) struct SignaturePolicyId {
    pub(crate) id: ObjectIdentifier,
    pub(crate) hash: OtherHashAlgAndValue,
    pub(crate) qualifiers: Vec<PolicyQualifier>,
}

/// `OtherHashAlgAndValue` (RFC 5126).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(crate) struct OtherHashAlgAndValue {
    pub(crate) algorithm: AlgorithmIdentifierOwned,
    pub(crate) value: OctetString,
}

/// `SigPolicyQualifierInfo` (RFC 5126) with the address as its qualifier.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(crate) struct PolicyQualifier {
    pub(crate) id: ObjectIdentifier,
    pub(crate) uri: Ia5String,
}

/// The signed attributes of one signature, waiting for the key.
pub(crate) struct Request<'a> {
    chain: &'a Chain,
    attributes: SetOfVec<Attribute>,
    signed: Vec<u8>,
}

impl<'a> Request<'a> {
    /// Prepares a signature over the content with that SHA-256 and over what is stated of it, made at `now`.
    pub(crate) fn new(
        chain: &'a Chain,
        policy: &Policy,
        content_sha256: &[u8; 32],
        sealed: &SealedStatements,
        now: OffsetDateTime,
    ) -> Result<Self, SealError> {
        let attributes = signed_attributes(chain, policy, content_sha256, sealed, now).map_err(encoding)?;
        // RFC 5652, 5.4: what is signed is the attributes' DER with the universal SET tag, not the [0] of the message.
        let signed = attributes.to_der().map_err(encoding)?;
        Ok(Self { chain, attributes, signed })
    }

    /// What is signed.
    pub(crate) fn signed(&self) -> &[u8] {
        &self.signed
    }

    /// The SHA-256 of it, which the key signs.
    pub(crate) fn digest(&self) -> [u8; 32] {
        Sha256::digest(&self.signed).into()
    }

    /// Puts the message together around the signature, with the token over it where there is one.
    pub(crate) fn assemble(self, signature: &[u8], token: Option<&Token>) -> Result<Vec<u8>, SealError> {
        self.content_info(signature, token).map_err(encoding)
    }

    fn content_info(self, signature: &[u8], token: Option<&Token>) -> der::Result<Vec<u8>> {
        let signer = SignerInfo {
            version: CmsVersion::V1,
            sid: SignerIdentifier::IssuerAndSerialNumber(issuer_and_serial(self.chain.leaf())),
            digest_alg: sha_256(),
            signed_attrs: Some(self.attributes),
            signature_algorithm: AlgorithmIdentifierOwned {
                oid: oid::SHA_256_WITH_RSA,
                // RFC 4055, 5: the parameters are NULL, not absent.
                parameters: Some(Any::from(Null)),
            },
            signature: OctetString::new(signature)?,
            unsigned_attrs: token.map(timestamp).transpose()?,
        };
        let certificates = self.chain.certificates().iter().cloned().map(CertificateChoices::Certificate);
        let signed_data = SignedData {
            version: CmsVersion::V1,
            digest_algorithms: SetOfVec::try_from(vec![sha_256()])?,
            encap_content_info: EncapsulatedContentInfo { econtent_type: oid::DATA, econtent: None },
            certificates: Some(SetOfVec::try_from(certificates.collect::<Vec<_>>())?.into()),
            crls: None,
            signer_infos: SetOfVec::try_from(vec![signer])?.into(),
        };
        ContentInfo { content_type: oid::SIGNED_DATA, content: Any::encode_from(&signed_data)? }.to_der()
    }
}

fn signed_attributes(
    chain: &Chain,
    policy: &Policy,
    content_sha256: &[u8; 32],
    sealed: &SealedStatements,
    now: OffsetDateTime,
) -> der::Result<SetOfVec<Attribute>> {
    let signing_certificate = SigningCertificateV2 {
        certs: vec![EssCertIdV2 {
            cert_hash: OctetString::new(Sha256::digest(chain.leaf_der()).to_vec())?,
            issuer_serial: issuer_serial(chain.leaf()),
        }],
    };
    let policy_id = SignaturePolicyId {
        id: policy.oid,
        hash: OtherHashAlgAndValue { algorithm: sha_256(), value: OctetString::new(policy.hash)? },
        qualifiers: vec![PolicyQualifier { id: oid::POLICY_URI, uri: Ia5String::new(&policy.uri)? }],
    };
    SetOfVec::try_from(vec![
        attribute(oid::CONTENT_TYPE, &oid::DATA)?,
        attribute(oid::SIGNING_TIME, &signing_time(now)?)?,
        attribute(oid::MESSAGE_DIGEST, &OctetString::new(content_sha256.as_slice())?)?,
        attribute(oid::SIGNING_CERTIFICATE_V2, &signing_certificate)?,
        attribute(oid::SIGNATURE_POLICY, &policy_id)?,
        attribute(oid::MIME_TYPE, &MIME_TYPE.to_owned())?,
        attribute(oid::SEALED_STATEMENTS, sealed)?,
    ])
}

/// RFC 5126, 6.1.1: the token is an unsigned attribute of the signature that it is over.
fn timestamp(token: &Token) -> der::Result<Attributes> {
    let token = Any::from_der(token.der())?;
    SetOfVec::try_from(vec![Attribute { oid: oid::TIME_STAMP_TOKEN, values: SetOfVec::try_from(vec![token])? }])
}

fn attribute(oid: ObjectIdentifier, value: &impl Encode) -> der::Result<Attribute> {
    let value = Any::from_der(&value.to_der()?)?;
    Ok(Attribute { oid, values: SetOfVec::try_from(vec![value])? })
}

/// `UTCTime`, which RFC 5652 wants through 2049, to the second.
fn signing_time(now: OffsetDateTime) -> der::Result<Time> {
    let seconds = u64::try_from(now.unix_timestamp()).map_err(|_| der::ErrorKind::DateTime)?;
    let duration = core::time::Duration::from_secs(seconds);
    UtcTime::from_unix_duration(duration)
        .map(Time::UtcTime)
        .or_else(|_| der::asn1::GeneralizedTime::from_unix_duration(duration).map(Time::GeneralTime))
}

/// SHA-256 without parameters, as RFC 5754 prefers.
pub(crate) fn sha_256() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid: oid::SHA_256, parameters: None }
}

pub(crate) fn issuer_and_serial(leaf: &Certificate) -> IssuerAndSerialNumber {
    IssuerAndSerialNumber {
        issuer: leaf.tbs_certificate.issuer.clone(),
        serial_number: leaf.tbs_certificate.serial_number.clone(),
    }
}

pub(crate) fn issuer_serial(leaf: &Certificate) -> IssuerSerial {
    IssuerSerial {
        issuer: vec![GeneralName::DirectoryName(leaf.tbs_certificate.issuer.clone())],
        serial_number: leaf.tbs_certificate.serial_number.clone(),
    }
}

pub(crate) fn encoding(error: der::Error) -> SealError {
    SealError::InvalidResponse(format!("the CAdES signature cannot be encoded: {error}"))
}
