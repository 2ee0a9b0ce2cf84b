//! Determines whether certificates were revoked, from CRLs and OCSP responses that the caller supplies; nothing is
//! downloaded.
//!
//! A list or response counts only if its own signature is valid and it is about the certificate and the time in
//! question. What remains unknown is reported as not checked.

mod answer;
mod issuer;
mod list;
mod signed;

use lacre_domain::clock::rfc3339_millis;
use lacre_proof::{bundle::Bundle, expiry::validity};
use time::OffsetDateTime;
use x509_cert::{Certificate, ext::pkix::CrlReason};

use self::{answer::Answer, list::List};

pub(super) use issuer::Issuer;

/// The CRLs and OCSP responses that the caller supplies.
#[derive(Default)]
pub struct Revocations {
    lists: Vec<List>,
    answers: Vec<Answer>,
}

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

/// The time and reason of a revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Revoked {
    pub(super) since: OffsetDateTime,
    pub(super) reason: Option<CrlReason>,
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
        bundle.lists.iter().try_for_each(|list| self.add_list(list))?;
        bundle.answers.iter().try_for_each(|answer| self.add_answer(answer))
    }

    /// The status of a certificate of the given issuer at the given time.
    ///
    /// # Errors
    /// A text that says why the status is unknown.
    pub(super) fn about(
        &self,
        certificate: &Certificate,
        issuer: &Issuer,
        at: OffsetDateTime,
    ) -> Result<Known, String> {
        let by_lists = self.lists.iter().filter_map(|list| list.about(certificate, issuer));
        let by_answers = self.answers.iter().flat_map(|answer| answer.about(certificate, issuer));
        let mut known: Option<Known> = None;
        let mut reasons = Vec::new();
        for word in by_lists.chain(by_answers) {
            match word.and_then(|word| word.at(certificate, at)) {
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
            true => "no CRL or OCSP response given".into(),
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

impl Revoked {
    /// Combines two revocations: the earlier time, and the more severe reason.
    fn and(self, other: &Self) -> Self {
        let reason = if self.key_is_safe() { other.reason } else { self.reason };
        Self { since: self.since.min(other.since), reason }
    }

    /// Whether the reason implies that the key was not compromised (RFC 3161, 4). A missing reason does not.
    pub(super) fn key_is_safe(&self) -> bool {
        use CrlReason::{AffiliationChanged, CessationOfOperation, Superseded, Unspecified};
        matches!(self.reason, Some(Unspecified | AffiliationChanged | Superseded | CessationOfOperation))
    }
}

/// The statement of a CRL or OCSP response about a certificate.
struct Word {
    revoked: Option<Revoked>,
    this_update: OffsetDateTime,
    /// When the statement was written: `thisUpdate` of a list, `producedAt` of a response.
    written: OffsetDateTime,
    /// If set, revoked certificates stay on the list if they expired at this time or later.
    names_ended_since: Option<OffsetDateTime>,
    /// See [`Known::responder`].
    responder: Option<String>,
}

impl Word {
    /// The status that the statement gives for a time. `nextUpdate` only announces another statement, so it does not
    /// make a certificate good.
    fn at(self, certificate: &Certificate, at: OffsetDateTime) -> Result<Known, String> {
        let end = validity(certificate).1;
        let published = self.this_update;
        let standing = match self.revoked {
            Some(revoked) => Standing::Revoked(revoked),
            None if self.written > end && self.names_ended_since.is_none_or(|since| since > end) => {
                let day = self.written.date();
                return Err(format!("the CRL or OCSP response of {day} does not cover expired certificates"));
            }
            None if published < at => {
                let time = rfc3339_millis(published).unwrap_or_default();
                return Err(format!("not revoked as of {time}, but no later CRL or OCSP response given"));
            }
            None => Standing::Good(published),
        };
        Ok(Known { standing, responder: self.responder })
    }
}
