//! Whether certificates were revoked, by the lists (CRLs) and OCSP answers that the caller brings: nothing is fetched.
//!
//! A list or an answer counts where its own signature holds and it is about the certificate and the moment. What is left
//! open is reported, never guessed.

mod answer;
mod issuer;
mod list;
mod signed;

use lacre_domain::clock::rfc3339_millis;
use lacre_proof::expiry::validity;
use time::OffsetDateTime;
use x509_cert::{Certificate, ext::pkix::CrlReason};

use self::{answer::Answer, list::List};

pub(super) use issuer::Issuer;

/// The lists and answers that the caller brings.
#[derive(Default)]
pub struct Revocations {
    lists: Vec<List>,
    answers: Vec<Answer>,
}

/// The status of a certificate at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) standing: Standing,
    /// The delegated responder, if its own revocation was not checked.
    pub(super) responder: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Revoked, at any time.
    Revoked(Revoked),
    /// Not revoked at that time, by a statement that was published at this time: then or later.
    Good(OffsetDateTime),
}

/// A revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Revoked {
    pub(super) since: OffsetDateTime,
    pub(super) reason: Option<CrlReason>,
}

impl Revocations {
    /// Takes a revocation list in DER, or those of a file in PEM.
    ///
    /// # Errors
    /// A text, when it cannot be read.
    pub fn add_list(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.lists.extend(List::read(bytes)?);
        Ok(())
    }

    /// Takes an OCSP answer (`OCSPResponse`) in DER.
    ///
    /// # Errors
    /// A text, when it cannot be read, or is a refusal.
    pub fn add_answer(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.answers.push(Answer::read(bytes)?);
        Ok(())
    }

    /// The status of a certificate of that issuer at that time.
    ///
    /// # Errors
    /// A text that says why nothing is known.
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
    /// Both together: a revocation outweighs everything else.
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
    /// Both together: the earlier time, and the reason that ends more.
    fn and(self, other: &Self) -> Self {
        let reason = if self.key_is_safe() { other.reason } else { self.reason };
        Self { since: self.since.min(other.since), reason }
    }

    /// Whether the reason says that the key was not lost (RFC 3161, 4); no reason does not.
    pub(super) fn key_is_safe(&self) -> bool {
        use CrlReason::{AffiliationChanged, CessationOfOperation, Superseded, Unspecified};
        matches!(self.reason, Some(Unspecified | AffiliationChanged | Superseded | CessationOfOperation))
    }
}

/// The statement of a CRL or OCSP response about a certificate.
struct Word {
    revoked: Option<Revoked>,
    this_update: OffsetDateTime,
    /// When it was written: a list at `thisUpdate`, an answer at `producedAt`.
    written: OffsetDateTime,
    /// It keeps entries of revoked certificates that expired at this time or later.
    names_ended_since: Option<OffsetDateTime>,
    /// See [`Known::responder`].
    responder: Option<String>,
}

impl Word {
    /// What it says about that moment. `nextUpdate` is a promise of more news, not news: it makes nothing good.
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
