//! The checks before the nonce is consumed: everything that can be refused without reading the image.

use std::sync::OnceLock;

use lacre_api::{Refusal, headers};
use lacre_domain::{
    BrowserClaims, ExtraFrames, FrameHash, IssuedNonce, Label, License, Nonce, Origin, Position, RecaptureGate,
    Session, SessionId, SessionToken, SignerProfile, UserAgent, clock::check_device_clock,
};
use lacre_http::{OrRefuse, OrRefuseAs, Rejection, Request, browser, check_page, flow, header, record_log_subject};
use lacre_storage::{Accounts, Connection, Frames, LicenseUnusable, Reservation, Sessions, attempt_id};
use time::OffsetDateTime;

use crate::{payload::Payload, refusal::Attempt};

/// An ingest request whose fields all passed their checks; its image has not been read yet.
#[derive(Debug)]
pub(crate) struct Submission {
    /// The id of this attempt at the capture.
    pub(crate) attempt: String,
    /// When the request arrived, truncated to milliseconds. All checks of the ingest use this time, and the proof
    /// states it.
    pub(crate) ingested_at: OffsetDateTime,
    pub(crate) token: SessionToken,
    pub(crate) session: Session,
    pub(crate) license: License,
    /// The signer profile of the license's environment; the rejection if it is missing or unreadable, which follows
    /// later, at that check's place in the order.
    pub(crate) signer: Result<SignerProfile, Rejection>,
    /// The stored OCSP response about the claim certificate, in DER, not checked yet. A capture does not need one.
    pub(crate) staple: Option<Vec<u8>>,
    pub(crate) origin: Origin,
    pub(crate) nonce: Nonce,
    pub(crate) photo_order: u32,
    pub(crate) image_key: String,
    pub(crate) frame_hash: FrameHash,
    pub(crate) claims: BrowserClaims,
    /// The `User-Agent` header, if it differs from the user agent that the page states.
    pub(crate) header_user_agent: Option<UserAgent>,
    /// What the page wants back.
    pub(crate) returns: Returned,
}

/// What the response has of the proof.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Returned {
    /// The signed photo.
    Photo,
    /// The manifest, which the page puts into its frame: the photo does not travel back.
    Manifest,
}

impl Returned {
    fn of(request: &Request) -> Self {
        match header(request, headers::PHOTO) {
            Some(headers::MANIFEST) => Self::Manifest,
            _ => Self::Photo,
        }
    }
}

impl Submission {
    /// The reservation of the frame for this attempt, without making it.
    pub(crate) fn reservation(&self) -> Reservation {
        Frames::reservation(self.session.environment, &self.session.client_id, &self.frame_hash, &self.attempt)
    }

    /// The recapture policy for this photo: the license's, or `RECORD` where the license refuses recaptures and the step
    /// of the kit expects a display. Only operators write kits, so nobody else can lower the policy.
    pub(crate) fn recapture_gate(&self) -> RecaptureGate {
        let step = self.session.photo(self.photo_order).and_then(|photo| photo.step.as_ref());
        match self.license.terms.recapture_gate {
            RecaptureGate::Block if step.is_some_and(|step| step.display_expected) => RecaptureGate::Record,
            gate => gate,
        }
    }

    /// The id of the photo for the integrator.
    pub(crate) fn session_id(&self) -> SessionId {
        self.token.session_id(self.photo_order)
    }
}

/// The step that makes every check which does not need the image.
pub(crate) struct ReadSubmission {
    sessions: Sessions,
    accounts: Accounts,
}

