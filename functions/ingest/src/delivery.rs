//! Signs a capture and builds everything that is delivered: the proof, its record, and the response. All of it is
//! complete before anything is stored.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::{IngestedPhoto, Refusal};
use lacre_domain::{
    EvidenceRecord, LoggedCapture, PersonalData, PersonalItem, PhotoCapture, Salt, SessionId, Sha256Digest, SignError,
    capture::month_of, limits,
};
use lacre_http::{Body, OrRefuse, Rejection, Response, json, record_log_subject};
use lacre_proof::Timestamps;
use lacre_sign::{Facts, SealError, SignedPhoto};
use lacre_storage::{OutboxItem, ProofObjects};
use lacre_transparency::Entry;
use time::OffsetDateTime;

use crate::{
    Accepted, Ingest,
    announcement::Announcement,
    signers::{ProfileError, ProfileInUse},
    submission::Submission,
    timestamps::Stamping,
};

/// A capture that is signed but not stored yet.
pub(crate) struct Delivery {
    pub(crate) response: Response<Body>,
    pub(crate) capture: EvidenceRecord,
    pub(crate) personal: PersonalItem,
    pub(crate) photo: PhotoCapture,
    /// The webhook message, if this is a hosted session's last photo.
    pub(crate) announcement: Option<OutboxItem>,
    pub(crate) manifest: Vec<u8>,
    /// The signed JPEG; `None` if the license does not retain photos.
    pub(crate) jpeg: Option<Vec<u8>>,
}

/// A refusal, and whether the frame's reservation may be released at once.
struct Failure {
    rejection: Rejection,
    release: bool,
}

/// A failure after which it is certain that nothing was signed, or that the signed photo is stored nowhere: releases
/// the reservation.
fn certain(rejection: impl Into<Rejection>) -> Failure {
    Failure { rejection: rejection.into(), release: true }
}

/// A failure after which a signature may exist: the reservation is left to expire.
fn uncertain(rejection: Rejection) -> Failure {
    Failure { rejection, release: false }
}

impl Ingest {
    /// Signs an accepted capture and builds its delivery.
    pub(crate) async fn sign(
        &self,
        accepted: &Accepted,
        attempt: &str,
        announcement: Option<Announcement>,
    ) -> Result<Delivery, Rejection> {
        let now = accepted.submission.ingested_at;
        let delivery = async {
            let profile = self.ready_to_sign(accepted, now).await.map_err(certain)?;
            let session_id = accepted.submission.token.session_id(accepted.submission.photo_order);
            record_log_subject("capture", session_id.capture_id().short());
            let required = accepted.submission.license.terms.tsa_required;
            let stamping = Stamping::of(&profile, required, &self.context.budgets, now);
            let timestamps = Stamping::wanted(stamping.as_ref());
            let (proof, policy) = make_proof(accepted, &profile, timestamps, &session_id, now).await?;
            let personal = personal_item(&accepted.submission);
            let capture = record(accepted, &profile, &session_id, (&proof, policy), &personal, attempt, now)
                .or_refuse(Refusal::ResponseSerializationFailed)
                .map_err(certain)?;
            self.deliver(accepted, &session_id, (capture, personal), proof, announcement, now).await.map_err(certain)
        };
        match delivery.await {
            Ok(delivery) => Ok(delivery),
            Err(Failure { rejection, release }) => {
                if release {
                    self.release(&accepted.reservation).await;
                }
                Err(rejection)
            }
        }
    }

