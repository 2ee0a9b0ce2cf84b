//! Issues uploads: for each photo a nonce, an object key, and a URL to which the page uploads the frame.

use lacre_domain::{IssuedNonce, LicenseId, Nonce, Origin, SessionToken};
use time::OffsetDateTime;

use crate::{Connection, Error, Sessions, SetupError, Uploads, presign::UploadPresigner};

/// The upload of one photo. Its nonce is stored.
#[derive(Debug)]
pub struct IssuedUpload {
    /// The nonce, which one ingest can use.
    pub nonce: Nonce,
    /// The S3 object key of the upload.
    pub image_key: String,
    /// The presigned URL of the upload, valid for 5 minutes.
    pub url: String,
}

/// Why an upload was not issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// The URL could not be signed.
    #[error(transparent)]
    Presign(SetupError),
    /// The nonce could not be stored.
    #[error(transparent)]
    Store(Error),
}

/// Issues uploads.
#[derive(Debug)]
pub struct UploadIssuer {
    sessions: Sessions,
    presigner: UploadPresigner,
}

impl UploadIssuer {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { sessions: Sessions::new(connection), presigner: UploadPresigner::new(connection) }
    }

    /// Issues the upload of a photo to a page of this origin, in a session with this license that ends at `expires_at`.
    ///
    /// # Errors
    /// [`IssueError`].
    pub async fn issue(
        &self,
        nonce: Nonce,
        token: &SessionToken,
        (license, origin): (&LicenseId, Origin),
        expires_at: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<IssuedUpload, IssueError> {
        let image_key = Uploads::new_key();
        let url = self.presigner.upload_url(&image_key, now).map_err(IssueError::Presign)?;
        let issued = IssuedNonce {
            session: token.hash().as_str().to_owned(),
            origin,
            license_id: Some(license.clone()),
            image_key: image_key.clone(),
            issued_at: now,
            consumed_by: None,
        };
        self.sessions.issue_nonce(&nonce, &issued, expires_at).await.map_err(IssueError::Store)?;
        Ok(IssuedUpload { nonce, image_key, url })
    }
}
