//! `POST /web/ingest`: the page submits a capture; the service checks it, signs it and delivers the proof.
//!
//! The steps follow the order of the checks in `docs/reference/api.md#refused-captures`. Each is a type that owns the
//! ports it needs, in the module of its name. The list says what each step reserves, and what happens to that when a
//! later check fails:
//!
//! 1. `submission`: every check that does not need the image. Nothing is reserved.
//! 2. `upload`: the nonce is consumed and the image is read. At the same time, in a hosted session, `next` issues the
//!    upload of the next photo, or `announcement` prepares the webhook for the last one. Then `image`: the image is checked and the frame is reserved. A refusal releases
//!    the reservation.
//! 3. `delivery`: `signing` makes both signatures, and the response is built completely. A refusal releases the
//!    reservation if it is certain that nothing was signed, or that the signed photo is stored nowhere. Otherwise the
//!    reservation is left to expire.
//! 4. `proof`: the proof is stored and the reservation is made permanent. A failure releases the reservation.
//! 5. `commit`: the capture is committed. If another request committed this photo first, the reservation is released as
//!    in step 4. If the evidence record could not be written, the reservation stays, and the photo is not delivered.
//!
//! This function cannot delete a proof. A proof that steps 4 and 5 stored without a commit is referenced by no record,
//! and operators remove it (`evidence reconcile`).
//!
//! Nothing that can fail follows the commit.
//!
//! A refusal of any step is recorded, once the session is known: `refusal`.
//!
//! The function also serves the admin API's probe of signers, which captures nothing: `probe`.
//!
//! Steps 1 to 4 share one time budget. The commit, the release of a refused request's reservation and the record of its
//! refusal each have a budget of their own.

mod announcement;
mod commit;
mod delivery;
mod failure;
mod image;
mod next;
pub mod payload;
pub mod phases;
mod probe;
mod proof;
mod refusal;
mod signers;
mod signing;
mod submission;
mod timestamps;
mod upload;

use std::sync::{Arc, OnceLock};

use lacre_domain::Clock;
use lacre_http::{Body, Context, Endpoint, Rejection, Request, Response, compressed, respond};
use lacre_metrics::timed;
use lacre_recapture::Analyse;
use lacre_storage::{Connection, Frames, Reservation, within};

use crate::{
    announcement::PrepareAnnouncement,
    commit::CommitCapture,
    delivery::{Delivery, MakeDelivery},
    failure::Failure,
    image::AcceptImage,
    next::PrepareNext,
    probe::ProbeSigners,
    proof::StoreProof,
    refusal::{Attempt, RecordRefusal},
    submission::{ReadSubmission, Returned, Submission},
    upload::ReadUpload,
};

/// The endpoint with its steps, in their order.
pub struct Ingest {
    submission: ReadSubmission,
    upload: ReadUpload,
    announcement: PrepareAnnouncement,
    next: PrepareNext,
    image: AcceptImage,
    delivery: MakeDelivery,
    proof: StoreProof,
    commit: CommitCapture,
    /// Releases the reservation of a step that failed.
    frames: Frames,
    refusal: RecordRefusal,
    probe: ProbeSigners,
    context: Context,
}

impl Endpoint for Ingest {
    async fn warm_up(&self) {
        self.delivery.warm_up().await;
    }

    async fn handle(&self, request: Request) -> Response<Body> {
        if probe::is_probe(&request) {
            return self.probe.respond(&request).await;
        }
        respond(&self.context.service_name, self.ingest(&request)).await
    }
}

impl Ingest {
    /// The endpoint with its steps on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("ingest");
        Self {
            submission: ReadSubmission::new(connection),
            upload: ReadUpload::new(connection),
            announcement: PrepareAnnouncement::new(connection),
            next: PrepareNext::new(connection),
            image: AcceptImage::new(connection, lacre_recapture::analyse),
            delivery: MakeDelivery::new(connection, Arc::clone(&clock)),
            proof: StoreProof::new(connection),
            commit: CommitCapture::new(connection),
            frames: Frames::new(connection),
            refusal: RecordRefusal::new(connection),
            probe: ProbeSigners::new(connection, Arc::clone(&clock)),
            context: Context::new(connection, clock),
        }
    }

    /// A copy with another recapture analysis, for tests.
    #[must_use]
    pub fn with_analysis(self, analyse: Analyse) -> Self {
        Self { image: self.image.with_analysis(analyse), ..self }
    }

    async fn ingest(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let attempt = OnceLock::new();
        let captured = self.capture(request, &attempt).await;
        if let (Err(rejection), Some(attempt)) = (&captured, attempt.into_inner()) {
            within(self.context.budgets.refusal, self.refusal.record(attempt, rejection)).await;
        }
        captured
    }

    async fn capture(&self, request: &Request, attempt: &OnceLock<Attempt>) -> Result<Response<Body>, Rejection> {
        let (submission, delivery) = within(self.context.budgets.request, self.prove(request, attempt)).await?;
        let reservation = submission.reservation();
        let commit = self.while_reserved(&reservation, self.commit.commit(&submission, &delivery));
        timed(phases::COMMIT, commit).await?;
        self.upload.discard(submission.image_key);
        // A photo hardly becomes smaller.
        Ok(match submission.returns {
            Returned::Photo => delivery.response,
            Returned::Manifest => compressed(request, delivery.response),
        })
    }

    /// All steps before the commit: makes the proof and stores it.
    async fn prove(&self, request: &Request, attempt: &OnceLock<Attempt>) -> Result<(Submission, Delivery), Rejection> {
        let now = self.context.now().truncate_to_millisecond();
        let submission = timed(phases::SUBMISSION, self.submission.read(request, now, attempt)).await?;

        let begin = async {
            tokio::join!(
                self.upload.read(&submission),
                self.announcement.prepare(&submission),
                self.next.prepare(&submission),
            )
        };
        let (frame, announcement, next) = timed(phases::IMAGE, begin).await;
        let (frame, announcement) = (frame?, announcement?);
        lacre_metrics::add(phases::PHOTO_BYTES, frame.len() as f64);

        let reservation = submission.reservation();
        let accept = self.while_reserved(&reservation, self.image.accept(submission, frame));
        let accepted = timed(phases::CHECKS, accept).await?;

        let deliver = self.while_reserved(&reservation, self.delivery.make(&accepted, announcement, next));
        let delivery = timed(phases::SIGN, deliver).await?;

        let store = self.while_reserved(&reservation, self.proof.store(&delivery, &reservation));
        timed(phases::STORE, store).await?;
        Ok((accepted.submission, delivery))
    }

    /// Runs a step that reserves the frame or finds it reserved. If the step fails, the reservation is released where
    /// the failure says so.
    async fn while_reserved<T>(
        &self,
        reservation: &Reservation,
        step: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Rejection> {
        let Failure { rejection, release } = match step.await {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        if release && let Err(error) = within(self.context.budgets.cleanup, self.frames.release(reservation)).await {
            tracing::warn!(cause = %error, "failed to release the reservation");
        }
        Err(rejection)
    }
}
