//! Checks the revocation of each certificate that a part of a proof depends on.
//!
//! A signature stays valid if its certificates were revoked after its trusted time. Whoever obtains an authority's key
//! can write any time into a timestamp, so a timestamp's own time does not show that it existed before a revocation. It
//! stays valid if a later timestamp covers it that is older than the revocation, or if the reason for the revocation
//! implies that the key was not compromised (RFC 3161, 4).

use der::Decode;
use lacre_domain::clock::rfc3339_millis;
use lacre_proof::{
    revocation::{Answer, Issuer, Revoked},
    trust::Path,
};
use time::OffsetDateTime;
use x509_cert::Certificate;

use super::{
    certificates::Certificates,
    moment::ControlTime,
    report::{NotChecked, Report, Revocation, RevocationStatus},
    revocation::{Known, Revocations, Standing},
};

/// The subject of a certificate, with its status or the reason why it was not checked.
type Finding = (String, Result<Known, String>);

/// One part of a proof, with the certificates that it depends on.
pub(super) struct Part<'a> {
    /// The names of the part and of its check.
    pub(super) names: (&'static str, &'static str),
    pub(super) signer: &'a Certificates,
    pub(super) path: &'a Path,
    /// When the part existed; of a timestamp its own time.
    pub(super) at: OffsetDateTime,
    /// The control time of a timestamp; `None` for a signature.
    pub(super) timestamp: Option<ControlTime>,
    /// The OCSP response that the file itself carries about the signer.
    pub(super) stapled: Option<&'a Answer>,
}

impl Part<'_> {
    /// Determines the status of each certificate up to the anchor, and adds a check to the report if any status is
    /// known.
    pub(super) fn judge(self, revocations: &Revocations, report: &mut Report) {
        Self::judge_all(std::iter::once(self), revocations, report);
    }

    /// Like [`Self::judge`], with one check for several parts of the same names.
    pub(super) fn judge_all(parts: impl Iterator<Item = Self>, revocations: &Revocations, report: &mut Report) {
        let mut outcome = None;
        let mut check = "";
        for part in parts {
            check = part.names.1;
            match part.findings(revocations) {
                Err(fault) => outcome = Some(outcome.unwrap_or(Ok(())).and(Err(fault))),
                Ok(findings) => {
                    for (subject, known) in findings {
                        if let Ok(known) = &known {
                            let accepted = part.accept(&subject, &known.standing);
                            outcome = Some(outcome.unwrap_or(Ok(())).and(accepted));
                            part.note_age(&subject, &known.standing, report);
                        }
                        record(part.names.0, subject, known, report);
                    }
                }
            }
        }
        outcome.into_iter().for_each(|outcome| report.note(check, outcome));
    }

    fn findings(&self, revocations: &Revocations) -> Result<Vec<Finding>, String> {
        let leaf = self.signer.leaf().cloned().ok_or("no certificate")?;
        let authorities = self.path.authorities.iter().map(|der| Certificate::from_der(der));
        let authorities = authorities.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let certificates = std::iter::once(leaf).chain(authorities);
        let finding = |(certificate, issuer): (Certificate, Issuer)| {
            let known = revocations.about(&certificate, &issuer, self.stapled, self.at);
            (certificate.tbs_certificate.subject.to_string(), known)
        };
        Ok(certificates.zip(Issuer::of(self.path)?).map(finding).collect())
    }

    fn accept(&self, subject: &str, standing: &Standing) -> Result<(), String> {
        match standing {
            Standing::Revoked(revoked) if self.is_ended_by(revoked) => {
                Err(format!("the certificate of {subject} was revoked on {}", revoked.since.date()))
            }
            _ => Ok(()),
        }
    }

    /// Adds to the report if nothing tells whether an authority was revoked before its timestamp was covered: whoever had
    /// its key by then could have made the timestamp.
    fn note_age(&self, subject: &str, standing: &Standing, report: &mut Report) {
        let (Some(ControlTime::Covered(covered)), Standing::Good(published)) = (self.timestamp, standing) else {
            return;
        };
        if *published < covered {
            let [published, covered] = [*published, covered].map(|time| rfc3339_millis(time).unwrap_or_default());
            let what = format!("whether the certificate of {subject} was revoked between {published} and {covered}");
            report.not_checked.push(NotChecked { part: self.names.0, certificate: Some(subject.to_owned()), what });
        }
    }

    fn is_ended_by(&self, revoked: &Revoked) -> bool {
        let existed_before = match self.timestamp {
            None => revoked.since > self.at,
            Some(_) if revoked.key_is_safe() => revoked.since > self.at,
            Some(ControlTime::Covered(time)) => revoked.since > time,
            Some(ControlTime::Given(_)) => false,
        };
        !existed_before
    }
}

fn record(part: &'static str, certificate: String, known: Result<Known, String>, report: &mut Report) {
    let mut gap = |certificate: String, why: String| {
        let what = format!("revocation of the certificate of {certificate}: {why}");
        report.not_checked.push(NotChecked { part, certificate: Some(certificate), what });
    };
    let Known { standing, responder } = match known {
        Ok(known) => known,
        Err(why) => return gap(certificate, why),
    };
    if let Some(responder) = responder {
        gap(responder, format!("it signed the OCSP response about {certificate}, and has no id-pkix-ocsp-nocheck"));
    }
    let revocation = match standing {
        Standing::Good(published) => Revocation {
            part,
            certificate,
            status: RevocationStatus::Good,
            time: rfc3339_millis(published).unwrap_or_default(),
            reason: None,
        },
        Standing::Revoked(Revoked { since, reason }) => Revocation {
            part,
            certificate,
            status: RevocationStatus::Revoked,
            time: rfc3339_millis(since).unwrap_or_default(),
            reason: reason.map(|reason| format!("{reason:?}")),
        },
    };
    report.revocations.push(revocation);
}
