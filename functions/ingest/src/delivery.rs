//! Everything that is delivered: the proof, its record, and the response. All of it is complete before anything is
//! stored.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::{IngestedManifest, IngestedPhoto, NextPhoto, Receipt, Refusal};
use lacre_domain::{
    Clock, EvidenceRecord, LoggedCapture, PersonalData, PersonalItem, PhotoCapture, Salt, SessionId, Sha256Digest,
    capture::month_of, limits,
};
use lacre_http::{Body, OrRefuse, OrRefuseAs, Rejection, Response, json, record_log_subject};
use lacre_sign::SignedPhoto;
use lacre_storage::{Connection, OutboxItem, ProofObjects, ProofPresigner, SetupError};
use lacre_transparency::Entry;
use time::OffsetDateTime;

use crate::{
    announcement::Announcement,
    failure::Failure,
    image::{Accepted, threshold},
    signers::ReadyProfile,
    signing::SignPhoto,
    submission::{Returned, Submission},
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

/// The step that signs, and builds the delivery.
pub(crate) struct MakeDelivery {
    signing: SignPhoto,
    presigner: ProofPresigner,
}

impl MakeDelivery {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self { signing: SignPhoto::new(connection, clock), presigner: ProofPresigner::new(connection) }
    }

    /// Prepares a signer, and fetches the credentials for presigned URLs.
    pub(crate) async fn warm_up(&self) {
        let _ = tokio::join!(self.signing.warm_up(), self.presigner.warm_up());
    }

    /// Signs an accepted capture and builds its delivery. What both need is fetched first, so that these lookups cannot
    /// fail after a signature was made.
    pub(crate) async fn make(
        &self,
        accepted: &Accepted,
        announcement: Option<Announcement>,
        next: Option<NextPhoto>,
    ) -> Result<Delivery, Failure> {
        self.presigner.warm_up().await.or_refuse_as(without_credentials).map_err(Failure::released)?;
        let profile = self.signing.ready(&accepted.submission).await.map_err(Failure::released)?;
        let session_id = accepted.submission.session_id();
        record_log_subject("capture", session_id.capture_id().short());
        let (proof, policy) = self.signing.sign(accepted, &profile, session_id.capture_id()).await?;
        let personal = personal_item(accepted, &proof);
        let capture = record(accepted, &profile, &session_id, (&proof, policy), &personal)
            .or_refuse(Refusal::ResponseSerializationFailed)
            .map_err(Failure::released)?;
        let delivery =
            self.complete(&accepted.submission, &session_id, (capture, personal), proof, (announcement, next));
        delivery.await.map_err(Failure::released)
    }

    /// Presigns the URLs, and builds and measures the response.
    async fn complete(
        &self,
        submission: &Submission,
        session_id: &SessionId,
        (capture, personal): (EvidenceRecord, PersonalItem),
        proof: SignedPhoto,
        (announcement, next): (Option<Announcement>, Option<NextPhoto>),
    ) -> Result<Delivery, Rejection> {
        let url = async |key: &str| proof_url(&self.presigner, key, submission.ingested_at).await;
        let authenticated_jpeg_url = match &capture.jpeg_key {
            Some(key) => Some(url(key).await?),
            None => None,
        };
        let receipt = Receipt {
            session_id: session_id.expose().into(),
            photo_order: capture.photo_order,
            authenticated_jpeg_url: authenticated_jpeg_url.map(Into::into),
            manifest_url: url(&capture.manifest_key).await?.into(),
            complete: submission.session.is_on_last_photo(),
            next,
        };
        let response = match submission.returns {
            Returned::Photo => json(&IngestedPhoto { receipt, signed_image_base64: STANDARD.encode(&proof.jpeg) }),
            Returned::Manifest => json(&IngestedManifest {
                receipt,
                manifest_base64: STANDARD.encode(&proof.manifest),
                authenticated_jpeg_sha256: capture.jpeg_sha256.hex(),
            }),
        }?;
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
            Some(announcement) => Some(announcement.complete(submission, &capture, &photo, &self.presigner).await?),
            None => None,
        };
        let jpeg = capture.jpeg_key.is_some().then_some(proof.jpeg);
        Ok(Delivery { response, capture, personal, photo, announcement, manifest: proof.manifest, jpeg })
    }
}

/// A presigned URL of an object of the proof, valid for seven days.
pub(crate) async fn proof_url(presigner: &ProofPresigner, key: &str, now: OffsetDateTime) -> Result<String, Rejection> {
    presigner.proof_url(key, now).await.or_refuse(Refusal::IngestPresignFailed)
}

/// The refusal if the credentials for presigned URLs cannot be had.
fn without_credentials(error: &SetupError) -> Refusal {
    match error {
        SetupError::Misconfigured(_) => Refusal::IngestPresignConfigFailed,
        SetupError::Aws(_) => Refusal::IngestPresignFailed,
    }
}

fn personal_item(accepted: &Accepted, proof: &SignedPhoto) -> PersonalItem {
    let Accepted { submission, fingerprint, .. } = accepted;
    PersonalItem {
        data: PersonalData {
            reference_id: submission.session.reference_id.clone(),
            claims: submission.claims.clone(),
            header_user_agent: submission.header_user_agent.clone(),
            fingerprint: *fingerprint,
        },
        salt: Salt::from_entropy(lacre_storage::entropy()),
        session: submission.token.hash(),
        manifest_id: fingerprint.map(|_| proof.manifest_id.clone()),
    }
}

fn record(
    accepted: &Accepted,
    profile: &ReadyProfile,
    session_id: &SessionId,
    (proof, signature_policy): (&SignedPhoto, String),
    personal: &PersonalItem,
) -> Result<EvidenceRecord, serde_json::Error> {
    let Accepted { submission, photo, analysis, gps_result, .. } = accepted;
    let retained = submission.license.terms.store_asset_policy.retains();
    let capture = EvidenceRecord {
        capture_id: session_id.capture_id(),
        attempt: submission.attempt.clone(),
        environment: submission.session.environment,
        client_id: submission.session.client_id.clone(),
        license_id: submission.license.id.clone(),
        month: month_of(submission.ingested_at),
        photo_order: submission.photo_order,
        asked_for: submission.session.asked_for(submission.photo_order),
        origin: submission.origin.clone(),
        frame_hash: submission.frame_hash,
        frame_bytes: photo.bytes().len() as u64,
        commitments: personal.commitments(),
        gps_mode: submission.license.terms.gps_mode,
        gps_result: *gps_result,
        ingested_at: submission.ingested_at,
        recapture_gate: submission.recapture_gate(),
        recapture_risk: analysis.risk,
        recapture_scores: analysis.scores.clone(),
        recapture_threshold: threshold(&submission.license),
        signer_version: profile.profile.version,
        signature_policy,
        service_version: env!("CARGO_PKG_VERSION").to_owned(),
        icp_brasil: profile.profile.seal.icp_brasil,
        manifest_sha256: Sha256Digest::of(&proof.manifest),
        jpeg_sha256: Sha256Digest::of(&proof.jpeg),
        store_asset_policy: submission.license.terms.store_asset_policy,
        jpeg_key: retained.then(|| ProofObjects::jpeg_key(&session_id.capture_id(), &submission.attempt)),
        manifest_key: ProofObjects::manifest_key(&session_id.capture_id(), &submission.attempt),
        log_entry: None,
    };
    let entry = Entry::of_capture(&personal.log_salt(), &capture)?;
    Ok(EvidenceRecord { log_entry: Some(entry.digest()), ..capture })
}
