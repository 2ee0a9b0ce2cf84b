//! What is known about the revocation of each certificate that a part of a proof rests on, and what follows from it.
//!
//! A signature holds when its certificates were revoked after its trusted time. A timestamp has no trusted time but its own:
//! whoever has the authority's key can write any time into one. So a later revocation leaves it standing only where it says
//! that the key was not lost (RFC 3161, 4).

use der::Decode;
use time::OffsetDateTime;
use x509_cert::{Certificate, ext::pkix::CrlReason};

use super::{
    certificates::Certificates,
    report::{NotChecked, Report, Revocation, RevocationStatus},
    revocation::{Issuer, Revocations, Revoked, Standing},
};
use crate::{assertions::timestamp, trust::Path};

/// The certificates that one part of a proof rests on.
pub(super) struct Part<'a> {
    /// The part's name, and that of its check.
    pub(super) names: (&'static str, &'static str),
    pub(super) signer: &'a Certificates,
    pub(super) path: &'a Path,
    /// When the part existed.
    pub(super) at: OffsetDateTime,
    pub(super) is_timestamp: bool,
}

impl Part<'_> {
    /// Judges each certificate up to the anchor, and notes a check where anything is known.
    pub(super) fn judge(&self, revocations: &Revocations, report: &mut Report) {
        let (name, check) = self.names;
        match self.standings(revocations) {
            Err(fault) => report.note(check, Err(fault)),
            Ok(standings) => {
                let outcome = standings.iter().try_for_each(|(subject, standing)| self.accept(subject, standing));
                if standings.iter().any(|(_, standing)| !matches!(standing, Standing::Unknown(_))) {
                    report.note(check, outcome);
                }
                for (subject, standing) in standings {
                    tell(name, subject, standing, report);
                }
            }
        }
    }

    fn standings(&self, revocations: &Revocations) -> Result<Vec<(String, Standing)>, String> {
        let leaf = self.signer.leaf().cloned().ok_or("no certificate")?;
        let authorities = self.path.authorities.iter().map(|der| Certificate::from_der(der));
        let authorities = authorities.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let certificates = std::iter::once(leaf).chain(authorities);
        let standing = |(certificate, issuer): (Certificate, Issuer)| {
            let standing = revocations.standing(&certificate, &issuer, self.at);
            (certificate.tbs_certificate.subject.to_string(), standing)
        };
        Ok(certificates.zip(Issuer::of(self.path)?).map(standing).collect())
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
        use CrlReason::{AffiliationChanged, CessationOfOperation, Superseded, Unspecified};
        let key_is_safe =
            matches!(revoked.reason, Some(Unspecified | AffiliationChanged | Superseded | CessationOfOperation));
        revoked.since <= self.at || (self.is_timestamp && !key_is_safe)
    }
}

fn tell(part: &'static str, certificate: String, standing: Standing, report: &mut Report) {
    let revocation = match standing {
        Standing::Unknown(why) => {
            let what = format!("whether the certificate of {certificate} was revoked: {why}");
            report.not_checked.push(NotChecked { part, what });
            return;
        }
        Standing::Good(published) => Revocation {
            part,
            certificate,
            status: RevocationStatus::Good,
            time: timestamp(published).unwrap_or_default(),
            reason: None,
        },
        Standing::Revoked(Revoked { since, reason }) => Revocation {
            part,
            certificate,
            status: RevocationStatus::Revoked,
            time: timestamp(since).unwrap_or_default(),
            reason: reason.map(|reason| format!("{reason:?}")),
        },
    };
    report.revocations.push(revocation);
}
