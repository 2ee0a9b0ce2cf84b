//! The timestamp token: a `TSTInfo` signed as a CMS message (RFC 3161, 2.4.2; RFC 5816), with RSA PKCS#1 v1.5 and
//! SHA-256.

use cms::{
    cert::{CertificateChoices, IssuerAndSerialNumber},
    content_info::{CmsVersion, ContentInfo},
    signed_data::{CertificateSet, EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo},
};
use const_oid::ObjectIdentifier;
use der::{
    Any, Decode, Encode, Sequence,
    asn1::{Null, OctetString, SetOfVec},
};
use rsa::{
    RsaPrivateKey,
    pkcs1v15::SigningKey,
    pkcs8::DecodePrivateKey,
    signature::{SignatureEncoding, Signer as _},
};
use sha2::{Digest, Sha256};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{Certificate, attr::Attribute};
use x509_tsp::TstInfo;

use super::{kept::Kept, oid};

/// `SigningCertificateV2` (RFC 5035).
#[derive(Sequence)]
struct SigningCertificateV2 {
    certs: Vec<EssCertIdV2>,
}

/// `ESSCertIDv2`. Its hash algorithm is the default, SHA-256, which DER omits.
#[derive(Sequence)]
struct EssCertIdV2 {
    cert_hash: OctetString,
}

/// The authority's key with its certificate and the CA certificates above it.
pub(super) struct Signer {
    key: SigningKey<Sha256>,
    leaf: Certificate,
    chain: CertificateSet,
}

impl Signer {
    pub(super) fn read(kept: &Kept) -> Result<Self, String> {
        let key = hex::decode(&kept.private_key).map_err(|error| error.to_string())?;
        let key = RsaPrivateKey::from_pkcs8_der(&key).map_err(|error| error.to_string())?;
        let chain = Certificate::load_pem_chain(kept.chain_pem.as_bytes()).map_err(|error| error.to_string())?;
        let leaf = chain.first().cloned().ok_or("no certificate")?;
        let chain: Vec<_> = chain.into_iter().map(CertificateChoices::Certificate).collect();
        let chain = SetOfVec::try_from(chain).map_err(|error| error.to_string())?.into();
        Ok(Self { key: SigningKey::new(key), leaf, chain })
    }

    /// Signs a `TSTInfo`. Certificates are included only if the request asks for them.
    pub(super) fn sign(&self, info: &TstInfo, with_certificates: bool) -> der::Result<ContentInfo> {
        let info = info.to_der()?;
        let attributes = self.attributes(&info)?;
        // The signature covers the attributes' DER with the universal SET tag instead of the [0] of the message (RFC
        // 5652, 5.4).
        let signature = self.key.try_sign(&attributes.to_der()?).map_err(|_| der::ErrorKind::Failed)?;
        let signer = SignerInfo {
            version: CmsVersion::V1,
            sid: SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
                issuer: self.leaf.tbs_certificate.issuer.clone(),
                serial_number: self.leaf.tbs_certificate.serial_number.clone(),
            }),
            digest_alg: sha_256(),
            signed_attrs: Some(attributes),
            signature_algorithm: AlgorithmIdentifierOwned {
                oid: oid::SHA_256_WITH_RSA,
                parameters: Some(Any::from(Null)),
            },
            signature: OctetString::new(signature.to_vec())?,
            unsigned_attrs: None,
        };
        let signed_data = SignedData {
            // Version 3, because the content type is not `id-data` (RFC 5652, 5.1).
            version: CmsVersion::V3,
            digest_algorithms: SetOfVec::try_from(vec![sha_256()])?,
            encap_content_info: EncapsulatedContentInfo {
                econtent_type: oid::TST_INFO,
                econtent: Some(Any::encode_from(&OctetString::new(info)?)?),
            },
            certificates: with_certificates.then(|| self.chain.clone()),
            crls: None,
            signer_infos: SetOfVec::try_from(vec![signer])?.into(),
        };
        Ok(ContentInfo { content_type: oid::SIGNED_DATA, content: Any::encode_from(&signed_data)? })
    }

    fn attributes(&self, info: &[u8]) -> der::Result<SetOfVec<Attribute>> {
        let leaf = Sha256::digest(self.leaf.to_der()?);
        let signing_certificate =
            SigningCertificateV2 { certs: vec![EssCertIdV2 { cert_hash: OctetString::new(leaf.to_vec())? }] };
        SetOfVec::try_from(vec![
            attribute(oid::CONTENT_TYPE, &oid::TST_INFO)?,
            attribute(oid::MESSAGE_DIGEST, &OctetString::new(Sha256::digest(info).to_vec())?)?,
            attribute(oid::SIGNING_CERTIFICATE_V2, &signing_certificate)?,
        ])
    }
}

fn attribute(kind: ObjectIdentifier, value: &impl Encode) -> der::Result<Attribute> {
    let value = Any::from_der(&value.to_der()?)?;
    Ok(Attribute { oid: kind, values: SetOfVec::try_from(vec![value])? })
}

/// SHA-256 without parameters, as RFC 5754 recommends.
fn sha_256() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid: oid::SHA_256, parameters: None }
}
