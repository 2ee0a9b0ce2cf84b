//! OCSP responses (RFC 6960), signed by the issuer itself or by a delegated responder.

use const_oid::{AssociatedOid, ObjectIdentifier};
use der::{Any, Decode, Encode, Sequence, asn1::OctetString};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use x509_cert::{
    Certificate,
    ext::{
        Extensions,
        pkix::{ExtendedKeyUsage, KeyUsages},
    },
};
use x509_ocsp::{
    CertId, CertStatus, OcspGeneralizedTime, OcspResponse, OcspResponseStatus, ResponseBytes, SingleResponse, Version,
    ext::ArchiveCutoff,
};

use super::{Issuer, Revoked, Signed, Word};
use crate::{apart::Apart, certificate::extension, der_bounds, oid, purpose::check_key_usage};

const BASIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.1");
const OCSP_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.9");
const NO_CHECK: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.5");
pub(super) const SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.14.3.2.26");

const NOT_UNDERSTOOD: &str = "the OCSP response has an unrecognized critical extension";

/// An OCSP response.
pub struct Answer {
    signed: Signed,
    content: ResponseData,
}

/// `ResponseData` (RFC 6960, 4.2.1). The responder's name is not needed: its key is found by the signature.
#[derive(Sequence)]
struct ResponseData {
    #[asn1(context_specific = "0", default = "Default::default", tag_mode = "EXPLICIT")]
    version: Version,
    responder_id: Any,
    produced_at: OcspGeneralizedTime,
    responses: Vec<Apart<SingleResponse>>,
    #[asn1(context_specific = "1", optional = "true", tag_mode = "EXPLICIT")]
    response_extensions: Option<Apart<Extensions>>,
}

impl Answer {
    /// Parses an `OCSPResponse` in DER.
    ///
    /// # Errors
    /// A text, if it cannot be parsed or is an error response.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let too_many = |fault| format!("cannot decode the OCSP response: {fault}");
        der_bounds::check_sets(bytes).map_err(too_many)?;
        let unreadable = |error: der::Error| format!("cannot decode the OCSP response: {error}");
        let response = OcspResponse::from_der(bytes).map_err(unreadable)?;
        let basic = response.response_bytes.filter(|basic| basic.response_type == BASIC);
        let (OcspResponseStatus::Successful, Some(basic)) = (response.response_status, basic) else {
            return Err(format!(
                "the OCSP response has the status {:?}, or is not a basic response",
                response.response_status
            ));
        };
        der_bounds::check_sets(basic.response.as_bytes()).map_err(too_many)?;
        let signed = Signed::from_der(basic.response.as_bytes()).map_err(unreadable)?;
        Ok(Self { content: signed.decode().map_err(unreadable)?, signed })
    }

    /// The response's statements about a certificate of the given issuer; empty if it is about other certificates.
    pub fn about(&self, certificate: &Certificate, issuer: &Issuer) -> Vec<Result<Word, String>> {
        let singles = self.content.responses.iter().map(|Apart(single)| single);
        let singles: Vec<_> = singles.filter(|single| is_about(&single.cert_id, certificate, issuer)).collect();
        if singles.is_empty() {
            return Vec::new();
        }
        match self.check(issuer) {
            Ok(responder) => {
                let responder = responder.and_then(unchecked);
                singles.into_iter().map(|single| self.word(single, responder.clone())).collect()
            }
            Err(fault) => vec![Err(fault)],
        }
    }

    /// The statement of a response that has only this one, with its `nextUpdate`. No byte of such a response can be changed
    /// without notice: it is canonical DER, and each embedded certificate is the responder's or one of `chain` (DER).
    ///
    /// # Errors
    /// A text, if the response has another form, is about another certificate or is not valid.
    pub fn sole_word(
        &self,
        der: &[u8],
        certificate: &Certificate,
        issuer: &Issuer,
        chain: &[Vec<u8>],
    ) -> Result<(Word, Option<OffsetDateTime>), String> {
        let [Apart(single)] = self.content.responses.as_slice() else {
            return Err(format!("the OCSP response has {} statements instead of one", self.content.responses.len()));
        };
        if !is_about(&single.cert_id, certificate, issuer) {
            return Err("the OCSP response is about another certificate".into());
        }
        let responder = self.check(issuer)?;
        let is_known =
            |found: &Certificate| responder == Some(found) || found.to_der().is_ok_and(|der| chain.contains(&der));
        if !self.certificates().all(is_known) {
            return Err("the OCSP response has a certificate that it does not need".into());
        }
        if !self.to_der().is_ok_and(|written| written == der) {
            return Err("the OCSP response is not in canonical DER".into());
        }
        let word = self.word(single, responder.and_then(unchecked))?;
        Ok((word, single.next_update.as_ref().map(moment)))
    }

    /// The certificates that came with the response.
    fn certificates(&self) -> impl Iterator<Item = &Certificate> {
        self.signed.certificates.iter().flatten().map(|Apart(certificate)| certificate)
    }

    /// The `OCSPResponse` in DER.
    fn to_der(&self) -> der::Result<Vec<u8>> {
        let basic = ResponseBytes { response_type: BASIC, response: OctetString::new(self.signed.to_der()?)? };
        OcspResponse { response_status: OcspResponseStatus::Successful, response_bytes: Some(basic) }.to_der()
    }

    /// Checks what all statements of the response share. Returns the delegated responder, if the issuer did not sign it
    /// itself.
    fn check(&self, issuer: &Issuer) -> Result<Option<&Certificate>, String> {
        if has_critical(self.content.response_extensions.as_ref().map(|Apart(extensions)| extensions)) {
            return Err(NOT_UNDERSTOOD.into());
        }
        if self.signed.is_by(&issuer.key) {
            return Ok(None);
        }
        let mut responders = self.certificates().filter(|found| self.may_answer(found, issuer));
        match responders.find(|found| self.signed.is_by(&found.tbs_certificate.subject_public_key_info)) {
            Some(responder) => Ok(Some(responder)),
            None => Err(format!(
                "the signature of the OCSP response is neither by {} nor by an authorized responder",
                issuer.name
            )),
        }
    }

    /// Whether a certificate may sign responses (RFC 6960, 4.2.2.2): its issuer made it for this purpose, and it is
    /// valid at `producedAt`. `producedAt` limits `thisUpdate`, so such a response says nothing about the time after
    /// the responder's certificate expired.
    fn may_answer(&self, responder: &Certificate, issuer: &Issuer) -> bool {
        let produced_at = moment(&self.content.produced_at);
        let usages = extension::<ExtendedKeyUsage>(responder).ok().flatten();
        let signs = check_key_usage(responder, KeyUsages::DigitalSignature.into()).is_ok();
        let is_issued = responder.to_der().is_ok_and(|der| issuer.anchor.path(&der, &[], &[], produced_at).is_ok());
        signs && is_issued && usages.is_some_and(|(_, usages)| usages.0.contains(&OCSP_SIGNING))
    }

    fn word(&self, single: &SingleResponse, responder: Option<String>) -> Result<Word, String> {
        if has_critical(single.single_extensions.as_ref()) {
            return Err(NOT_UNDERSTOOD.into());
        }
        let (this_update, produced_at) = (moment(&single.this_update), moment(&self.content.produced_at));
        if this_update > produced_at {
            return Err("the thisUpdate of the OCSP response is later than its producedAt".into());
        }
        let revoked = match &single.cert_status {
            CertStatus::Good(_) => None,
            CertStatus::Revoked(info) => {
                Some(Revoked { since: moment(&info.revocation_time), reason: info.revocation_reason })
            }
            CertStatus::Unknown(_) => return Err("the OCSP response gives the certificate status unknown".into()),
        };
        let names_ended_since = archive_cutoff(single)?;
        Ok(Word { revoked, this_update, written: produced_at, names_ended_since, responder })
    }
}