    /// Collects everything that signing and delivery need, so that these lookups cannot fail after a signature was
    /// made.
    async fn ready_to_sign(
        &self,
        accepted: &Accepted,
        now: OffsetDateTime,
    ) -> Result<std::sync::Arc<ProfileInUse>, Rejection> {
        self.presigner.warm_up().await.map_err(|error| match error {
            lacre_storage::SetupError::Misconfigured(_) => {
                Rejection::because(Refusal::IngestPresignConfigFailed, &error)
            }
            _ => Rejection::because(Refusal::IngestPresignFailed, &error),
        })?;
        let profile = accepted.submission.signer.as_ref();
        let profile = profile.map_err(|error| Rejection::because(Refusal::SignerRejected, error))?.as_ref();
        let profile = profile
            .ok_or_else(|| Rejection::because(Refusal::SignerRejected, &"the environment has no signer profile"))?;
        let ready = self.signers.ready(profile).await.map_err(|error| match error {
            ProfileError::Kms(SignError::Unavailable(_)) => Rejection::because(Refusal::SignerUnavailable, &error),
            ProfileError::Kms(SignError::Unreadable(_)) => Rejection::because(Refusal::SignerResponseInvalid, &error),
            ProfileError::Kms(SignError::Rejected(_))
            | ProfileError::Unusable(_)
            | ProfileError::Timestamps(_)
            | ProfileError::Mismatch(_) => Rejection::because(Refusal::SignerRejected, &error),
        })?;
        if accepted.submission.license.terms.tsa_required && ready.authorities.is_none() {
            return Err(Rejection::because(
                Refusal::SignerUnavailable,
                &"the signer profile has no timestamp authority",
            ));
        }
        ready.signers.check_dates(now).or_refuse(Refusal::SignerRejected)?;
        Ok(ready)
    }

    /// Presigns the URLs, and builds and measures the response.
    async fn deliver(
        &self,
        accepted: &Accepted,
        session_id: &SessionId,
        (capture, personal): (EvidenceRecord, PersonalItem),
        proof: SignedPhoto,
        announcement: Option<Announcement>,
        now: OffsetDateTime,
    ) -> Result<Delivery, Rejection> {
        let authenticated_jpeg_url = match &capture.jpeg_key {
            Some(key) => Some(self.proof_url(key, now).await?),
            None => None,
        };
        let response = json(&IngestedPhoto {
            session_id: session_id.expose().into(),
            photo_order: capture.photo_order,
            authenticated_jpeg_url: authenticated_jpeg_url.map(Into::into),
            manifest_url: self.proof_url(&capture.manifest_key, now).await?.into(),
            complete: accepted.submission.session.is_on_last_photo(),
            signed_image_base64: STANDARD.encode(&proof.jpeg),
        })?;
        if response.body().len() > limits::MAX_RESPONSE_BYTES {
            return Err(Refusal::SignedPayloadTooLarge.into());
        }
        let photo = PhotoCapture {
            label: personal.data.claims.label.clone(),
            heading: personal.data.claims.heading,
            position: personal.data.claims.position,
            captured_at_ms: personal.data.claims.captured_at_ms,
            frame_hash: capture.frame_hash,
            recapture_risk: capture.recapture_risk,
            jpeg_sha256: Some(capture.jpeg_sha256),
            jpeg_key: capture.jpeg_key.clone(),
            manifest_key: capture.manifest_key.clone(),
            logged: Some(LoggedCapture {
                salt: personal.log_salt(),
                record: capture.digest().or_refuse(Refusal::ResponseSerializationFailed)?,
            }),
        };
        let announcement = match announcement {
            Some(announcement) => Some(self.announce(announcement, &accepted.submission, &capture, &photo, now).await?),
            None => None,
        };
        let jpeg = capture.jpeg_key.is_some().then_some(proof.jpeg);
        Ok(Delivery { response, capture, personal, photo, announcement, manifest: proof.manifest, jpeg })
    }

    /// A presigned URL of an object of the proof, valid for seven days.
    pub(crate) async fn proof_url(&self, key: &str, now: OffsetDateTime) -> Result<String, Rejection> {
        self.presigner.proof_url(key, now).await.or_refuse(Refusal::IngestPresignFailed)
    }
}

