//! Custody: what operators decided about a capture after it was recorded, and whether its URLs are still renewed.

use lacre_api::{CustodyState, admin::limits};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{CaptureId, ClientStatus, Sha256Digest};

/// The reason that an operator gives for an act: 1 to 200 characters without control characters. It outlives an
/// erasure, so it must not name a person; a case number is a good reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reason(String);

impl Reason {
    /// Parses a reason; `None` if it is empty, too long or contains control characters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = (1..=limits::REASON_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        fits.then(|| Self(text.to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One decision of an operator about a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustodyAct {
    /// The custody state that the act leads to.
    pub state: CustodyState,
    /// When the act took place, by the service's clock.
    #[serde(with = "crate::exact::millis")]
    pub at: OffsetDateTime,
    /// The operator's reason.
    pub reason: Reason,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
}

/// The acts on a capture, oldest first. A capture without acts is held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Custody {
    /// The acts.
    pub acts: Vec<CustodyAct>,
}

/// Why an act on a capture is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CustodyFault {
    /// The capture is already in the state that the act would lead to.
    #[error("the capture is already {}", .0.name())]
    Already(CustodyState),
    /// The capture is erased, which is final.
    #[error("the capture is erased")]
    Erased,
}

impl Custody {
    /// The current custody state.
    #[must_use]
    pub fn state(&self) -> CustodyState {
        self.acts.last().map_or(CustodyState::Held, |act| act.state)
    }

    /// The act that erased the capture, if it is erased.
    #[must_use]
    pub fn erasure(&self) -> Option<&CustodyAct> {
        self.acts.last().filter(|act| act.state == CustodyState::Erased)
    }

    /// Appends an act.
    ///
    /// # Errors
    /// [`CustodyFault`] if the capture is already in the state of the act, or is erased.
    pub fn with(mut self, act: CustodyAct) -> Result<Self, CustodyFault> {
        match self.state() {
            state if state == act.state => Err(CustodyFault::Already(state)),
            CustodyState::Erased => Err(CustodyFault::Erased),
            CustodyState::Held | CustodyState::Withheld => {
                self.acts.push(act);
                Ok(self)
            }
        }
    }
}

/// The exported note of an erasure. After a backup is restored, it makes sure that the erased data is erased again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// The id of the capture.
    pub capture_id: CaptureId,
    /// When the capture was erased.
    #[serde(with = "crate::exact::millis")]
    pub erased_at: OffsetDateTime,
    /// The SHA-256 of the tombstone (the act that erased the capture). It makes later changes of the tombstone's reason
    /// and principal detectable without exporting them.
    pub tombstone_sha256: Sha256Digest,
}

impl Erasure {
    /// The exported note for a tombstone.
    #[must_use]
    pub fn of(capture_id: CaptureId, tombstone: &CustodyAct) -> Self {
        let CustodyAct { state, at, reason, principal } = tombstone;
        let text = format!("{}\n{}\n{}\n{principal}", state.name(), crate::clock::rfc3339(*at), reason.as_str());
        Self { capture_id, erased_at: *at, tombstone_sha256: Sha256Digest::of(text.as_bytes()) }
    }

    /// Rebuilds the tombstone of a capture from the exported note, for a capture whose own tombstone was lost.
    #[must_use]
    pub fn tombstone(&self) -> CustodyAct {
        CustodyAct {
            state: CustodyState::Erased,
            at: self.erased_at,
            reason: Reason("as noted in the export".to_owned()),
            principal: "unknown".to_owned(),
        }
    }
}

/// Whether the presigned URLs of a capture are renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// The URLs are renewed.
    Allowed,
    /// The URLs are not renewed, because the capture is withheld or its client is suspended.
    Withheld,
    /// The capture is erased, so there is nothing that a URL could lead to.
    Erased,
}

impl Renewal {
    /// Decides from the custody state of the capture and the status of its client.
    #[must_use]
    pub fn of(state: CustodyState, client: ClientStatus) -> Self {
        match (state, client) {
            (CustodyState::Erased, _) => Self::Erased,
            (CustodyState::Withheld, _) | (CustodyState::Held, ClientStatus::Suspended) => Self::Withheld,
            (CustodyState::Held, ClientStatus::Active) => Self::Allowed,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use CustodyState::{Erased, Held, Withheld};

    fn act(state: CustodyState) -> CustodyAct {
        let reason = Reason::parse("case 7").unwrap();
        CustodyAct { state, at: OffsetDateTime::UNIX_EPOCH, reason, principal: "arn:aws:iam::1:user/a".into() }
    }

    #[test]
    fn only_an_erasure_is_irreversible() {
        let custody = Custody::default();
        assert_eq!(custody.clone().with(act(Held)), Err(CustodyFault::Already(Held)));
        let withheld = custody.clone().with(act(Withheld)).unwrap();
        assert_eq!(withheld.clone().with(act(Withheld)), Err(CustodyFault::Already(Withheld)));
        let released = withheld.clone().with(act(Held)).unwrap();
        assert_eq!((released.state(), released.acts.len()), (Held, 2));
        for before in [custody, withheld, released] {
            let erased = before.with(act(Erased)).unwrap();
            assert_eq!(erased.erasure().map(|act| act.state), Some(Erased));
            assert_eq!(erased.clone().with(act(Erased)), Err(CustodyFault::Already(Erased)));
            assert_eq!(erased.clone().with(act(Held)), Err(CustodyFault::Erased));
            assert_eq!(erased.with(act(Withheld)), Err(CustodyFault::Erased));
        }
    }

    #[test]
    fn renews_held_captures_of_active_clients() {
        use ClientStatus::{Active, Suspended};
        for (state, client, renewal) in [
            (Held, Active, Renewal::Allowed),
            (Held, Suspended, Renewal::Withheld),
            (Withheld, Active, Renewal::Withheld),
            (Withheld, Suspended, Renewal::Withheld),
            (Erased, Active, Renewal::Erased),
            (Erased, Suspended, Renewal::Erased),
        ] {
            assert_eq!(Renewal::of(state, client), renewal, "{state:?} {client:?}");
        }
    }

    #[test]
    fn a_reason_is_one_short_line() {
        assert_eq!(Reason::parse(" case 7 ").unwrap().as_str(), "case 7");
        for bad in ["", "  ", "a\nb", "a\u{1b}b", &"x".repeat(201)] {
            assert_eq!(Reason::parse(bad), None, "{bad}");
        }
        assert!(Reason::parse(&"ã".repeat(200)).is_some());
    }
}
