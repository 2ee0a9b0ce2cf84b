//! `POST /web/ingest`: the page submits a capture; the service checks it, signs it and delivers the proof.
//!
//! The steps follow the order of the checks in `docs/reference/api.md#refused-captures`. The list says what each step
//! reserves, and what happens to that when a later check fails:
//!
//! 1. `submission`: every check that does not need the image. Nothing is reserved.
//! 2. The nonce is consumed, the image is read and checked, and the frame is reserved. A refusal releases the
//!    reservation.
//! 3. `delivery`: both signatures are made and the response is built completely. A refusal releases the reservation if
//!    it is certain that nothing was signed, or that the signed photo is stored nowhere. Otherwise the reservation is
//!    left to expire.
//! 4. The proof is stored and the reservation is made permanent. A failure releases the reservation.
//! 5. The capture is committed. If another request committed this photo first, the reservation is released as in step
//!    4. If the evidence record could not be written, the reservation stays, and the photo is not delivered.
//!
//! This function cannot delete a proof. A proof that steps 4 and 5 stored without a commit is referenced by no record,
//! and operators remove it (`evidence reconcile`).
//!
//! Nothing that can fail follows the commit.
//!
//! The function also serves the admin API's probe of signers, which captures nothing: `probe`.
//!
//! Steps 1 to 4 share one time budget. The commit, and the release of a refused request's reservation, each have a
//! budget of their own.

mod announcement;
mod delivery;
mod image;
pub mod payload;
pub mod phases;
mod probe;
mod signers;
mod submission;
mod timestamps;

use std::sync::Arc;

use lacre_api::Refusal;
use lacre_domain::{Clock, FrameHash, GpsResult};
use lacre_http::{Body, Context, Endpoint, OrRefuse, Rejection, Request, Response, respond};
use lacre_metrics::timed;
use lacre_photo::CheckedPhoto;
use lacre_recapture::{Analyse, Analysis};
use lacre_storage::{
    Accounts, Commit, CommitOutcome, Commits, Connection, Frames, Outbox, ProofObjects, ProofPresigner,
    ReadObjectError, Renewals, Reservation, Sessions, SignerProfiles, SigningKeys, Uploads, for_request, request_ids,
    within,
};
use tracing::Instrument;

use crate::{announcement::Announcement, delivery::Delivery, signers::SignerCache, submission::Submission};

/// The endpoint with its ports.
pub struct Ingest {
    accounts: Accounts,
    profiles: SignerProfiles,
    sessions: Sessions,
    frames: Frames,
    commits: Commits,
    renewals: Renewals,
    outbox: Outbox,
    uploads: Uploads,
    proofs: ProofObjects,
    presigner: ProofPresigner,
    signers: SignerCache,
    analyse: Analyse,
    context: Context,
}

/// A submission whose image passed every check, with the reservation of its frame.
struct Accepted {
    submission: Submission,
    photo: CheckedPhoto,
    analysis: Analysis,
    gps_result: GpsResult,
    reservation: Reservation,
}

impl Endpoint for Ingest {
    /// Also prepares the signer of the first environment. The others are prepared at their first capture, because a
    /// process mostly serves one environment, and preparing three would slow every cold start.
    async fn warm_up(&self) {
        let signer = async {
            if let Some(profile) = self.profiles.in_force().await.unwrap_or_default().first() {
                let _ = self.signers.ready(profile).await;
            }
        };
        let _ = tokio::join!(signer, self.presigner.warm_up());
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        if probe::is_probe(&request) {
            return self.respond_to_probe(&request).await;
        }
        respond(&self.context.service_name, self.ingest(&request)).await
    }
}

