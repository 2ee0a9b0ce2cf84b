//! Capture sessions: one or more photos under one token. A component session has one photo; a hosted session has as
//! many as its profile.

use lacre_api::{
    RecaptureRisk, Refusal, RequestedStep, SessionStatus,
    kit::{KitStep, StepId, StepNote},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ClientId, Environment, FrameHash, HostedFlow, Kit, Label, License, LicenseId, LogSalt, Position, ReferenceId,
    Sha256Digest,
    kit::{AskedFor, is_note},
    limits,
};

/// A session as it is stored. Its status is computed from the photos and the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The client that created the session.
    pub client_id: ClientId,
    /// The license that the session is bound to.
    pub license_id: Option<LicenseId>,
    /// The environment of the license.
    pub environment: Environment,
    /// The integrator's reference.
    pub reference_id: ReferenceId,
    /// When the session was created, in whole seconds.
    #[serde(with = "time::serde::timestamp")]
    pub created_at: OffsetDateTime,
    /// When the token expires, in whole seconds.
    #[serde(with = "time::serde::timestamp")]
    pub expires_at: OffsetDateTime,
    /// The expected photos, in order.
    pub photos: Vec<ExpectedPhoto>,
    /// The profile, redirect and webhook of a hosted session; `None` for a component session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosted: Option<HostedFlow>,
}

/// One place in a session, and the photo that was captured for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedPhoto {
    /// The captured photo; `None` before the capture and after an erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<PhotoCapture>,
    /// Whether a photo was captured and its data erased afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
    /// The step that the photo is asked for as; `None` in a component session, and in one for all steps of a profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<SessionStep>,
    /// Whether the customer skipped the photo.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
}

/// The step of a kit that a photo is asked for as: the parts that decide about the photo. The page gets the rest from
/// the kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStep {
    /// The id of the step.
    pub id: StepId,
    /// Whether the customer may skip the photo.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Whether the photo shows a display, so that a recapture is recorded and not refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub display_expected: bool,
    /// What the integrator tells the customer about this photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<StepNote>,
}

impl ExpectedPhoto {
    /// The photos of a profile, or of a component session, which are asked for as no step.
    #[must_use]
    pub fn plain(total: u32) -> Vec<Self> {
        (0..total).map(|_| Self::default()).collect()
    }

    /// The photos of all steps of a kit.
    #[must_use]
    pub fn of_kit(kit: &Kit) -> Vec<Self> {
        kit.content().steps.iter().map(|step| Self::of_step(step, None)).collect()
    }

    /// The photos of some steps of a kit, in the kit's order. The last of them is required, because its photo concludes
    /// the session. `None` if no step is requested, if one is requested twice or is not in the kit, or if a note has not
    /// the form of a note.
    #[must_use]
    pub fn of_steps(kit: &Kit, requested: &[RequestedStep]) -> Option<Vec<Self>> {
        let wanted = |id: &StepId| requested.iter().find(|step| step.id == *id);
        let steps = kit.content().steps.iter();
        let mut photos: Vec<_> =
            steps.filter_map(|step| Some(Self::of_step(step, wanted(&step.id)?.note.clone()))).collect();
        let mut notes = requested.iter().filter_map(|step| step.note.as_ref());
        if photos.len() != requested.len() || !notes.all(|note| is_note(note.as_str())) {
            return None;
        }
        photos.last_mut()?.step.as_mut()?.optional = false;
        Some(photos)
    }

    fn of_step(step: &KitStep, note: Option<StepNote>) -> Self {
        let KitStep { id, optional, display_expected, .. } = step;
        let (id, optional, display_expected) = (id.clone(), *optional, *display_expected);
        Self { step: Some(SessionStep { id, optional, display_expected, note }), ..Self::default() }
    }

    /// Whether a photo was captured, even if it was erased afterwards.
    #[must_use]
    pub fn is_captured(&self) -> bool {
        self.capture.is_some() || self.erased
    }

