//! The next photo of a hosted session: its upload is issued while the pending photo is ingested, so that the page needs no
//! load for it.

use lacre_api::NextPhoto;
use lacre_domain::Nonce;
use lacre_http::next_photo;
use lacre_storage::{Connection, UploadIssuer};

use crate::submission::Submission;

/// The step that prepares the next photo.
pub(crate) struct PrepareNext {
    uploads: UploadIssuer,
}

impl PrepareNext {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { uploads: UploadIssuer::new(connection) }
    }

    /// Issues the upload of the next photo; `None` for the last photo of a session, and in a component session. A failure
    /// is not one of the ingest: without the next photo, the page loads the session.
    pub(crate) async fn prepare(&self, submission: &Submission) -> Option<NextPhoto> {
        let Submission { session, token, license, origin, photo_order, ingested_at: now, .. } = submission;
        session.hosted.as_ref()?;
        let order = session.pending_after(*photo_order)?;
        let nonce = Nonce::from_entropy(lacre_storage::entropy());
        let issued = self.uploads.issue(nonce, token, (&license.id, origin.clone()), session.expires_at, *now).await;
        match issued {
            Ok(upload) => Some(next_photo(session, order, session.captured_count() + 1, upload, *now)),
            Err(error) => {
                tracing::warn!(cause = %error, "failed to issue the next upload");
                None
            }
        }
    }
}
