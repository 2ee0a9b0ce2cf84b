//! Presigned URLs: for uploads and evidence bundles, valid for 5 minutes and signed with the function's role; for results,
//! valid for 7 days.
//!
//! A URL that is signed with a role's credentials expires with the role's session, within hours. So 7-day URLs are
//! signed with the access key of a dedicated IAM user that may only read proofs.

use lacre_domain::{Environment, limits};
use serde::Deserialize;
use time::OffsetDateTime;
use tokio::sync::OnceCell;

use crate::{Connection, PresignerConfig, Renewable, SetupError, StaticCredentials, presigned_url::PresignedUrl};

/// The `content-type` that the upload must have, because the URL's signature covers it.
pub const UPLOAD_CONTENT_TYPE: &str = "image/jpeg";

/// Makes upload URLs, without a call to AWS.
#[derive(Debug)]
pub(crate) struct UploadPresigner {
    connection: Connection,
    bucket: String,
}

impl UploadPresigner {
    /// Creates the presigner from a connection.
    #[must_use]
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { connection: connection.clone(), bucket: connection.config.buckets.uploads.read() }
    }

    /// A URL for the PUT of one image, valid for 5 minutes from `now`.
    ///
    /// # Errors
    /// [`SetupError::Misconfigured`] if the function's configuration allows no valid URL.
    pub(crate) fn upload_url(&self, key: &str, now: OffsetDateTime) -> Result<String, SetupError> {
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

/// Makes URLs of the logs' evidence bundles, without a call to AWS.
#[derive(Debug)]
pub struct BundlePresigner {
    connection: Connection,
    bucket: String,
}

impl BundlePresigner {
    /// Creates the presigner from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { connection: connection.clone(), bucket: connection.config.buckets.log.read() }
    }

    /// A URL for the GET of a timestamp's bundle, valid for 5 minutes from `now`.
    ///
    /// # Errors
    /// [`SetupError::Misconfigured`] if the function's configuration allows no valid URL.
    pub fn bundle_url(
        &self,
        environment: Environment,
        of: Renewable,
        now: OffsetDateTime,
    ) -> Result<String, SetupError> {
        let url = PresignedUrl {
            method: "GET",
            bucket: &self.bucket,
            key: &of.bundle_key(environment),
            content_type: None,
            from: now,
            validity: limits::BUNDLE_URL_VALIDITY,
        };
        url.sign(&self.connection.config, &self.connection.config.credentials)
    }
}

/// Makes 7-day URLs of results. Calls AWS once per process, for the credentials.
#[derive(Debug)]
pub struct ProofPresigner {
    connection: Connection,
    bucket: String,
    source: PresignerConfig,
    reader: OnceCell<StaticCredentials>,
}

/// The JSON of the secret in Secrets Manager.
#[derive(Deserialize)]
struct Secret {
    access_key_id: String,
    secret_access_key: String,
}

impl ProofPresigner {
    /// Creates the presigner from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let (bucket, source) = (connection.config.buckets.proofs.read(), connection.config.presigner.read());
        Self { connection: connection.clone(), bucket, source, reader: OnceCell::new() }
    }

    /// A URL for the GET of a proof, valid for 7 days from `now`.
    ///
    /// # Errors
    /// [`SetupError::Misconfigured`] without credentials; [`SetupError::Aws`] if they cannot be fetched.
    pub async fn proof_url(&self, key: &str, now: OffsetDateTime) -> Result<String, SetupError> {
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

    /// Fetches the credentials for 7-day URLs, once per process.
    ///
    /// # Errors
    /// [`SetupError::Misconfigured`] without credentials; [`SetupError::Aws`] if the secret cannot be fetched.
    pub async fn warm_up(&self) -> Result<(), SetupError> {
        self.reader().await.map(|_| ())
    }

    async fn reader(&self) -> Result<&StaticCredentials, SetupError> {
        self.reader
            .get_or_try_init(|| async {
                match &self.source {
                    PresignerConfig::Direct(credentials) => Ok(credentials.clone()),
                    PresignerConfig::Secret(arn) => self.fetch(arn).await,
                    PresignerConfig::Missing => Err(SetupError::Misconfigured("no credentials for result URLs")),
                }
            })
            .await
    }

    async fn fetch(&self, arn: &str) -> Result<StaticCredentials, SetupError> {
        let secret: Secret = self.connection.read_secret(arn).await?;
        Ok(StaticCredentials {
            access_key_id: secret.access_key_id,
            secret_access_key: secret.secret_access_key,
            session_token: None,
        })
    }
}
