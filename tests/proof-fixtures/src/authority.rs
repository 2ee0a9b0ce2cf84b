//! A timestamp authority in this process. The test sets its clock and can make its responses wrong.

use std::sync::{Mutex, OnceLock};

use cms::{
    cert::{CertificateChoices, IssuerAndSerialNumber},
    content_info::{CmsVersion, ContentInfo},
    signed_data::{EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo},
};
use const_oid::ObjectIdentifier;
use der::{
    Any, Decode, Encode, Sequence,
    asn1::{GeneralizedTime, Ia5String, Int, Null, OctetString, SetOfVec},
};
use lacre_pki::TimestampPki;
use lacre_proof::{Anchors, AskedTimestamp, TimestampFailure, TimestampRequest, TimestampSource, Token, TokenFault};
use rsa::pkcs8::DecodePrivateKey;
use sha2::{Digest, Sha256};
use signature::{SignatureEncoding, Signer};
use spki::AlgorithmIdentifierOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::{Certificate, attr::Attribute, ext::pkix::name::GeneralName};
use x509_tsp::{TimeStampReq, TspVersion, TstInfo};

pub const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
pub const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
pub const SHA_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
pub const SHA_256_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
pub const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
pub const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
pub const SIGNING_CERTIFICATE_V2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.47");

/// A timestamp authority with its certificate hierarchy.
pub struct Authority {
    pub key: rsa::pkcs1v15::SigningKey<Sha256>,
    /// The leaf and its issuing CA.
    pub chain: Vec<Certificate>,
    pub anchors_pem: String,
}

/// Changes that make a timestamp wrong, in the order in which its parts are built.
pub struct Lies {
    /// Changes the `TSTInfo`.
    pub info: fn(&mut TstInfo),
    /// Changes the signed attributes before they are signed.
    pub attributes: fn(&mut Vec<Attribute>),
    /// Changes the CMS message around the signature.
    pub message: fn(&mut SignedData),
}

/// No changes.
pub const NONE: Lies = Lies { info: |_| {}, attributes: |_| {}, message: |_| {} };

/// The authority gives itself a name that makes the timestamp 700 bytes longer, and not wrong.
pub const LONG_NAME: Lies = Lies {
    info: |info| {
        let name = Ia5String::new(&"n".repeat(700)).unwrap();
        info.tsa = Some(GeneralName::UniformResourceIdentifier(name));
    },
    ..NONE
};

#[derive(Sequence)]
struct Response {
    status: Status,
    token: ContentInfo,
}

#[derive(Sequence)]
struct Status {
    status: u32,
}

#[derive(Sequence)]
struct SigningCertificate {
    certs: Vec<CertificateId>,
}

#[derive(Sequence)]
struct CertificateId {
    hash: OctetString,
}

impl Authority {
    /// Creates an authority whose certificates are valid from three years ago until three years from now.
    pub fn new() -> Self {
        Self::since(OffsetDateTime::now_utc() - Duration::days(3 * 365))
    }

    /// Creates an authority whose certificates are valid for six years.
    pub fn since(since: OffsetDateTime) -> Self {
        let pki = TimestampPki::generate(since).unwrap();
        let issued = pki.issue(since).unwrap();
        let key = rsa::RsaPrivateKey::from_pkcs8_der(&issued.pkcs8_der).unwrap();
        Self {
            key: rsa::pkcs1v15::SigningKey::new(key),
            chain: Certificate::load_pem_chain(issued.chain_pem.as_bytes()).unwrap(),
            anchors_pem: pki.anchors_pem().unwrap(),
        }
    }

