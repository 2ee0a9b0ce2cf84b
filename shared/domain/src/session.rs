//! A capture session: N photos under one token. A session of the component has one, a hosted one as many as its profile.

use lacre_api::{RecaptureRisk, Refusal, SessionStatus};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ClientId, Environment, FrameHash, HostedFlow, Label, License, LicenseId, LogSalt, Position, ReferenceId,
    Sha256Digest, limits,
};

/// A session as it is stored. Its status is derived, never stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The client that created it.
    pub client_id: ClientId,
    /// The license that it is bound to.
    pub license_id: Option<LicenseId>,
    /// The environment of its license.
    pub environment: Environment,
    /// The integrator's reference.
    pub reference_id: ReferenceId,
    /// When it was created, in whole seconds.
    #[serde(with = "time::serde::timestamp")]
    pub created_at: OffsetDateTime,
    /// When its token stops working, in whole seconds.
    #[serde(with = "time::serde::timestamp")]
    pub expires_at: OffsetDateTime,
    /// The photos that are foreseen, in their order.
    pub photos: Vec<ExpectedPhoto>,
    /// What only a hosted session has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosted: Option<HostedFlow>,
}

/// A photo that is foreseen, and what was captured for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedPhoto {
    /// `None` while it is pending, and after an erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<PhotoCapture>,
    /// Whether it was captured, and then erased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
}

impl ExpectedPhoto {
    /// Whether it was captured; an erasure changes nothing of that.
    #[must_use]
    pub fn is_captured(&self) -> bool {
        self.capture.is_some() || self.erased
    }
}

/// A captured photo in the session results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhotoCapture {
    /// The label sent at ingest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// Degrees, when the user did not skip the compass.
    #[serde(default, with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub heading: Option<f64>,
    /// The position as the browser reported it.
    #[serde(with = "crate::exact::position")]
    pub position: Position,
    /// The browser's time of the capture, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// The hash of the frame.
    pub frame_hash: FrameHash,
    /// The risk that it is of a screen.
    #[serde(default)]
    pub recapture_risk: RecaptureRisk,
    /// SHA-256 of the signed JPEG; `None` in sessions of before it was kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jpeg_sha256: Option<Sha256Digest>,
    /// The key of the signed JPEG; `None` if it is not retained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jpeg_key: Option<String>,
    /// The key of the manifest.
    pub manifest_key: String,
    /// What a proof from the transparency log needs beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<LoggedCapture>,
}

/// What the proof that a capture is in the transparency log states, and the log does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedCapture {
    /// The salt of the entry.
    pub salt: LogSalt,
    /// The digest of the evidence record.
    pub record: Sha256Digest,
}

impl Session {
    /// A new session of `total_photos` photos.
    #[must_use]
    pub fn new(
        client_id: ClientId,
        license_id: LicenseId,
        environment: Environment,
        reference_id: ReferenceId,
        total_photos: u32,
        now: OffsetDateTime,
    ) -> Self {
        let created_at = now.replace_nanosecond(0).unwrap_or(now);
        Self {
            client_id,
            license_id: Some(license_id),
            environment,
            reference_id,
            created_at,
            expires_at: created_at + limits::SESSION_VALIDITY,
            photos: (0..total_photos).map(|_| ExpectedPhoto::default()).collect(),
            hosted: None,
        }
    }

    /// Whether a hosted session may use another license: one of its client and environment that serves its profile and
    /// redirect, as long as it has no photo; its own one always.
    #[must_use]
    pub fn may_use(&self, license: &License) -> bool {
        let Some(flow) = &self.hosted else { return false };
        let is_own = self.license_id.as_ref() == Some(&license.id);
        let is_client_s = self.client_id == license.client_id && self.environment == license.environment;
        let is_serving = flow.is_served_by(license) && flow.check_redirect(license).is_ok();
        is_own || (self.captured_count() == 0 && is_client_s && is_serving)
    }

    /// Checks that the session is of the flow whose address was asked: one of the component is not found at the hosted
    /// flow's address, nor the other way round.
    ///
    /// # Errors
    /// [`Refusal::SessionNotFound`].
    pub fn check_flow(&self, is_hosted: bool) -> Result<(), Refusal> {
        if self.hosted.is_some() == is_hosted { Ok(()) } else { Err(Refusal::SessionNotFound) }
    }

    /// The photos that are foreseen.
    #[must_use]
    pub fn total_photos(&self) -> usize {
        self.photos.len()
    }

    /// The photos that were captured.
    #[must_use]
    pub fn captured_count(&self) -> usize {
        self.photos.iter().filter(|photo| photo.is_captured()).count()
    }

    /// Whether all photos were captured.
    #[must_use]
    pub fn is_concluded(&self) -> bool {
        self.captured_count() == self.total_photos()
    }

    /// Whether one photo is pending, and no more.
    #[must_use]
    pub fn is_on_last_photo(&self) -> bool {
        self.captured_count() + 1 == self.total_photos()
    }

