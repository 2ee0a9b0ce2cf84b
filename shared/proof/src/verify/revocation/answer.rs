//! OCSP answers (RFC 6960), by the issuer itself or by one who answers in its name.

use const_oid::ObjectIdentifier;
use der::{Decode, Encode};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use x509_cert::{Certificate, ext::pkix::ExtendedKeyUsage};
use x509_ocsp::{
    CertId, CertStatus, OcspGeneralizedTime, OcspResponse, OcspResponseStatus, ResponseData, SingleResponse,
};

use super::{Issuer, Revoked, Word, signed::Signed};
use crate::{oid, purpose::extension};

const BASIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.1");
const OCSP_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.9");
const SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.14.3.2.26");

/// An answer as it was given.
pub(super) struct Answer {
    signed: Signed,
    content: ResponseData,
}

impl Answer {
    /// Reads an `OCSPResponse` in DER.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let unreadable = |error: der::Error| format!("the OCSP answer cannot be read: {error}");
        let response = OcspResponse::from_der(bytes).map_err(unreadable)?;
        let basic = response.response_bytes.filter(|basic| basic.response_type == BASIC);
        let (OcspResponseStatus::Successful, Some(basic)) = (response.response_status, basic) else {
            return Err(format!("the OCSP answer is none: {:?}", response.response_status));
        };
        let signed = Signed::from_der(basic.response.as_bytes()).map_err(unreadable)?;
        Ok(Self { content: signed.decode().map_err(unreadable)?, signed })
    }

    /// What it says about a certificate of that issuer; `None` where it is about others.
    pub(super) fn about(&self, certificate: &Certificate, issuer: &Issuer) -> Option<Result<Word, String>> {
        let single = self.content.responses.iter().find(|single| is_about(&single.cert_id, certificate, issuer))?;
        Some(self.check_signature(issuer).and_then(|()| word(single)))
    }

    /// RFC 6960, 4.2.2.2: by the issuer's key, or by that of a certificate which it issued for this.
    fn check_signature(&self, issuer: &Issuer) -> Result<(), String> {
        if self.signed.is_by(&issuer.key) {
            return Ok(());
        }
        let produced_at = moment(&self.content.produced_at);
        let may_answer = |certificate: &&Certificate| {
            let usages = extension::<ExtendedKeyUsage>(certificate).ok().flatten();
            let is_issued =
                certificate.to_der().is_ok_and(|der| issuer.anchor.check_path(&der, &[], produced_at).is_ok());
            is_issued && usages.is_some_and(|(_, usages)| usages.0.contains(&OCSP_SIGNING))
        };
        let mut responders = self.signed.certificates.iter().flatten().filter(may_answer);
        match responders.any(|responder| self.signed.is_by(&responder.tbs_certificate.subject_public_key_info)) {
            true => Ok(()),
            false => Err(format!("an answer in the name of {} is not signed by it", issuer.name)),
        }
    }
}

/// The hashes only tell issuers apart: SHA-1 is what most answers have.
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

fn word(single: &SingleResponse) -> Result<Word, String> {
    if single.single_extensions.iter().flatten().any(|extension| extension.critical) {
        return Err("an answer with something critical that is not understood".into());
    }
    let revoked = match &single.cert_status {
        CertStatus::Good(_) => None,
        CertStatus::Revoked(info) => {
            Some(Revoked { since: moment(&info.revocation_time), reason: info.revocation_reason })
        }
        CertStatus::Unknown(_) => return Err("an answer that does not know the certificate".into()),
    };
    Ok(Word {
        revoked,
        this_update: moment(&single.this_update),
        next_update: single.next_update.as_ref().map(moment),
        // An answer is about the certificate that was asked for, ended or not.
        names_ended: true,
    })
}

fn moment(time: &OcspGeneralizedTime) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + time.0.to_unix_duration()
}