    /// An authority that all tests of a process share, because generating RSA keys is slow.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Authority> = OnceLock::new();
        SHARED.get_or_init(Self::new)
    }

    pub fn anchors(&self) -> Anchors {
        Anchors::from_pem(&self.anchors_pem).unwrap()
    }

    /// Answers a `TimeStampReq` with a timestamp of this time.
    pub fn answer(&self, query: &[u8], at: OffsetDateTime, lies: &Lies) -> Vec<u8> {
        let request = TimeStampReq::from_der(query).unwrap();
        let since_epoch = std::time::Duration::from_secs(at.unix_timestamp() as u64);
        let mut info = TstInfo {
            version: TspVersion::V1,
            policy: ObjectIdentifier::new_unwrap("1.3.6.1.4.1.32473.3161"),
            message_imprint: request.message_imprint,
            serial_number: Int::new(&[0x2A]).unwrap(),
            gen_time: GeneralizedTime::from_unix_duration(since_epoch).unwrap(),
            accuracy: None,
            ordering: false,
            nonce: request.nonce,
            tsa: None,
            extensions: None,
        };
        (lies.info)(&mut info);
        self.respond(&info.to_der().unwrap(), lies)
    }

    /// Signs any content as if it were a `TSTInfo`.
    pub fn respond(&self, info: &[u8], lies: &Lies) -> Vec<u8> {
        let leaf = Sha256::digest(self.chain[0].to_der().unwrap()).to_vec();
        let named = SigningCertificate { certs: vec![CertificateId { hash: OctetString::new(leaf).unwrap() }] };
        let mut attributes = vec![
            attribute(CONTENT_TYPE, &TST_INFO),
            attribute(MESSAGE_DIGEST, &OctetString::new(Sha256::digest(info).to_vec()).unwrap()),
            attribute(SIGNING_CERTIFICATE_V2, &named),
        ];
        (lies.attributes)(&mut attributes);
        let attributes = SetOfVec::try_from(attributes).unwrap();
        let signature = self.key.sign(&attributes.to_der().unwrap());
        let signer = SignerInfo {
            version: CmsVersion::V1,
            sid: SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
                issuer: self.chain[0].tbs_certificate.issuer.clone(),
                serial_number: self.chain[0].tbs_certificate.serial_number.clone(),
            }),
            digest_alg: sha_256(),
            signed_attrs: Some(attributes),
            signature_algorithm: AlgorithmIdentifierOwned { oid: SHA_256_WITH_RSA, parameters: Some(Any::from(Null)) },
            signature: OctetString::new(signature.to_vec()).unwrap(),
            unsigned_attrs: None,
        };
        let certificates: Vec<_> = self.chain.iter().cloned().map(CertificateChoices::Certificate).collect();
        let mut message = SignedData {
            version: CmsVersion::V3,
            digest_algorithms: SetOfVec::try_from(vec![sha_256()]).unwrap(),
            encap_content_info: EncapsulatedContentInfo {
                econtent_type: TST_INFO,
                econtent: Some(Any::encode_from(&OctetString::new(info).unwrap()).unwrap()),
            },
            certificates: Some(SetOfVec::try_from(certificates).unwrap().into()),
            crls: None,
            signer_infos: SetOfVec::try_from(vec![signer]).unwrap().into(),
        };
        (lies.message)(&mut message);
        let token = ContentInfo { content_type: SIGNED_DATA, content: Any::encode_from(&message).unwrap() };
        Response { status: Status { status: 0 }, token }.to_der().unwrap()
    }

    /// Requests a timestamp and parses the response.
    pub fn stamp(&self, message: &[u8], at: OffsetDateTime, lies: &Lies) -> Result<Token, TokenFault> {
        let request = TimestampRequest::new(Sha256::digest(message).into(), [7; 16]).unwrap();
        request.open(&self.answer(request.der(), at, lies), &self.anchors(), at)
    }
}

/// Changes the signer info of a response.
pub fn altered(answer: &[u8], change: impl FnOnce(&mut SignerInfo)) -> Vec<u8> {
    let Response { status, token } = Response::from_der(answer).unwrap();
    let mut message: SignedData = token.content.decode_as().unwrap();
    let mut signer = message.signer_infos.0.get(0).unwrap().clone();
    change(&mut signer);
    message.signer_infos = SetOfVec::try_from(vec![signer]).unwrap().into();
    let token = ContentInfo { content_type: token.content_type, content: Any::encode_from(&message).unwrap() };
    Response { status, token }.to_der().unwrap()
}

pub fn attribute(oid: ObjectIdentifier, value: &impl Encode) -> Attribute {
    let value = Any::from_der(&value.to_der().unwrap()).unwrap();
    Attribute { oid, values: SetOfVec::try_from(vec![value]).unwrap() }
}

pub fn sha_256() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid: SHA_256, parameters: None }
}

/// Timestamps with a fixed time that answers only the chosen requests and records all of them.
pub struct Stamping<'a> {
    pub authority: &'a Authority,
    pub at: OffsetDateTime,
    pub lies: &'a Lies,
    /// Whether it answers the first and the second request.
    pub answers: [bool; 2],
    pub asked: Mutex<Vec<[u8; 32]>>,
}

impl<'a> Stamping<'a> {
    pub fn new(authority: &'a Authority, at: OffsetDateTime) -> Self {
        Self { authority, at, lies: &NONE, answers: [true; 2], asked: Mutex::default() }
    }
}

impl TimestampSource for Stamping<'_> {
    fn timestamp(&self, message_sha256: [u8; 32]) -> AskedTimestamp<'_> {
        Box::pin(async move {
            let mut asked = self.asked.lock().unwrap();
            asked.push(message_sha256);
            if !self.answers[asked.len() - 1] {
                return Err(TimestampFailure("no answer".into()));
            }
            let request = TimestampRequest::new(message_sha256, [7; 16]).unwrap();
            let answer = self.authority.answer(request.der(), self.at, self.lies);
            request
                .open(&answer, &self.authority.anchors(), self.at)
                .map_err(|fault| TimestampFailure(fault.to_string()))
        })
    }
}