    /// Whether the deadline has passed.
    #[must_use]
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        now >= self.expires_at
    }

    /// The status of the session at `now`.
    #[must_use]
    pub fn status(&self, now: OffsetDateTime) -> SessionStatus {
        if self.is_concluded() {
            SessionStatus::Captured
        } else if self.is_expired(now) {
            SessionStatus::Expired
        } else if self.captured_count() > 0 {
            SessionStatus::Partial
        } else {
            SessionStatus::Pending
        }
    }

    /// The 1-based position of the first photo that is pending.
    #[must_use]
    pub fn pending_order(&self) -> Option<u32> {
        let index = self.photos.iter().position(|photo| !photo.is_captured())?;
        u32::try_from(index + 1).ok()
    }

    /// Takes the personal data of a captured photo, by its 1-based order, out of the session. With the last one goes the
    /// integrator's reference, unless a photo is still to come. Whether anything changed.
    pub fn erase(&mut self, order: u32) -> bool {
        let index = usize::try_from(order).ok().and_then(|order| order.checked_sub(1));
        let Some(photo) = index.and_then(|index| self.photos.get_mut(index)) else { return false };
        if photo.capture.take().is_none() {
            return false;
        }
        photo.erased = true;
        if self.photos.iter().all(|photo| photo.erased) {
            self.reference_id = ReferenceId::erased();
        }
        true
    }

    /// Checks that the session may be loaded; one answer for used and for expired.
    ///
    /// # Errors
    /// [`Refusal::SessionUsedOrExpired`].
    pub fn check_loadable(&self, now: OffsetDateTime) -> Result<(), Refusal> {
        if self.is_concluded() || self.is_expired(now) { Err(Refusal::SessionUsedOrExpired) } else { Ok(()) }
    }

    /// Checks that the session may take a capture.
    ///
    /// # Errors
    /// [`Refusal::SessionAlreadyUsed`], [`Refusal::SessionExpired`].
    pub fn check_open(&self, now: OffsetDateTime) -> Result<(), Refusal> {
        if self.is_concluded() {
            Err(Refusal::SessionAlreadyUsed)
        } else if self.is_expired(now) {
            Err(Refusal::SessionExpired)
        } else {
            Ok(())
        }
    }

    /// Checks that a capture is of the photo that is pending, and gives its 1-based order.
    ///
    /// # Errors
    /// [`Refusal::PhotoOrderMismatch`].
    pub fn check_photo_order(&self, photo_order: i64) -> Result<u32, Refusal> {
        self.pending_order().filter(|order| i64::from(*order) == photo_order).ok_or(Refusal::PhotoOrderMismatch)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use time::{Duration, macros::datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-20 12:00:00.5 UTC);

    fn session(total: u32, captured: usize) -> Session {
        let reference = ReferenceId::parse("r").unwrap();
        let (client, license) = (ClientId("c".into()), LicenseId("l".into()));
        let mut session = Session::new(client, license, Environment::Sandbox, reference, total, NOW);
        for photo in &mut session.photos[..captured] {
            photo.capture = Some(PhotoCapture {
                recapture_risk: RecaptureRisk::None,
                label: None,
                heading: None,
                position: Position::NOT_OBTAINED,
                captured_at_ms: 0,
                frame_hash: FrameHash::of(b""),
                jpeg_sha256: None,
                jpeg_key: None,
                manifest_key: "m".into(),
                logged: None,
            });
        }
        session
    }

    #[test]
    fn the_status_follows_photos_and_time() {
        use SessionStatus::{Captured, Expired, Partial, Pending};
        let end = datetime!(2026-11-20 12:30:00 UTC);
        let before = end - Duration::milliseconds(1);
        for (total, captured, at_before, at_end) in
            [(1, 0, Pending, Expired), (3, 1, Partial, Expired), (3, 3, Captured, Captured), (1, 1, Captured, Captured)]
        {
            let session = session(total, captured);
            assert_eq!((session.status(before), session.status(end)), (at_before, at_end), "{captured} of {total}");
        }
    }

    #[test]
    fn what_an_open_session_refuses() {
        let late = NOW + Duration::minutes(30);
        assert_eq!(session(1, 0).check_open(NOW), Ok(()));
        assert_eq!(session(1, 1).check_open(late), Err(Refusal::SessionAlreadyUsed));
        assert_eq!(session(1, 0).check_open(late), Err(Refusal::SessionExpired));
        assert_eq!(session(1, 1).check_loadable(NOW), Err(Refusal::SessionUsedOrExpired));
        assert_eq!(session(1, 0).check_loadable(late), Err(Refusal::SessionUsedOrExpired));
    }

    #[test]
    fn an_erasure_takes_a_photo_s_data_and_at_the_last_the_reference() {
        let mut session = session(2, 2);
        assert!(!session.erase(0) && !session.erase(3));
        assert!(session.erase(1));
        assert!(!session.erase(1), "it is gone");
        assert_eq!((session.captured_count(), session.is_concluded(), session.pending_order()), (2, true, None));
        assert_eq!(session.reference_id.as_str(), "r", "the other photo is of the same reference");
        assert!(session.erase(2));
        assert_eq!(session.reference_id, ReferenceId::erased());
        let mut pending = self::session(2, 1);
        assert!(!pending.erase(2), "nothing was captured");
        assert!(pending.erase(1));
        assert_eq!((pending.reference_id.as_str(), pending.pending_order()), ("r", Some(2)));
    }

    #[test]
    fn photos_are_captured_in_their_order() {
        let partial = session(3, 1);
        assert_eq!(partial.check_photo_order(2), Ok(2));
        for wrong in [i64::MIN, -1, 0, 1, 3, i64::MAX] {
            assert_eq!(partial.check_photo_order(wrong), Err(Refusal::PhotoOrderMismatch));
        }
        assert_eq!(session(1, 1).pending_order(), None);
    }
}
