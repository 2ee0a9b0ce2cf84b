//! Reads the session that a request names, and describes its next photo.

use lacre_api::{NextPhoto, Refusal};
use lacre_domain::{
    Session, SessionToken,
    clock::{epoch_millis, rfc3339},
    limits,
};
use lacre_storage::{Error, IssuedUpload, Sessions};
use time::OffsetDateTime;

use crate::{OrRefuseAs, Rejection};

/// Reads a session by its token. All routes but the ingest respond alike if there is none, or it cannot be read.
///
/// # Errors
/// [`Refusal::SessionNotFound`], [`Refusal::SessionCorrupt`], [`Refusal::UpstreamUnavailable`].
pub async fn read_session(
    sessions: &Sessions,
    token: &SessionToken,
    now: OffsetDateTime,
) -> Result<Session, Rejection> {
    let refusal = |error: &Error| error.refusal(Refusal::SessionCorrupt, Refusal::UpstreamUnavailable);
    let session = sessions.read(token, now).await.or_refuse_as(refusal)?;
    Ok(session.ok_or(Refusal::SessionNotFound)?)
}

/// The photo at the 1-based place `order` of a hosted session with its upload, when `captured_count` photos are captured.
#[must_use]
pub fn next_photo(
    session: &Session,
    order: u32,
    captured_count: usize,
    upload: IssuedUpload,
    now: OffsetDateTime,
) -> NextPhoto {
    NextPhoto {
        photo_order: order,
        total_photos: session.total_photos(),
        captured_count,
        nonce: upload.nonce.expose().into(),
        upload_url: upload.url.into(),
        upload_expires_at: rfc3339(now + limits::UPLOAD_URL_VALIDITY).into(),
        image_key: upload.image_key,
        server_time_ms: epoch_millis(now),
    }
}
