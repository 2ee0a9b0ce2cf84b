//! The time at which a signature's chain is validated: the trusted time of its timestamp or, if there is no valid
//! timestamp, the time of a later timestamp that covers the signature, or the time that the caller gives.

use lacre_domain::clock::rfc3339_millis;
use lacre_proof::{
    Expiry,
    purpose::Purpose,
    timestamp::SignedToken,
    trust::{Anchors, Path},
};
use time::OffsetDateTime;

use super::{
    certificates::Certificates,
    report::{self, Found, Report},
};

/// The time by which something certainly existed, and at which its certificates are therefore validated (the *control
/// time* of EN 319 102-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlTime {
    /// The time that the caller gives: nothing shows that it existed earlier.
    Given(OffsetDateTime),
    /// The time of a valid timestamp that covers it.
    Covered(OffsetDateTime),
}

impl ControlTime {
    pub(super) fn time(self) -> OffsetDateTime {
        match self {
            Self::Given(time) | Self::Covered(time) => time,
        }
    }
}

/// When one signature existed.
pub(super) struct Moment {
    control: ControlTime,
    stamp: Option<Stamp>,
}

/// A timestamp that was found in a proof.
struct Stamp {
    /// The digest that the timestamp has to cover.
    message_sha256: [u8; 32],
    /// The parsed token and its certificates.
    token: Option<(SignedToken, Certificates)>,
    outcome: Result<Path, String>,
    has_only_expired: bool,
}

impl Moment {
    /// Checks the timestamp token (DER), if there is one, over the message with the given SHA-256. Both existed by the
    /// control time.
    pub(super) fn of(token: Option<&[u8]>, message_sha256: [u8; 32], anchors: &Anchors, control: ControlTime) -> Self {
        Self { control, stamp: token.map(|der| Stamp::of(der, message_sha256, anchors, control.time())) }
    }

    /// Adds to the report whether the timestamp is valid, if there is one.
    pub(super) fn judge_timestamp(&self, name: &'static str, report: &mut Report) {
        let Some(stamp) = &self.stamp else { return };
        report.note(name, stamp.outcome.as_ref().map(drop).map_err(Clone::clone));
        if stamp.has_only_expired {
            report.note_expiry(name);
        }
    }

    /// Why the timestamp is invalid, if there is one and it is.
    pub(super) fn fault(&self) -> Option<&str> {
        self.stamp.as_ref()?.outcome.as_ref().err().map(String::as_str)
    }

    /// Whether there is a timestamp that is invalid only because a certificate has expired.
    pub(super) fn has_only_expired_timestamp(&self) -> bool {
        self.stamp.as_ref().is_some_and(|stamp| stamp.has_only_expired)
    }

    /// The time of the timestamp, if it is valid.
    pub(super) fn trusted_time(&self) -> Option<OffsetDateTime> {
        self.trusted().map(|(token, _)| token.time())
    }

    /// The time at which the signer's chain is validated.
    pub(super) fn judged_at(&self) -> OffsetDateTime {
        self.trusted_time().unwrap_or(self.control.time())
    }

    /// The control time of what the timestamp covers: the timestamp's time, or else that of the timestamp itself.
    pub(super) fn of_covered(&self) -> ControlTime {
        self.trusted_time().map_or(self.control, ControlTime::Covered)
    }

    /// The control time of the timestamp.
    pub(super) fn control(&self) -> ControlTime {
        self.control
    }

    /// Adds to the report whether a signer's chain is valid at this moment, and returns its path to an anchor.
    pub(super) fn judge_chain(
        &self,
        name: &'static str,
        (purpose, signer): (Purpose, &Certificates),
        anchors: &Anchors,
        report: &mut Report,
    ) -> Option<Path> {
        let (leaf, others) = signer.split();
        let check = |at| anchors.check(purpose, leaf, &others, at);
        let fault = match check(self.judged_at()) {
            Ok(path) => {
                report.note(name, Ok(()));
                return Some(path);
            }
            Err(fault) => fault,
        };
        let expired = self.has_only_expired(signer, |at| check(at).is_ok());
        let fault = expired.as_ref().map_or(fault, |Expiry { subject, not_after }| {
            let day = not_after.date();
            format!("the certificate of {subject} expired on {day}, and no valid timestamp proves an earlier signature")
        });
        report.note(name, Err(fault));
        if expired.is_some() {
            report.note_expiry(name);
        }
        None
    }

