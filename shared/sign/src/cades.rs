//! Makes the CAdES signature in two steps, because the key is remote: [`Request`] contains the signed attributes, and
//! [`Request::assemble`] adds the signature that the key returned. [`lacre_proof::cades`] has the structures.

use cms::{
    cert::CertificateChoices,
    content_info::{CmsVersion, ContentInfo},
    signed_data::{EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo},
};
use const_oid::ObjectIdentifier;
use der::{
    Any, Decode, Encode,
    asn1::{Ia5String, Null, OctetString, SetOfVec, UtcTime},
};
use lacre_proof::{
    Token,
    cades::{
        DOSSIER_INDEX, EssCertIdV2, FRAME, OtherHashAlgAndValue, PolicyQualifier, SignaturePolicyId,
        SigningCertificateV2, issuer_and_serial, issuer_serial, sha_256,
    },
    certificate::Chain,
    oid,
    policy::Policy,
    sealed::SealedStatements,
    trust::is_self_issued,
};
use sha2::{Digest, Sha256};
use spki::AlgorithmIdentifierOwned;
use time::OffsetDateTime;
use x509_cert::{
    attr::{Attribute, Attributes},
    time::Time,
};

use crate::{ProofFailure, statements::Statements};

/// A finished CAdES signature over a frame and the statements about it.
#[derive(Clone, PartialEq)]
pub struct FrameSignature {
    pub(crate) der: Vec<u8>,
    pub(crate) policy: ObjectIdentifier,
    /// The length of its timestamp token in bytes; `None` if it has none.
    pub(crate) token_length: Option<usize>,
    /// The statements of the manifest that the signature covers.
    pub(crate) statements: Statements,
}

impl FrameSignature {
    /// The CMS `ContentInfo` in DER, which is the content of a `.p7s` file.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The OID of the signature policy, such as `2.16.76.1.7.1.1.2.4`.
    #[must_use]
    pub fn policy_oid(&self) -> String {
        self.policy.to_string()
    }
}

/// What a signature covers, by its SHA-256.
#[derive(Clone, Copy)]
pub(crate) enum Content<'a> {
    /// A frame, with the statements about it.
    Frame([u8; 32], &'a SealedStatements),
    /// The index of a dossier.
    DossierIndex([u8; 32]),
}

/// The signed attributes of one signature, before the key has signed them.
pub(crate) struct Request<'a> {
    chain: &'a Chain,
    /// Whether the message has the root too, if the chain does. A photo's claim signature covers its seal, but nothing covers
    /// a certificate in a dossier's that its chain does not need.
    has_root: bool,
    attributes: SetOfVec<Attribute>,
    signed: Vec<u8>,
}

impl<'a> Request<'a> {
    /// Prepares a signature with the signing time `now`.
    pub(crate) fn new(
        chain: &'a Chain,
        policy: &Policy,
        content: Content<'_>,
        now: OffsetDateTime,
    ) -> Result<Self, ProofFailure> {
        let attributes = signed_attributes(chain, policy, content, now).map_err(encoding)?;
        // RFC 5652, 5.4: the signature covers the attributes in DER with the universal SET tag instead of the message's
        // [0] tag.
        let signed = attributes.to_der().map_err(encoding)?;
        Ok(Self { chain, has_root: matches!(content, Content::Frame(..)), attributes, signed })
    }

    /// The bytes that the signature covers.
    pub(crate) fn signed(&self) -> &[u8] {
        &self.signed
    }

    /// The SHA-256 of these bytes, which the key signs.
    pub(crate) fn digest(&self) -> [u8; 32] {
        Sha256::digest(&self.signed).into()
    }

    /// Builds the message with the signature and, if there is one, the timestamp token over it.
    pub(crate) fn assemble(self, signature: &[u8], token: Option<&Token>) -> Result<Vec<u8>, ProofFailure> {
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
                // RFC 4055, 5: the parameters are NULL and must not be absent.
                parameters: Some(Any::from(Null)),
            },
            signature: OctetString::new(signature)?,
            unsigned_attrs: token.map(timestamp).transpose()?,
        };
        let embedded = self.chain.certificates().iter().filter(|each| self.has_root || !is_self_issued(each));
        let certificates = embedded.cloned().map(CertificateChoices::Certificate);
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
    content: Content<'_>,
    now: OffsetDateTime,
) -> der::Result<SetOfVec<Attribute>> {
    let (content_sha256, mime_type, sealed) = match content {
        Content::Frame(sha256, sealed) => (sha256, FRAME, Some(sealed)),
        Content::DossierIndex(sha256) => (sha256, DOSSIER_INDEX, None),
    };
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
    let mut attributes = vec![
        attribute(oid::CONTENT_TYPE, &oid::DATA)?,
        attribute(oid::SIGNING_TIME, &signing_time(now)?)?,
        attribute(oid::MESSAGE_DIGEST, &OctetString::new(content_sha256)?)?,
        attribute(oid::SIGNING_CERTIFICATE_V2, &signing_certificate)?,
        attribute(oid::SIGNATURE_POLICY, &policy_id)?,
        attribute(oid::MIME_TYPE, &mime_type.to_owned())?,
    ];
    attributes.extend(sealed.map(|sealed| attribute(oid::SEALED_STATEMENTS, sealed)).transpose()?);
    SetOfVec::try_from(attributes)
}

/// The timestamp token as an unsigned attribute of the signature that it covers (RFC 5126, 6.1.1).
fn timestamp(token: &Token) -> der::Result<Attributes> {
    let token = Any::from_der(token.der())?;
    SetOfVec::try_from(vec![Attribute { oid: oid::TIME_STAMP_TOKEN, values: SetOfVec::try_from(vec![token])? }])
}

fn attribute(oid: ObjectIdentifier, value: &impl Encode) -> der::Result<Attribute> {
    let value = Any::from_der(&value.to_der()?)?;
    Ok(Attribute { oid, values: SetOfVec::try_from(vec![value])? })
}

/// The signing time in whole seconds: `UTCTime` through 2049, as RFC 5652 requires, then `GeneralizedTime`.
fn signing_time(now: OffsetDateTime) -> der::Result<Time> {
    let seconds = u64::try_from(now.unix_timestamp()).map_err(|_| der::ErrorKind::DateTime)?;
    let duration = core::time::Duration::from_secs(seconds);
    UtcTime::from_unix_duration(duration)
        .map(Time::UtcTime)
        .or_else(|_| der::asn1::GeneralizedTime::from_unix_duration(duration).map(Time::GeneralTime))
}

pub(crate) fn encoding(error: der::Error) -> ProofFailure {
    ProofFailure::InvalidResponse(format!("the CAdES signature cannot be encoded: {error}"))
}
