//! The upload: its nonce is consumed while the image is read, and it is deleted once its capture is committed.

use std::sync::Arc;

use lacre_api::Refusal;
use lacre_http::{OrRefuse, Rejection};
use lacre_storage::{Connection, ReadObjectError, Sessions, Uploads, for_request, request_ids};
use tracing::Instrument;

use crate::submission::Submission;

/// The step that reads the image.
pub(crate) struct ReadUpload {
    sessions: Sessions,
    uploads: Uploads,
}

impl ReadUpload {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { sessions: Sessions::new(connection), uploads: Uploads::new(connection) }
    }

    /// Consumes the nonce and reads the image at the same time. If the nonce was already consumed, the request fails
    /// whatever the image is.
    pub(crate) async fn read(&self, submission: &Submission) -> Result<Arc<[u8]>, Rejection> {
        let (consumed, image) = tokio::join!(
            self.sessions.consume_nonce(&submission.nonce, &submission.attempt),
            self.uploads.read(&submission.image_key),
        );
        if !consumed.or_refuse(Refusal::NonceStoreUnavailable)? {
            return Err(Refusal::NonceReplay.into());
        }
        image.map(Arc::from).map_err(|error| unread(&error))
    }

    /// Deletes the ingested upload in the background; the response does not wait for it. If Lambda freezes the process
    /// before the deletion, the bucket's lifecycle rule deletes the upload within a day or two.
    pub(crate) fn discard(&self, image_key: String) {
        let uploads = self.uploads.clone();
        let discard = async move {
            if let Err(error) = uploads.delete(&image_key).await {
                tracing::warn!(cause = %error, "failed to delete the ingested upload");
            }
        };
        tokio::spawn(for_request(request_ids(), discard).in_current_span());
    }
}

/// The refusal of an image that was not read.
fn unread(error: &ReadObjectError) -> Rejection {
    match *error {
        ReadObjectError::NotFound => Refusal::ImageNotFound.into(),
        ReadObjectError::TooLarge { bytes, max_bytes } => {
            Refusal::AssetTooLarge { bytes, max_asset_bytes: max_bytes }.into()
        }
        ReadObjectError::Unavailable(_) => Rejection::because(Refusal::RawStoreUnavailable, error),
        ReadObjectError::Refused(_) => Rejection::because(Refusal::RawReadFailed, error),
    }
}