impl Ingest {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("ingest");
        Self {
            accounts: Accounts::new(connection),
            profiles: SignerProfiles::new(connection),
            sessions: Sessions::new(connection),
            frames: Frames::new(connection),
            commits: Commits::new(connection),
            renewals: Renewals::new(connection),
            outbox: Outbox::new(connection),
            uploads: Uploads::new(connection),
            proofs: ProofObjects::new(connection),
            presigner: ProofPresigner::new(connection),
            signers: SignerCache::new(SigningKeys::new(connection), Arc::clone(&clock)),
            analyse: lacre_recapture::analyse,
            context: Context::new(connection, clock),
        }
    }

    /// A copy with another recapture analysis, for tests.
    #[must_use]
    pub fn with_analysis(self, analyse: Analyse) -> Self {
        Self { analyse, ..self }
    }

    async fn ingest(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let (accepted, delivery) = within(self.context.budgets.request, self.prove(request)).await?;
        timed(phases::COMMIT, self.commit(&accepted, &delivery)).await?;
        self.discard_upload(accepted.submission.image_key);
        Ok(delivery.response)
    }

    /// All steps before the commit: makes the proof and stores it.
    async fn prove(&self, request: &Request) -> Result<(Accepted, Delivery), Rejection> {
        let attempt = lacre_storage::attempt_id();
        let now = self.context.now().truncate_to_millisecond();
        let submission = timed(phases::SUBMISSION, self.read_submission(request, now)).await?;
        let (frame, announcement) = timed(phases::IMAGE, self.begin(&submission, &attempt)).await?;
        lacre_metrics::add(phases::PHOTO_BYTES, frame.len() as f64);
        let accepted = timed(phases::CHECKS, self.accept(submission, frame, &attempt)).await?;
        let delivery = timed(phases::SIGN, self.sign(&accepted, &attempt, announcement)).await?;
        timed(phases::STORE, self.store(&accepted, &delivery)).await?;
        Ok((accepted, delivery))
    }

    /// Reads the image, and at the same time what the webhook of the session's last photo needs.
    async fn begin(
        &self,
        submission: &Submission,
        attempt: &str,
    ) -> Result<(Arc<[u8]>, Option<Announcement>), Rejection> {
        let (frame, announcement) =
            tokio::join!(self.read_image(submission, attempt), self.begin_announcement(submission));
        Ok((frame?, announcement?))
    }

    /// Consumes the nonce and reads the image at the same time. If the nonce was already consumed, the request fails
    /// whatever the image is.
    async fn read_image(&self, submission: &Submission, attempt: &str) -> Result<Arc<[u8]>, Rejection> {
        let (consumed, image) = tokio::join!(
            self.sessions.consume_nonce(&submission.nonce, attempt),
            self.uploads.read(&submission.image_key),
        );
        if !consumed.or_refuse(Refusal::NonceStoreUnavailable)? {
            return Err(Refusal::NonceReplay.into());
        }
        match image {
            Ok(bytes) => Ok(bytes.into()),
            Err(ReadObjectError::NotFound) => Err(Refusal::ImageNotFound.into()),
            Err(ReadObjectError::TooLarge { bytes, max_bytes }) => {
                Err(Refusal::AssetTooLarge { bytes, max_asset_bytes: max_bytes }.into())
            }
            Err(error @ ReadObjectError::Unavailable(_)) => Err(error).or_refuse(Refusal::RawStoreUnavailable),
            Err(error @ ReadObjectError::Refused(_)) => Err(error).or_refuse(Refusal::RawReadFailed),
        }
    }

    /// Checks the image and reserves the frame at the same time.
    async fn accept(&self, submission: Submission, frame: Arc<[u8]>, attempt: &str) -> Result<Accepted, Rejection> {
        // This check comes first, so that only someone who has the frame can reserve it; its hash alone is not enough.
        if FrameHash::of(&frame) != submission.frame_hash {
            return Err(Refusal::ImageInvalid.into());
        }
        let (license, session) = (&submission.license, &submission.session);
        let reservation = Frames::reservation(session.environment, &session.client_id, &submission.frame_hash, attempt);
        let (checked, reserved) = tokio::join!(
            image::check(frame, license, self.analyse),
            self.frames.reserve(&reservation, submission.ingested_at),
        );
        let gates = || -> Result<(CheckedPhoto, Analysis, GpsResult), Rejection> {
            let (photo, analysis) = checked?;
            let gps_result =
                submission.claims.position.gate(license.terms.gps_mode, license.terms.gps_max_accuracy_m)?;
            image::recapture_gate(license.terms.recapture_gate, analysis.risk)?;
            Ok((photo, analysis, gps_result))
        };
        let outcome = match (gates(), reserved) {
            (Ok((photo, analysis, gps_result)), Ok(true)) => {
                return Ok(Accepted { submission, photo, analysis, gps_result, reservation });
            }
            (Ok(_), Ok(false)) => return Err(Refusal::Duplicate.into()),
            (Err(rejection), Ok(false)) => return Err(rejection),
            (Ok(_), Err(error)) => Err(error).or_refuse(Refusal::HashStoreUnavailable),
            (Err(rejection), _) => Err(rejection),
        };
        // The outcome of the reservation may be unknown. Only this attempt's own reservation is released, so releasing
        // is safe in any case.
        self.release(&reservation).await;
        outcome
    }

    /// Stores the proof and makes the reservation permanent at the same time.
    async fn store(&self, accepted: &Accepted, delivery: &Delivery) -> Result<(), Rejection> {
        let (stored, marked) = tokio::join!(
            self.proofs.store(
                (&delivery.capture.manifest_key, &delivery.manifest),
                delivery.capture.jpeg_key.as_deref().zip(delivery.jpeg.as_deref()),
            ),
            self.frames.mark_signed(&accepted.reservation),
        );
        let outcome = match (stored, marked) {
            (Ok(()), Ok(true)) => return Ok(()),
            (Ok(()), Ok(false)) => Err(Refusal::Duplicate.into()),
            (Ok(()), Err(error)) => Err(error).or_refuse(Refusal::HashStoreUnavailable),
            (Err(error), _) => Err(error).or_refuse(Refusal::ProofStoreUnavailable),
        };
        self.release(&accepted.reservation).await;
        outcome
    }

    async fn commit(&self, accepted: &Accepted, delivery: &Delivery) -> Result<(), Rejection> {
        let Delivery { capture, personal, photo, announcement, .. } = delivery;
        let token = &accepted.submission.token;
        let commit = Commit { token, capture, personal, photo, announcement: announcement.as_ref() };
        match self.commits.commit(&commit).await.or_refuse(Refusal::LedgerWriteFailed)? {
            CommitOutcome::Committed => Ok(()),
            CommitOutcome::Lost => {
                self.release(&accepted.reservation).await;
                // If other photos of the session are missing, the page can load the session again and continue.
                let is_last = accepted.submission.session.is_on_last_photo();
                Err(if is_last { Refusal::SessionAlreadyUsed } else { Refusal::PhotoOrderMismatch }.into())
            }
            CommitOutcome::SessionChanged => {
                self.release(&accepted.reservation).await;
                Err(Refusal::NonceReplay.into())
            }
        }
    }

    async fn release(&self, reservation: &Reservation) {
        if let Err(error) = within(self.context.budgets.cleanup, self.frames.release(reservation)).await {
            tracing::warn!(cause = %error, "failed to release the reservation");
        }
    }

    /// Deletes the ingested upload in the background; the response does not wait for it. If Lambda freezes the process
    /// before the deletion, the bucket's lifecycle rule deletes the upload within a day or two.
    fn discard_upload(&self, image_key: String) {
        let uploads = self.uploads.clone();
        let discard = async move {
            if let Err(error) = uploads.delete(&image_key).await {
                tracing::warn!(cause = %error, "failed to delete the ingested upload");
            }
        };
        tokio::spawn(for_request(request_ids(), discard).in_current_span());
    }
}
