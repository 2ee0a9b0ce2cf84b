//! The OCSP response that a manifest carries about the certificate of its claim signer (C2PA 2.4, 14.5.2: `rVals`), and
//! the request for it (RFC 6960).

use der::{Decode, Encode, asn1::OctetString};
use lacre_domain::clock::rfc3339_millis;
use sha1::{Digest, Sha1};
use spki::AlgorithmIdentifierOwned;
use time::{Duration, OffsetDateTime};
use x509_cert::{Certificate, ext::pkix::AuthorityInfoAccessSyntax};
use x509_ocsp::{CertId, OcspRequest, Request, TbsRequest};

use super::{Answer, Issuer, Revoked, answer::SHA_1};
use crate::{
    certificate::{Chain, extension},
    claim_profile::{OCSP, http_address},
};

/// Maximum size of a staple in bytes. A response with its responder's certificate has about 2 KB, and every capture reads
/// and embeds it.
pub const MAX_STAPLE: usize = 8 * 1024;

/// The time for which a staple must still be current when it is embedded. The C2PA library takes a response whose
/// `nextUpdate` precedes the timestamp of the claim for a revocation, and a timestamp is at most a few minutes later than
/// the ingest ([`crate::times`]).
pub const STAPLE_MARGIN: Duration = Duration::minutes(15);

const _: () = assert!(
    crate::times::TIMESTAMP.end().whole_seconds() < STAPLE_MARGIN.whole_seconds(),
    "a staple outlasts the timestamp"
);

/// An OCSP response that says that the leaf of a chain is not revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staple {
    der: Vec<u8>,
    this_update: OffsetDateTime,
    next_update: OffsetDateTime,
}

/// Why an OCSP response is not a staple.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StapleFault {
    /// A valid response says that the certificate is revoked.
    #[error("the certificate was revoked on {}", .0.since.date())]
    Revoked(Revoked),
    /// The response is not valid, or not about the certificate.
    #[error("{0}")]
    Invalid(String),
}

impl From<String> for StapleFault {
    fn from(fault: String) -> Self {
        Self::Invalid(fault)
    }
}

impl Staple {
    /// Checks an `OCSPResponse` (DER) about the leaf of a chain that contains its issuer, like [`Self::check_by`].
    ///
    /// # Errors
    /// [`StapleFault`].
    pub fn check(der: &[u8], chain: &Chain) -> Result<Self, StapleFault> {
        Self::check_by(&Issuer::of_authority(issuer_der(chain)?)?, der, chain)
    }

    /// Checks an `OCSPResponse` (DER) about the leaf of a chain: it has one statement, which is about this certificate and
    /// says that it is not revoked; it states its `nextUpdate`; it is signed by the given issuer of the leaf, or by a
    /// responder of that issuer whose certificate is embedded; and it is canonical DER, with no other certificate than the
    /// responder's and those of the chain.
    ///
    /// # Errors
    /// [`StapleFault`].
    pub fn check_by(issuer: &Issuer, der: &[u8], chain: &Chain) -> Result<Self, StapleFault> {
        if der.len() > MAX_STAPLE {
            return Err(format!("the OCSP response has {} bytes; the limit is {MAX_STAPLE}", der.len()).into());
        }
        let (word, next_update) = Answer::read(der)?.sole_word(der, chain.leaf(), issuer, chain.der())?;
        if let Some(revoked) = word.revoked {
            return Err(StapleFault::Revoked(revoked));
        }
        let next_update = next_update.ok_or_else(|| "the OCSP response has no nextUpdate".to_owned())?;
        Ok(Self { der: der.to_vec(), this_update: word.this_update, next_update })
    }

    /// The response in DER.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// When the responder knew that the certificate was not revoked.
    #[must_use]
    pub fn this_update(&self) -> OffsetDateTime {
        self.this_update
    }

    /// When the responder will know more.
    #[must_use]
    pub fn next_update(&self) -> OffsetDateTime {
        self.next_update
    }

    /// Checks that the response may be embedded at `now`: it is not of a later time, and stays current for
    /// [`STAPLE_MARGIN`].
    ///
    /// # Errors
    /// A text with the time of the response.
    pub fn check_current(&self, now: OffsetDateTime) -> Result<(), String> {
        if self.this_update > now {
            return Err(format!("the OCSP response is of a later time, {}", shown(self.this_update)));
        }
        self.check_next_update(now + STAPLE_MARGIN)
    }

    /// Checks that the response was current when the claim was signed.
    ///
    /// # Errors
    /// A text with both times.
    pub fn check_next_update(&self, at: OffsetDateTime) -> Result<(), String> {
        match self.next_update < at {
            true => Err(format!(
                "the nextUpdate of the OCSP response, {}, is before {}",
                shown(self.next_update),
                shown(at)
            )),
            false => Ok(()),
        }
    }
}

/// The URL of the OCSP responder that a certificate names (`id-ad-ocsp`), if it is an HTTP URL.
///
/// # Errors
/// A text, if the extension cannot be parsed.
pub fn ocsp_address(certificate: &Certificate) -> Result<Option<String>, String> {
    let access = extension::<AuthorityInfoAccessSyntax>(certificate)?.map_or_else(Vec::new, |(_, access)| access.0);
    let mut responders = access.iter().filter(|each| each.access_method == OCSP);
    Ok(responders.find_map(|each| http_address(&each.access_location)))
}

/// An `OCSPRequest` (DER) about the leaf of a chain, which has to contain the leaf's issuer. It has no nonce, so that a
/// responder may answer with a prepared response, and identifies the issuer by SHA-1, as all responders know (RFC 5019).
///
/// # Errors
/// A text, if the chain lacks the issuer or cannot be encoded.
pub fn ocsp_request(chain: &Chain) -> Result<Vec<u8>, String> {
    let issuer = Certificate::from_der(issuer_der(chain)?).map_err(encoding)?.tbs_certificate;
    let hash = |bytes: &[u8]| OctetString::new(Sha1::digest(bytes).to_vec());
    let name = issuer.subject.to_der().map_err(encoding)?;
    let req_cert = CertId {
        hash_algorithm: AlgorithmIdentifierOwned { oid: SHA_1, parameters: Some(der::Any::null()) },
        issuer_name_hash: hash(&name).map_err(encoding)?,
        issuer_key_hash: hash(issuer.subject_public_key_info.subject_public_key.raw_bytes()).map_err(encoding)?,
        serial_number: chain.leaf().tbs_certificate.serial_number.clone(),
    };
    let request_list = vec![Request { req_cert, single_request_extensions: None }];
    let tbs_request = TbsRequest { request_list, ..TbsRequest::default() };
    OcspRequest { tbs_request, optional_signature: None }.to_der().map_err(encoding)
}

/// The certificate of the leaf's issuer, in DER.
fn issuer_der(chain: &Chain) -> Result<&[u8], String> {
    chain.der().get(1).map(Vec::as_slice).ok_or_else(|| "the chain lacks the certificate of the leaf's issuer".into())
}

fn encoding(error: der::Error) -> String {
    format!("cannot encode the OCSP request: {error}")
}

fn shown(time: OffsetDateTime) -> String {
    rfc3339_millis(time).unwrap_or_default()
}
