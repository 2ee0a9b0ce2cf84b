//! The archives of dossiers, which a bucket keeps for a day.

use lacre_domain::{Sha256Digest, limits};
use time::OffsetDateTime;

use crate::{Connection, Error, SetupError, object_versions::VersionedBucket, presigned_url::PresignedUrl};

const ARCHIVE: &str = "application/zip";

/// Why a dossier cannot be handed out.
#[derive(Debug, thiserror::Error)]
pub enum NotStored {
    /// The archive was not stored.
    #[error(transparent)]
    Storage(#[from] Error),
    /// The function's configuration allows no valid URL.
    #[error(transparent)]
    Url(#[from] SetupError),
}

/// Stores dossiers, and hands them out.
#[derive(Clone, Debug)]
pub struct DossierObjects {
    connection: Connection,
    bucket: VersionedBucket,
}

impl DossierObjects {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let bucket = VersionedBucket { client: connection.s3(), name: connection.config.buckets.dossiers.read() };
        Self { connection: connection.clone(), bucket }
    }

    /// Stores an archive with the given SHA-256. Returns a URL for its GET, valid for 5 minutes from `now`.
    ///
    /// # Errors
    /// [`NotStored`].
    pub async fn store(
        &self,
        archive: Vec<u8>,
        sha256: &Sha256Digest,
        now: OffsetDateTime,
    ) -> Result<String, NotStored> {
        let key = format!("{}/dossier.zip", sha256.hex());
        self.bucket.put_hashed_once(&key, (archive.into(), sha256), ARCHIVE).await?;
        let url = PresignedUrl {
            method: "GET",
            bucket: &self.bucket.name,
            key: &key,
            content_type: None,
            from: now,
            validity: limits::BUNDLE_URL_VALIDITY,
        };
        Ok(url.sign(&self.connection.config, &self.connection.config.credentials)?)
    }
}