fn has_critical(extensions: Option<&Extensions>) -> bool {
    extensions.into_iter().flatten().any(|extension| extension.critical)
}

/// The responder's name, unless its issuer states that its revocation need not be checked (RFC 6960, 4.2.2.2.1).
fn unchecked(responder: &Certificate) -> Option<String> {
    let mut extensions = responder.tbs_certificate.extensions.iter().flatten();
    let is_exempt = extensions.any(|extension| extension.extn_id == NO_CHECK);
    (!is_exempt).then(|| responder.tbs_certificate.subject.to_string())
}

/// The time since when "good" also covers expired certificates; without it, "good" is promised only for valid ones (RFC
/// 6960, 2.2 and 4.4.4).
fn archive_cutoff(single: &SingleResponse) -> Result<Option<OffsetDateTime>, String> {
    let mut extensions = single.single_extensions.iter().flatten();
    let found = extensions.find(|extension| extension.extn_id == ArchiveCutoff::OID);
    let time = found.map(|extension| OcspGeneralizedTime::from_der(extension.extn_value.as_bytes())).transpose();
    time.map(|time| time.as_ref().map(moment))
        .map_err(|error| format!("cannot decode the archive cutoff of the OCSP response: {error}"))
}

/// Whether a statement is about the certificate. The hashes only identify the issuer, so SHA-1, which most responses
/// use, is acceptable.
fn is_about(id: &CertId, certificate: &Certificate, issuer: &Issuer) -> bool {
    let hash = |bytes: &[u8]| match id.hash_algorithm.oid {
        SHA_1 => Some(Sha1::digest(bytes).to_vec()),
        oid::SHA_256 => Some(Sha256::digest(bytes).to_vec()),
        _ => None,
    };
    let name = issuer.name.to_der().ok().and_then(|name| hash(&name));
    id.serial_number == certificate.tbs_certificate.serial_number
        && certificate.tbs_certificate.issuer == issuer.name
        && name.as_deref() == Some(id.issuer_name_hash.as_bytes())
        && hash(issuer.key.subject_public_key.raw_bytes()).as_deref() == Some(id.issuer_key_hash.as_bytes())
}

fn moment(time: &OcspGeneralizedTime) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + time.0.to_unix_duration()
}