    /// The certificate that expired first, if expiry is the only fault of a chain without a trusted time: the chain was
    /// valid until then.
    fn has_only_expired(&self, signer: &Certificates, holds: impl Fn(OffsetDateTime) -> bool) -> Option<Expiry> {
        let first = signer.first_end()?;
        let has_ended = self.trusted().is_none() && first.not_after < self.control.time();
        (has_ended && holds(first.not_after)).then_some(first)
    }

    /// The first expiry among the certificates that the signature depends on: those of its timestamp or, without one,
    /// its own. `None` if a later timestamp covers the signature, which then depends on that one's certificates.
    pub(super) fn first_end(&self, signer: &Certificates) -> Option<Expiry> {
        match self.control {
            ControlTime::Given(_) => self.first_end_of_authority().or_else(|| signer.first_end()),
            ControlTime::Covered(_) => None,
        }
    }

    /// The first expiry among the certificates of the timestamp, if it is valid.
    pub(super) fn first_end_of_authority(&self) -> Option<Expiry> {
        self.trusted()?.1.first_end()
    }

    /// What was found in the place of the timestamp.
    pub(super) fn found(&self, has_room: bool) -> Found {
        match &self.stamp {
            Some(Stamp { token: Some(_), .. }) => Found::Timestamp,
            Some(Stamp { token: None, .. }) => Found::Unreadable,
            None if has_room => Found::EmptyRoom,
            None => Found::Nothing,
        }
    }

    /// The facts of the timestamp for the report, even if its check, which has the given name, failed.
    pub(super) fn facts(&self, name: &str, report: &Report) -> Option<report::Timestamp> {
        let stamp = self.stamp.as_ref()?;
        let (token, certificates) = stamp.token.as_ref()?;
        let authority = certificates.facts();
        Some(report::Timestamp {
            holds: report.carries(name),
            time: rfc3339_millis(token.time()).unwrap_or_default(),
            accuracy_seconds: token.accuracy().map(time::Duration::as_seconds_f64),
            authority: authority.first().map(|certificate| certificate.subject.clone()).unwrap_or_default(),
            serial_number: hex::encode(token.serial_number()),
            policy: token.policy().to_string(),
            message_sha256: hex::encode(stamp.message_sha256),
            chain: authority,
            root: stamp.outcome.as_ref().ok().and_then(Path::root),
        })
    }

    /// The certificates of the timestamp, if it is valid, and their path to an anchor.
    pub(super) fn authority(&self) -> Option<(&Certificates, &Path)> {
        let (_, certificates) = self.trusted()?;
        Some((certificates, self.stamp.as_ref()?.outcome.as_ref().ok()?))
    }

    /// The timestamp, if it is valid.
    fn trusted(&self) -> Option<&(SignedToken, Certificates)> {
        self.stamp.as_ref().filter(|stamp| stamp.outcome.is_ok())?.token.as_ref()
    }
}

impl Stamp {
    fn of(der: &[u8], message_sha256: [u8; 32], anchors: &Anchors, at: OffsetDateTime) -> Self {
        match Self::read(der) {
            Err(fault) => Self { message_sha256, token: None, outcome: Err(fault), has_only_expired: false },
            Ok((token, certificates)) => {
                let check = |at| token.check_embedded(der, &message_sha256, anchors, at);
                let outcome = check(at).map_err(|fault| fault.to_string());
                let first = certificates.first_end().map(|expiry| expiry.not_after).filter(|end| *end < at);
                let has_only_expired = outcome.is_err() && first.is_some_and(|end| check(end).is_ok());
                Self { message_sha256, token: Some((token, certificates)), outcome, has_only_expired }
            }
        }
    }

    fn read(der: &[u8]) -> Result<(SignedToken, Certificates), String> {
        let token = SignedToken::parse(der).map_err(|fault| fault.to_string())?;
        let (leaf, others) = token.certificates();
        let certificates = Certificates::of(leaf, others)?;
        Ok((token, certificates))
    }
}