/// Makes the seal (the ICP-Brasil signature), then the manifest that contains it, each with a timestamp where one is
/// requested. Also returns the OID of the signature policy.
async fn make_proof(
    accepted: &Accepted,
    profile: &ProfileInUse,
    timestamps: Timestamps<'_>,
    session_id: &SessionId,
    now: OffsetDateTime,
) -> Result<(SignedPhoto, String), Failure> {
    let submission = &accepted.submission;
    let facts = Facts {
        capture_id: session_id.capture_id(),
        ingested_at: now,
        claims: submission.claims.clone(),
        gps_result: accepted.gps_result,
        recapture_risk: accepted.analysis.risk,
    };
    let (signers, hash) = (&profile.signers, &submission.frame_hash);
    let signature =
        signers.sign_frame(hash, &facts, &profile.seal_key, timestamps).await.map_err(|error| failure(&error))?;
    let proof = signers.sign_manifest(&accepted.photo, hash, &signature, &profile.claim_key, timestamps).await;
    Ok((proof.map_err(|error| failure(&error))?, signature.policy_oid()))
}

fn failure(error: &SealError) -> Failure {
    match error {
        SealError::Rejected(_) => certain(Rejection::because(Refusal::SignerRejected, error)),
        SealError::Unavailable(_) => uncertain(Rejection::because(Refusal::SignerUnavailable, error)),
        SealError::NotTimestamped(_) => certain(Rejection::because(Refusal::SignerUnavailable, error)),
        SealError::InvalidResponse(_) => uncertain(Rejection::because(Refusal::SignerResponseInvalid, error)),
    }
}

fn personal_item(submission: &Submission) -> PersonalItem {
    PersonalItem {
        data: PersonalData {
            reference_id: submission.session.reference_id.clone(),
            claims: submission.claims.clone(),
            header_user_agent: submission.header_user_agent.clone(),
        },
        salt: Salt::from_entropy(lacre_storage::entropy()),
        session: submission.token.hash(),
    }
}

fn record(
    accepted: &Accepted,
    profile: &ProfileInUse,
    session_id: &SessionId,
    (proof, signature_policy): (&SignedPhoto, String),
    personal: &PersonalItem,
    attempt: &str,
    now: OffsetDateTime,
) -> Result<EvidenceRecord, serde_json::Error> {
    let Accepted { submission, photo, analysis, gps_result, .. } = accepted;
    let retained = submission.license.terms.store_asset_policy.retains();
    let capture = EvidenceRecord {
        capture_id: session_id.capture_id(),
        attempt: attempt.to_owned(),
        environment: submission.session.environment,
        client_id: submission.session.client_id.clone(),
        license_id: submission.license.id.clone(),
        month: month_of(now),
        photo_order: submission.photo_order,
        origin: submission.origin.clone(),
        frame_hash: submission.frame_hash,
        frame_bytes: photo.bytes().len() as u64,
        commitments: personal.commitments(),
        gps_mode: submission.license.terms.gps_mode,
        gps_result: *gps_result,
        ingested_at: now,
        recapture_gate: submission.license.terms.recapture_gate,
        recapture_risk: analysis.risk,
        recapture_scores: analysis.scores.clone(),
        recapture_threshold: crate::image::threshold(&submission.license),
        signer_version: profile.profile.version,
        signature_policy,
        service_version: env!("CARGO_PKG_VERSION").to_owned(),
        icp_brasil: profile.profile.seal.icp_brasil,
        manifest_sha256: Sha256Digest::of(&proof.manifest),
        jpeg_sha256: Sha256Digest::of(&proof.jpeg),
        store_asset_policy: submission.license.terms.store_asset_policy,
        jpeg_key: retained.then(|| ProofObjects::jpeg_key(&session_id.capture_id(), attempt)),
        manifest_key: ProofObjects::manifest_key(&session_id.capture_id(), attempt),
        log_entry: None,
    };
    let entry = Entry::of_capture(&personal.log_salt(), &capture)?;
    Ok(EvidenceRecord { log_entry: Some(entry.digest()), ..capture })
}
