//! Presigned URLs: for the upload, 5 minutes under the function's role; for results, 7 days.
//!
//! A URL signed by a role dies with the role's session, within hours. The 7-day URLs are therefore signed with the key of
//! a dedicated user that may read proofs and nothing else.

use lacre_domain::limits;
use serde::Deserialize;
use time::OffsetDateTime;
use tokio::sync::OnceCell;

use crate::{Connection, Error, PresignerConfig, StaticCredentials, presigned_url::PresignedUrl};

/// The `content-type` that a browser sends with its upload: the URL's signature covers it.
pub const UPLOAD_CONTENT_TYPE: &str = "image/jpeg";

/// The maker of upload URLs. Nothing is sent to AWS for one.
#[derive(Debug)]
pub struct UploadPresigner {
    connection: Connection,
    bucket: String,
}

impl UploadPresigner {
    /// The presigner over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { connection: connection.clone(), bucket: connection.config.buckets.uploads.read() }
    }

    /// A URL to PUT one image, valid for 5 minutes from `now`.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] when no URL can be built from the function's configuration.
    pub fn upload_url(&self, key: &str, now: OffsetDateTime) -> Result<String, Error> {
        let url = PresignedUrl {
            method: "PUT",
            bucket: &self.bucket,
            key,
            content_type: Some(UPLOAD_CONTENT_TYPE),
            from: now,
            validity: limits::UPLOAD_URL_VALIDITY,
        };
        url.sign(&self.connection.config, &self.connection.config.credentials)
    }
}

/// The maker of the 7-day URLs of results. Nothing is sent to AWS for one, once the credentials are there.
#[derive(Debug)]
pub struct ProofPresigner {
    connection: Connection,
    bucket: String,
    source: PresignerConfig,
    reader: OnceCell<StaticCredentials>,
}

/// The secret in Secrets Manager.
#[derive(Deserialize)]
struct Secret {
    access_key_id: String,
    secret_access_key: String,
}

impl ProofPresigner {
    /// The presigner over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let (bucket, source) = (connection.config.buckets.proofs.read(), connection.config.presigner.read());
        Self { connection: connection.clone(), bucket, source, reader: OnceCell::new() }
    }

    /// A URL to GET a proof, valid for 7 days from `now`.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] without credentials; [`Error::Unavailable`] when they cannot be fetched.
    pub async fn proof_url(&self, key: &str, now: OffsetDateTime) -> Result<String, Error> {
        let url = PresignedUrl {
            method: "GET",
            bucket: &self.bucket,
            key,
            content_type: None,
            from: now,
            validity: limits::RESULT_URL_VALIDITY,
        };
        url.sign(&self.connection.config, self.reader().await?)
    }

    /// Fetches the credentials for the 7-day URLs, once per process.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] without credentials, [`Error::Unavailable`] when the secret cannot be fetched.
    pub async fn warm_up(&self) -> Result<(), Error> {
        self.reader().await.map(|_| ())
    }

    async fn reader(&self) -> Result<&StaticCredentials, Error> {
        self.reader
            .get_or_try_init(|| async {
                match &self.source {
                    PresignerConfig::Direct(credentials) => Ok(credentials.clone()),
                    PresignerConfig::Secret(arn) => self.fetch(arn).await,
                    PresignerConfig::Missing => Err(Error::Misconfigured("no credentials for result URLs")),
                }
            })
            .await
    }

    async fn fetch(&self, arn: &str) -> Result<StaticCredentials, Error> {
        let secret: Secret = self.connection.read_secret(arn).await?;
        Ok(StaticCredentials {
            access_key_id: secret.access_key_id,
            secret_access_key: secret.secret_access_key,
            session_token: None,
        })
    }
}