    /// Whether the photo is still to be taken.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.is_captured() && !self.skipped
    }

    /// The id of the step that the photo is asked for as.
    #[must_use]
    pub fn step_id(&self) -> Option<&StepId> {
        self.step.as_ref().map(|step| &step.id)
    }
}

/// A captured photo, as the session results need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhotoCapture {
    /// The label that the ingest sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// The compass heading in degrees; `None` if the user skipped the compass.
    #[serde(default, with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub heading: Option<f64>,
    /// The position as the browser reported it.
    #[serde(with = "crate::exact::position")]
    pub position: Position,
    /// The browser's time of the capture, in milliseconds of the Unix epoch.
    pub captured_at_ms: i64,
    /// The hash of the frame.
    pub frame_hash: FrameHash,
    /// The risk that the photo shows a screen or a print.
    #[serde(default)]
    pub recapture_risk: RecaptureRisk,
    /// SHA-256 of the signed JPEG; `None` in sessions that predate this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jpeg_sha256: Option<Sha256Digest>,
    /// The S3 object key of the signed JPEG; `None` if the photo is not retained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jpeg_key: Option<String>,
    /// The S3 object key of the manifest.
    pub manifest_key: String,
    /// The capture's values that a transparency proof includes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<LoggedCapture>,
}

/// The values of a capture that its transparency proof states. The log itself contains only a hash of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedCapture {
    /// The salt of the log entry.
    pub salt: LogSalt,
    /// The digest of the evidence record.
    pub record: Sha256Digest,
}

