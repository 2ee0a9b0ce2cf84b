//! The webhook message of a hosted session: prepared when its last photo arrives, and written in the transaction that
//! commits that photo.

use lacre_api::{AnnouncedPhoto, Refusal, SessionCaptured};
use lacre_domain::{Attempt, CaptureId, EvidenceRecord, MessageId, PhotoCapture, Renewal, Session, clock::rfc3339};
use lacre_http::{OrRefuse, Rejection};
use lacre_storage::{Connection, DataKey, Outbox, OutboxItem, ProofPresigner, Renewals};

use crate::{delivery::proof_url, submission::Submission};

/// The step that prepares the message.
pub(crate) struct PrepareAnnouncement {
    outbox: Outbox,
    renewals: Renewals,
}

/// A webhook message before its body is written, with the key that encrypts the body.
pub(crate) struct Announcement {
    attempt: Attempt,
    key: DataKey,
    /// Whether the URLs of the earlier photos may be renewed, in the order of the photos.
    renewals: Vec<Renewal>,
}

impl PrepareAnnouncement {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { outbox: Outbox::new(connection), renewals: Renewals::new(connection) }
    }

    /// Prepares the message if this is the last photo of a hosted session; `None` for any other photo.
    pub(crate) async fn prepare(&self, submission: &Submission) -> Result<Option<Announcement>, Rejection> {
        let session = &submission.session;
        let Some(flow) = session.hosted.as_ref().filter(|_| session.is_on_last_photo()) else { return Ok(None) };
        let now = submission.ingested_at;
        let id = MessageId::new(now, lacre_storage::entropy());
        let capture = |order| submission.token.session_id(order).capture_id();
        let before = (1..).zip(&session.photos).filter(|(_, photo)| photo.capture.is_some());
        let mut captures: Vec<CaptureId> = before.map(|(order, _)| capture(order)).collect();
        let (key, renewals) = tokio::join!(self.outbox.data_key(&id), self.renewals_of(session, &captures));
        let (key, renewals) = (key.or_refuse(Refusal::SignerUnavailable)?, renewals?);
        captures.push(capture(submission.photo_order));
        let (client, url) = (session.client_id.clone(), flow.webhook_url.clone());
        let attempt = Attempt::first(client, session.environment, id, url, captures, now);
        Ok(Some(Announcement { attempt, key, renewals }))
    }

    /// Whether the URLs of the earlier photos may be renewed. The message contains new URLs of all photos.
    async fn renewals_of(&self, session: &Session, captures: &[CaptureId]) -> Result<Vec<Renewal>, Rejection> {
        if captures.is_empty() {
            return Ok(Vec::new());
        }
        self.renewals.read(&session.client_id, captures).await.or_refuse(Refusal::NonceStoreUnavailable)
    }
}

impl Announcement {
    /// Completes the message with the last photo, `photo`, whose record is `capture`. `presigner` makes new URLs of all
    /// photos.
    pub(crate) async fn complete(
        self,
        submission: &Submission,
        capture: &EvidenceRecord,
        photo: &PhotoCapture,
        presigner: &ProofPresigner,
    ) -> Result<OutboxItem, Rejection> {
        let before = (1..).zip(&submission.session.photos);
        let before = before.filter_map(|(order, photo)| Some((order, photo.capture.as_ref()?)));
        let before = before.zip(&self.renewals).map(|((order, photo), renewal)| (order, photo, *renewal));
        let mut photos = Vec::with_capacity(submission.session.total_photos());
        for (order, photo, renewal) in before.chain([(capture.photo_order, photo, Renewal::Allowed)]) {
            if renewal != Renewal::Erased {
                photos.push(announced(submission, order, photo, renewal, presigner).await?);
            }
        }
        let last =
            photos.last().ok_or_else(|| Rejection::because(Refusal::LedgerWriteFailed, &"a session without photos"))?;
        let message = SessionCaptured {
            session_id: last.session_id.clone(),
            reference_id: submission.session.reference_id.as_str().to_owned(),
            status: "signed".to_owned(),
            authenticated_jpeg_url: last.authenticated_jpeg_url.clone(),
            processed_at: rfc3339(capture.ingested_at).into(),
            icp_brasil: capture.icp_brasil,
            recapture_risk: photos.iter().map(|photo| photo.recapture_risk).max().unwrap_or_default(),
            kit: submission.session.hosted.as_ref().and_then(|flow| flow.kit.version_text()),
            photos,
        };
        let body = serde_json::to_vec(&message).or_refuse(Refusal::LedgerWriteFailed)?;
        if !SessionCaptured::admits(&body) {
            return Err(Refusal::SignedPayloadTooLarge.into());
        }
        let body = self.key.encrypt(&body).or_refuse(Refusal::SignerUnavailable)?;
        Ok(OutboxItem { attempt: self.attempt, body })
    }
}

/// A photo in the message, with new URLs if they may be renewed.
async fn announced(
    submission: &Submission,
    order: u32,
    photo: &PhotoCapture,
    renewal: Renewal,
    presigner: &ProofPresigner,
) -> Result<AnnouncedPhoto, Rejection> {
    let url = async |key: Option<&String>| match key.filter(|_| renewal == Renewal::Allowed) {
        Some(key) => proof_url(presigner, key, submission.ingested_at).await.map(|url| Some(url.into())),
        None => Ok(None),
    };
    let authenticated_jpeg_url = url(photo.jpeg_key.as_ref()).await?;
    let step = submission.session.photo(order).and_then(|photo| photo.step_id().cloned());
    let label = photo.label.as_ref().filter(|_| step.is_some()).map(|label| label.as_str().to_owned());
    Ok(AnnouncedPhoto {
        order,
        step,
        label,
        session_id: submission.token.session_id(order).expose().into(),
        authenticated_jpeg_url,
        manifest_url: url(Some(&photo.manifest_key)).await?,
        frame_hash_hex: photo.frame_hash.hex(),
        recapture_risk: photo.recapture_risk,
    })
}
