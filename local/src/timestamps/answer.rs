//! The authority's response: a timestamp, or a failure with its reason (RFC 3161, 2.4).

use std::sync::Arc;

use cms::content_info::ContentInfo;
use const_oid::ObjectIdentifier;
use der::{
    Decode, Encode, Sequence,
    asn1::{BitString, GeneralizedTime, Int},
};
use lacre_domain::Clock;
use x509_tsp::{Accuracy, MessageImprint, TimeStampReq, TspVersion, TstInfo};

use super::{kept::Kept, oid, token::Signer};

/// Policy OID of the timestamps, in the arc reserved for documentation (RFC 5612).
const POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.32473.3161");
/// Accepted hash algorithms with the length of their digests in bytes.
const DIGESTS: [(ObjectIdentifier, usize); 3] = [(oid::SHA_256, 32), (oid::SHA_384, 48), (oid::SHA_512, 64)];

/// `TimeStampResp` (RFC 3161, 2.4.2). `PKIStatusInfo` is defined here because `cmpv2` 0.2 misreads the numbers of
/// `PKIFailureInfo`.
#[derive(Sequence)]
struct Response {
    status: Status,
    #[asn1(optional = "true")]
    token: Option<ContentInfo>,
}

/// `PKIStatusInfo`.
#[derive(Sequence)]
struct Status {
    status: u8,
    #[asn1(optional = "true")]
    text: Option<Vec<String>>,
    #[asn1(optional = "true")]
    failure: Option<BitString>,
}

const GRANTED: u8 = 0;
const REJECTION: u8 = 2;

/// Failure reasons, by their bit in `PKIFailureInfo`.
#[derive(Clone, Copy)]
enum FailureInfo {
    BadAlgorithm = 0,
    BadRequest = 2,
    BadDataFormat = 5,
    UnacceptedPolicy = 15,
    UnacceptedExtension = 16,
}

/// The authority behind the HTTP route.
pub(super) struct Responder {
    signer: Signer,
    clock: Arc<dyn Clock>,
}

impl Responder {
    pub(super) fn new(kept: &Kept, clock: Arc<dyn Clock>) -> Result<Self, String> {
        Ok(Self { signer: Signer::read(kept)?, clock })
    }

    /// Answers a request; both are in DER.
    pub(super) fn answer(&self, query: &[u8]) -> der::Result<Vec<u8>> {
        let response = match accept(query) {
            Ok(request) => {
                let token = self.signer.sign(&self.info(&request)?, request.cert_req)?;
                Response { status: Status { status: GRANTED, text: None, failure: None }, token: Some(token) }
            }
            Err(refusal) => Response { status: refusal.status()?, token: None },
        };
        response.to_der()
    }

    fn info(&self, request: &TimeStampReq) -> der::Result<TstInfo> {
        let seconds = u64::try_from(self.clock.now().unix_timestamp()).map_err(|_| der::ErrorKind::DateTime)?;
        // The leading byte makes it a positive integer in shortest form. RFC 3161 allows serial numbers of 160 bits.
        let serial = [&[0x01][..], &lacre_storage::entropy::<15>()].concat();
        Ok(TstInfo {
            version: TspVersion::V1,
            policy: POLICY,
            message_imprint: request.message_imprint.clone(),
            serial_number: Int::new(&serial)?,
            gen_time: GeneralizedTime::from_unix_duration(std::time::Duration::from_secs(seconds))?,
            accuracy: Some(Accuracy { seconds: Some(1), millis: None, micros: None }),
            ordering: false,
            nonce: request.nonce.clone(),
            tsa: None,
            extensions: None,
        })
    }
}

fn accept(query: &[u8]) -> Result<TimeStampReq, FailureInfo> {
    let request = TimeStampReq::from_der(query).map_err(|_| FailureInfo::BadRequest)?;
    check_imprint(&request.message_imprint)?;
    if request.req_policy.is_some_and(|policy| policy != POLICY) {
        return Err(FailureInfo::UnacceptedPolicy);
    }
    match request.extensions {
        Some(_) => Err(FailureInfo::UnacceptedExtension),
        None => Ok(request),
    }
}

fn check_imprint(imprint: &MessageImprint) -> Result<(), FailureInfo> {
    let known = DIGESTS.iter().find(|(algorithm, _)| *algorithm == imprint.hash_algorithm.oid);
    let (_, length) = known.ok_or(FailureInfo::BadAlgorithm)?;
    match imprint.hashed_message.as_bytes().len() == *length {
        true => Ok(()),
        false => Err(FailureInfo::BadDataFormat),
    }
}

impl FailureInfo {
    fn status(self) -> der::Result<Status> {
        let text = match self {
            Self::BadAlgorithm => "the hash algorithm must be SHA-256, SHA-384 or SHA-512",
            Self::BadRequest => "the body is not a timestamp request",
            Self::BadDataFormat => "the digest length does not match its algorithm",
            Self::UnacceptedPolicy => "the policy must be 1.3.6.1.4.1.32473.3161",
            Self::UnacceptedExtension => "extensions are not supported",
        };
        let bit = self as usize;
        let mut bits = vec![0; bit / 8 + 1];
        if let Some(last) = bits.last_mut() {
            *last = 0x80 >> (bit % 8);
        }
        // In DER, a named bit list ends with its last set bit.
        let unused = (7 - bit % 8) as u8;
        let failure = BitString::new(unused, bits)?;
        Ok(Status { status: REJECTION, text: Some(vec![text.to_owned()]), failure: Some(failure) })
    }
}