impl ReadSubmission {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { sessions: Sessions::new(connection), accounts: Accounts::new(connection) }
    }

    /// Parses and checks a submission that arrived at `now`, in the order of
    /// `docs/reference/api.md#refused-captures`.
    ///
    /// `attempt` is set as soon as the session is known.
    pub(crate) async fn read(
        &self,
        request: &Request,
        now: OffsetDateTime,
        attempt: &OnceLock<Attempt>,
    ) -> Result<Submission, Rejection> {
        let payload = Payload::read(request.body())?;
        let position = Position::parse(payload.gps_lat, payload.gps_lon, payload.gps_accuracy)?;
        let label = payload.label.clone()?.as_deref().map_or(Ok(None), Label::parse)?;
        let nonce = Nonce::parse(payload.nonce.as_deref());

        let token = SessionToken::parse(&payload.token).ok_or(Refusal::SessionNotFound)?;
        record_log_subject("session", token.hash().short());
        let (session, issued) = self.open_session(&token, nonce.as_ref().ok(), now).await?;
        attempt.get_or_init(|| Attempt::of(&token, &session, &payload, now));
        session.check_flow(flow(request).is_hosted())?;
        session.check_open(now)?;
        browser(request)?;
        let (license, signer, staple) = self.read_license(&session, now).await?;
        let origin = check_page(request, &license)?;
        let nonce = nonce?;
        let issued = issued?;
        issued.check_usable(&token.hash(), &license.id)?;
        issued.check_origin(&origin)?;
        check_device_clock(payload.captured_at_ms, issued.issued_at, now)?;
        let extra_frames = ExtraFrames::parse(&payload.extra_frame_hashes, payload.frame_hash)?;
        let frame_hash = payload.frame_hash.ok_or(Refusal::PayloadInvalid)?;
        let photo_order = session.check_photo_order(payload.photo_order)?;
        issued.check_image_key(&payload.image_key)?;
        let header_user_agent = payload.user_agent.as_ref().zip(header(request, "user-agent"));
        let header_user_agent = header_user_agent.and_then(|(claimed, sent)| claimed.differing(sent));
        Ok(Submission {
            attempt: attempt_id(),
            ingested_at: now,
            token,
            session,
            license,
            signer,
            staple,
            origin,
            nonce,
            photo_order,
            frame_hash,
            claims: payload.claims(position, label, extra_frames),
            image_key: payload.image_key,
            header_user_agent,
            returns: Returned::of(request),
        })
    }

    /// Reads the session. The nonce's record is read at the same time; its rejection follows later.
    async fn open_session(
        &self,
        token: &SessionToken,
        nonce: Option<&Nonce>,
        now: OffsetDateTime,
    ) -> Result<(Session, Result<IssuedNonce, Rejection>), Rejection> {
        let opened = self.sessions.open(token, nonce, now).await.or_refuse(Refusal::NonceStoreUnavailable)?;
        let session = opened.session.or_refuse(Refusal::SessionCorrupt)?.ok_or(Refusal::SessionNotFound)?;
        let issued = opened.nonce.or_refuse(Refusal::NonceStoreUnavailable);
        Ok((session, issued.and_then(|issued| issued.ok_or_else(|| Refusal::NonceReplay.into()))))
    }

    /// Reads the session's license, and checks that it may be used. The signer profile of its environment and the OCSP
    /// response about its claim certificate are read at the same time; the profile's rejection follows later.
    async fn read_license(
        &self,
        session: &Session,
        now: OffsetDateTime,
    ) -> Result<(License, Result<SignerProfile, Rejection>, Option<Vec<u8>>), Rejection> {
        let id = session.license_id.as_ref().ok_or(Refusal::LicenseMissing)?;
        let read = self.accounts.read_license_and_signer(id, &session.client_id, session.environment).await;
        let read = read.or_refuse(Refusal::NonceStoreUnavailable)?;
        let license = read.license.check(now).or_refuse_as(unusable)?;
        let missing = || Rejection::because(Refusal::SignerRejected, &"the environment has no signer profile");
        let signer = read.signer.or_refuse(Refusal::SignerRejected);
        let staple = read.staple.unwrap_or_else(|error| {
            tracing::warn!(cause = %error, "the stored OCSP response is not read");
            None
        });
        Ok((license, signer.and_then(|signer| signer.ok_or_else(missing)), staple))
    }
}

/// The refusal of a license that must not be used.
fn unusable(license: &LicenseUnusable) -> Refusal {
    match license {
        LicenseUnusable::ClientUnreadable(_) | LicenseUnusable::ClientMissing | LicenseUnusable::Foreign => {
            Refusal::LedgerClientIdUnauthoritative
        }
        LicenseUnusable::Unreadable(_) | LicenseUnusable::Missing | LicenseUnusable::NotInForce(_) => {
            Refusal::LicenseRefused
        }
    }
}
