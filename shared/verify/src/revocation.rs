//! Determines whether certificates were revoked, from CRLs and OCSP responses that the caller supplies; nothing is
//! downloaded.
//!
//! A list or response counts only if its own signature is valid and it is about the certificate and the time in
//! question. What remains unknown is reported as not checked.

use lacre_domain::clock::rfc3339_millis;
use lacre_proof::{
    bundle::Bundle,
    expiry::validity,
    revocation::{Answer, Issuer, List, Revoked, Word},
};
use time::OffsetDateTime;
use x509_cert::Certificate;

/// The CRLs and OCSP responses that the caller supplies.
#[derive(Default)]
pub struct Revocations {
    lists: Vec<List>,
    answers: Vec<Answer>,
}

const NONE_GIVEN: &str = "no CRL or OCSP response given";

/// The status of a certificate at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) standing: Standing,
    /// The name of a delegated responder whose own revocation was not checked.
    pub(super) responder: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Revoked, before or after the validation time.
    Revoked(Revoked),
    /// Not revoked at the validation time, according to a statement that was published at this time, which is not
    /// earlier.
    Good(OffsetDateTime),
}

impl Revocations {
    /// Adds a revocation list in DER, or all those of a file in PEM.
    ///
    /// # Errors
    /// A text, if it cannot be parsed.
    pub fn add_list(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.lists.extend(List::read(bytes)?);
        Ok(())
    }

    /// Adds an OCSP response (`OCSPResponse`) in DER.
    ///
    /// # Errors
    /// A text, if it cannot be parsed or is an error response.
    pub fn add_answer(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.answers.push(Answer::read(bytes)?);
        Ok(())
    }

    /// Adds the revocation lists and OCSP responses of an evidence bundle.
    ///
    /// # Errors
    /// A text, if one cannot be parsed.
    pub fn add_bundle(&mut self, bundle: &Bundle) -> Result<(), String> {
        for list in &bundle.lists {
            self.lists.push(List::of_der(list)?);
        }
        bundle.answers.iter().try_for_each(|answer| self.add_answer(answer))
    }

    /// The status of a certificate of the given issuer at the given time. `stapled` is the OCSP response that the file
    /// itself carries.
    ///
    /// # Errors
    /// A text that says why the status is unknown.
    pub(super) fn about(
        &self,
        certificate: &Certificate,
        issuer: &Issuer,
        stapled: Option<&Answer>,
        at: OffsetDateTime,
    ) -> Result<Known, String> {
        let by_lists = self.lists.iter().filter_map(|list| list.about(certificate, issuer));
        let by_answers = self.answers.iter().chain(stapled).flat_map(|answer| answer.about(certificate, issuer));
        let mut known: Option<Known> = None;
        let mut reasons = Vec::new();
        for word in by_lists.chain(by_answers) {
            match word.and_then(|word| known_at(word, certificate, at)) {
                Ok(found) => {
                    known = Some(match known {
                        Some(known) => known.and(found),
                        None => found,
                    });
                }
                Err(reason) => reasons.push(reason),
            }
        }
        known.ok_or_else(|| match reasons.is_empty() {
            true => NONE_GIVEN.into(),
            false => reasons.join("; "),
        })
    }
}

impl Known {
    /// Combines two statements: a revocation outweighs everything else.
    fn and(self, other: Self) -> Self {
        match (&self.standing, &other.standing) {
            (Standing::Revoked(one), Standing::Revoked(another)) => Self {
                standing: Standing::Revoked(one.clone().and(another)),
                responder: self.responder.or(other.responder),
            },
            (Standing::Revoked(_), Standing::Good(_)) => self,
            (Standing::Good(_), Standing::Revoked(_)) => other,
            (Standing::Good(one), Standing::Good(another)) => {
                match (self.responder.is_none(), one) >= (other.responder.is_none(), another) {
                    true => self,
                    false => other,
                }
            }
        }
    }
}

/// The status that a statement gives for a time. `nextUpdate` only announces another statement, so it does not make a
/// certificate good.
fn known_at(word: Word, certificate: &Certificate, at: OffsetDateTime) -> Result<Known, String> {
    let end = validity(certificate).1;
    let published = word.this_update;
    let standing = match word.revoked {
        Some(revoked) => Standing::Revoked(revoked),
        None if word.written > end && word.names_ended_since.is_none_or(|since| since > end) => {
            let day = word.written.date();
            return Err(format!("the CRL or OCSP response of {day} does not cover expired certificates"));
        }
        None if published < at => {
            let time = rfc3339_millis(published).unwrap_or_default();
            return Err(format!("not revoked as of {time}, but no later CRL or OCSP response given"));
        }
        None => Standing::Good(published),
    };
    Ok(Known { standing, responder: word.responder })
}