impl Session {
    /// A new component session for these photos, valid from now.
    #[must_use]
    pub fn new(
        client_id: ClientId,
        license_id: LicenseId,
        environment: Environment,
        reference_id: ReferenceId,
        photos: Vec<ExpectedPhoto>,
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
            photos,
            hosted: None,
        }
    }

    /// Whether this session may switch to `license`, or already has it. A hosted session whose first photo is pending may
    /// switch to another license of the same client and environment, if that license serves its photos and its redirect.
    #[must_use]
    pub fn may_use(&self, license: &License) -> bool {
        let Some(flow) = &self.hosted else { return false };
        let is_own = self.license_id.as_ref() == Some(&license.id);
        let is_client_s = self.client_id == license.client_id && self.environment == license.environment;
        let is_serving = license.may_host(self.photos.len()) && flow.check_redirect(license).is_ok();
        let is_untouched = self.photos.first().is_some_and(ExpectedPhoto::is_pending);
        is_own || (is_untouched && is_client_s && is_serving)
    }

    /// Checks that the session belongs to the flow whose address the request used. A component session is not found at
    /// the hosted flow's address, nor a hosted session at the component's.
    ///
    /// # Errors
    /// [`Refusal::SessionNotFound`].
    pub fn check_flow(&self, is_hosted: bool) -> Result<(), Refusal> {
        if self.hosted.is_some() == is_hosted { Ok(()) } else { Err(Refusal::SessionNotFound) }
    }

    /// The number of photos that the session asks for, without the skipped ones.
    #[must_use]
    pub fn total_photos(&self) -> usize {
        self.photos.iter().filter(|photo| !photo.skipped).count()
    }

    /// What the photo at the 1-based place `order` is asked for as, if the session was created with a client's kit.
    #[must_use]
    pub fn asked_for(&self, order: u32) -> Option<AskedFor> {
        let kit = self.hosted.as_ref()?.kit.own()?;
        Some(AskedFor::new(kit, self.photo(order)?.step_id()?))
    }

    /// The photo at the 1-based place `order`.
    #[must_use]
    pub fn photo(&self, order: u32) -> Option<&ExpectedPhoto> {
        self.photos.get(usize::try_from(order).ok()?.checked_sub(1)?)
    }

    /// The number of captured photos.
    #[must_use]
    pub fn captured_count(&self) -> usize {
        self.photos.iter().filter(|photo| photo.is_captured()).count()
    }

    /// Whether all photos are captured.
    #[must_use]
    pub fn is_concluded(&self) -> bool {
        self.captured_count() == self.total_photos()
    }

    /// Whether exactly one photo is missing.
    #[must_use]
    pub fn is_on_last_photo(&self) -> bool {
        self.captured_count() + 1 == self.total_photos()
    }

    /// Whether the session has expired.
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

    /// The 1-based place of the first photo that is missing; `None` if all are captured.
    #[must_use]
    pub fn pending_order(&self) -> Option<u32> {
        let index = self.photos.iter().position(ExpectedPhoto::is_pending)?;
        u32::try_from(index + 1).ok()
    }

    /// Marks the photo at the 1-based place `order` as skipped.
    pub fn skip(&mut self, order: u32) {
        let index = usize::try_from(order).ok().and_then(|order| order.checked_sub(1));
        if let Some(photo) = index.and_then(|index| self.photos.get_mut(index)) {
            photo.skipped = true;
        }
    }

    /// The place of the first photo that is pending after the one at the 1-based place `order`.
    #[must_use]
    pub fn pending_after(&self, order: u32) -> Option<u32> {
        let after = usize::try_from(order).ok()?;
        let index = after + self.photos.get(after..)?.iter().position(ExpectedPhoto::is_pending)?;
        u32::try_from(index + 1).ok()
    }

    /// The step of the session's kit for each place. `None` if the kit is not the session's.
    #[must_use]
    pub fn steps<'a>(&self, kit: &'a Kit) -> Option<Vec<&'a KitStep>> {
        let steps = &kit.content().steps;
        let of = |(index, photo): (usize, &ExpectedPhoto)| match photo.step_id() {
            None => steps.get(index),
            Some(id) => steps.iter().find(|step| step.id == *id),
        };
        self.photos.iter().enumerate().map(of).collect()
    }

    /// Removes the personal data of the photo at the 1-based place `order`. If all photos of the session are erased
    /// then, the integrator's reference is erased too. Returns whether anything changed.
    pub fn erase(&mut self, order: u32) -> bool {
        let index = usize::try_from(order).ok().and_then(|order| order.checked_sub(1));
        let Some(photo) = index.and_then(|index| self.photos.get_mut(index)) else { return false };
        if photo.capture.take().is_none() {
            return false;
        }
        photo.erased = true;
        if self.photos.iter().all(|photo| photo.erased || photo.skipped) {
            self.reference_id = ReferenceId::erased();
        }
        true
    }

    /// Checks that the session may be loaded. Used and expired sessions get the same refusal.
    ///
    /// # Errors
    /// [`Refusal::SessionUsedOrExpired`].
    pub fn check_loadable(&self, now: OffsetDateTime) -> Result<(), Refusal> {
        if self.is_concluded() || self.is_expired(now) { Err(Refusal::SessionUsedOrExpired) } else { Ok(()) }
    }

    /// Checks that the session may accept a capture.
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

    /// Checks that a capture is for the first missing photo, and returns its 1-based place.
    ///
    /// # Errors
    /// [`Refusal::PhotoOrderMismatch`].
    pub fn check_photo_order(&self, photo_order: i64) -> Result<u32, Refusal> {
        self.pending_order().filter(|order| i64::from(*order) == photo_order).ok_or(Refusal::PhotoOrderMismatch)
    }

    /// Checks that the photo at the 1-based place `order` may be skipped.
    ///
    /// # Errors
    /// [`Refusal::PhotoRequired`].
    pub fn check_optional(&self, order: u32) -> Result<(), Refusal> {
        let step = self.photo(order).and_then(|photo| photo.step.as_ref());
        if step.is_some_and(|step| step.optional) { Ok(()) } else { Err(Refusal::PhotoRequired) }
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
        let (client, license) = (ClientId::from_u128(1), LicenseId::from_u128(2));
        let mut session =
            Session::new(client, license, Environment::Sandbox, reference, ExpectedPhoto::plain(total), NOW);
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
    fn refuses_used_and_expired_sessions() {
        let late = NOW + Duration::minutes(30);
        assert_eq!(session(1, 0).check_open(NOW), Ok(()));
        assert_eq!(session(1, 1).check_open(late), Err(Refusal::SessionAlreadyUsed));
        assert_eq!(session(1, 0).check_open(late), Err(Refusal::SessionExpired));
        assert_eq!(session(1, 1).check_loadable(NOW), Err(Refusal::SessionUsedOrExpired));
        assert_eq!(session(1, 0).check_loadable(late), Err(Refusal::SessionUsedOrExpired));
    }

    #[test]
    fn the_last_erasure_removes_the_reference() {
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

    fn requested(ids: &[&str]) -> Vec<RequestedStep> {
        ids.iter().map(|id| RequestedStep { id: (*id).into(), note: None }).collect()
    }

    /// A kit of three steps, of which the first two are optional.
    fn kit() -> Kit {
        let step = |id: &str, optional: bool| {
            format!(
                r#"{{"id":"{id}","title":{{"pt-BR":"t"}},"instruction":{{"pt-BR":"i"}},"framing":"square","optional":{optional}}}"#
            )
        };
        let steps = [step("a", true), step("b", true), step("c", false)].join(",");
        Kit::parse(format!(r#"{{"name":"k","steps":[{steps}]}}"#).as_bytes()).unwrap()
    }

    #[test]
    fn a_retake_asks_for_its_steps() {
        let ids = |photos: Option<Vec<ExpectedPhoto>>| {
            photos.map(|photos| {
                photos.iter().map(|photo| photo.step_id().unwrap().as_str().to_owned()).collect::<Vec<_>>()
            })
        };
        let of = |ids: &[&str]| ExpectedPhoto::of_steps(&kit(), &requested(ids));
        assert_eq!(ids(of(&["c", "a"])).unwrap(), ["a", "c"], "in the order of the kit");
        assert_eq!(ids(Some(ExpectedPhoto::of_kit(&kit()))).unwrap(), ["a", "b", "c"]);
        for other in [&[][..], &["d"], &["a", "d"], &["a", "a"], &[""]] {
            assert_eq!(of(other), None, "{other:?}");
        }
        let last = of(&["a", "b"]).unwrap();
        assert!(last[0].step.as_ref().unwrap().optional && !last[1].step.as_ref().unwrap().optional);
    }

    #[test]
    fn notes_have_the_form_of_notes() {
        let with = |note: &str| {
            let step = RequestedStep { id: "a".into(), note: Some(note.into()) };
            ExpectedPhoto::of_steps(&kit(), &[step])
        };
        let photos = with("A foto ficou escura: \"acenda\" a luz & tente.").unwrap();
        assert!(photos[0].step.as_ref().unwrap().note.is_some());
        for other in ["", "  ", "<b>", "a\nb", "\u{202e}", &"x".repeat(161)] {
            assert_eq!(with(other), None, "{other:?}");
        }
    }

    #[test]
    fn skipped_photos_do_not_count() {
        let mut session = session(3, 0);
        session.photos = ExpectedPhoto::of_kit(&kit());
        assert_eq!(
            [1, 2, 3, 4, 0].map(|order| session.check_optional(order).is_ok()),
            [true, true, false, false, false]
        );
        session.photos[0].skipped = true;
        assert_eq!((session.total_photos(), session.pending_order(), session.is_on_last_photo()), (2, Some(2), false));
        session.photos[1].skipped = true;
        assert_eq!((session.total_photos(), session.pending_order(), session.is_on_last_photo()), (1, Some(3), true));
        session.photos[2].erased = true;
        assert!(session.is_concluded());
    }
}
