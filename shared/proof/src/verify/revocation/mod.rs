//! Whether certificates were revoked, by the lists (CRLs) and OCSP answers that the caller brings: nothing is fetched.
//!
//! A list or an answer counts where its own signature holds and it is about the certificate and the moment. What is left
//! open is told, never guessed.

mod answer;
mod issuer;
mod list;
mod signed;

use time::OffsetDateTime;
use x509_cert::{Certificate, ext::pkix::CrlReason};

use self::{answer::Answer, list::List};
use crate::expiry::validity;

pub(super) use issuer::Issuer;

/// The lists and answers that the caller brings.
#[derive(Default)]
pub struct Revocations {
    lists: Vec<List>,
    answers: Vec<Answer>,
}

/// What is known about one certificate at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is revoked, at any time.
    Revoked(Revoked),
    /// It was not revoked at that moment, by what was published at this time.
    Good(OffsetDateTime),
    /// Nothing is known, and why.
    Unknown(String),
}

/// A revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Revoked {
    pub(super) since: OffsetDateTime,
    pub(super) reason: Option<CrlReason>,
}

impl Revocations {
    /// Takes a revocation list, in DER or PEM.
    ///
    /// # Errors
    /// A text, when it cannot be read.
    pub fn add_list(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.lists.push(List::read(bytes)?);
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

    /// What is known about a certificate of that issuer at that moment. A revocation outweighs everything else.
    pub(super) fn standing(&self, certificate: &Certificate, issuer: &Issuer, at: OffsetDateTime) -> Standing {
        let by_lists = self.lists.iter().filter_map(|list| list.about(certificate, issuer));
        let by_answers = self.answers.iter().filter_map(|answer| answer.about(certificate, issuer));
        let mut good = None;
        let mut reasons = Vec::new();
        let mut revoked: Option<Revoked> = None;
        for found in by_lists.chain(by_answers) {
            match found.and_then(|word| word.at(certificate, at)) {
                Ok(Standing::Revoked(found)) if revoked.as_ref().is_none_or(|known| found.since < known.since) => {
                    revoked = Some(found);
                }
                Ok(Standing::Good(published)) => good = good.max(Some(published)),
                Ok(_) => {}
                Err(reason) => reasons.push(reason),
            }
        }
        match (revoked, good) {
            (Some(revoked), _) => Standing::Revoked(revoked),
            (None, Some(published)) => Standing::Good(published),
            (None, None) if reasons.is_empty() => Standing::Unknown("no list and no answer about it was given".into()),
            (None, None) => Standing::Unknown(reasons.join("; ")),
        }
    }
}

/// What one list or answer says about one certificate.
struct Word {
    revoked: Option<Revoked>,
    this_update: OffsetDateTime,
    next_update: Option<OffsetDateTime>,
    /// Whether it goes on naming revoked certificates after their end.
    names_ended: bool,
}

impl Word {
    /// What it says about that moment.
    fn at(self, certificate: &Certificate, at: OffsetDateTime) -> Result<Standing, String> {
        if let Some(revoked) = self.revoked {
            return Ok(Standing::Revoked(revoked));
        }
        let published = self.this_update;
        if at > self.next_update.unwrap_or(published).max(published) {
            return Err(format!("what was published on {} does not reach until then", published.date()));
        }
        match self.names_ended || published <= validity(certificate).1 {
            true => Ok(Standing::Good(published)),
            false => {
                Err(format!("what was published on {} is silent on certificates that have ended", published.date()))
            }
        }
    }
}
