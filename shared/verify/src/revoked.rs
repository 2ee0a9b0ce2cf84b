//! Checks the revocation of each certificate that a part of a proof depends on.
//!
//! A signature stays valid if its certificates were revoked after its trusted time. A timestamp has no trusted time
//! except its own, and whoever obtains the authority's key can write any time into one. So a later revocation of an
//! authority leaves its timestamps valid only if the reason implies that the key was not compromised (RFC 3161, 4).

use der::Decode;
use lacre_domain::clock::rfc3339_millis;
use lacre_proof::trust::Path;
use time::OffsetDateTime;
use x509_cert::Certificate;

use super::{
    certificates::Certificates,
    report::{NotChecked, Report, Revocation, RevocationStatus},
    revocation::{Issuer, Known, Revocations, Revoked, Standing},
};

/// The subject of a certificate, with its status or the reason why it was not checked.
type Finding = (String, Result<Known, String>);

/// One part of a proof, with the certificates that it depends on.
pub(super) struct Part<'a> {
    /// The names of the part and of its check.
    pub(super) names: (&'static str, &'static str),
    pub(super) signer: &'a Certificates,
    pub(super) path: &'a Path,
    /// When the part existed.
    pub(super) at: OffsetDateTime,
    pub(super) is_timestamp: bool,
}

impl Part<'_> {
    /// Determines the status of each certificate up to the anchor, and adds a check to the report if any status is
    /// known.
    pub(super) fn judge(&self, revocations: &Revocations, report: &mut Report) {
        let (name, check) = self.names;
        match self.findings(revocations) {
            Err(fault) => report.note(check, Err(fault)),
            Ok(findings) => {
                let known = || findings.iter().filter_map(|(subject, known)| Some((subject, known.as_ref().ok()?)));
                if known().next().is_some() {
                    report.note(check, known().try_for_each(|(subject, known)| self.accept(subject, &known.standing)));
                }
                for (subject, known) in findings {
                    record(name, subject, known, report);
                }
            }
        }
    }

    fn findings(&self, revocations: &Revocations) -> Result<Vec<Finding>, String> {
        let leaf = self.signer.leaf().cloned().ok_or("no certificate")?;
        let authorities = self.path.authorities.iter().map(|der| Certificate::from_der(der));
        let authorities = authorities.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let certificates = std::iter::once(leaf).chain(authorities);
        let finding = |(certificate, issuer): (Certificate, Issuer)| {
            let known = revocations.about(&certificate, &issuer, self.at);
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

    fn is_ended_by(&self, revoked: &Revoked) -> bool {
        revoked.since <= self.at || (self.is_timestamp && !revoked.key_is_safe())
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
