//! Presigned URLs: for the upload, 5 minutes under the function's role; for results, 7 days.
//!
//! A URL signed by a role dies with the role's session, within hours. The 7-day URLs are therefore signed with the key of
//! a dedicated user that may read proofs and nothing else.

use std::sync::OnceLock;

use aws_sdk_s3::presigning::PresigningConfig;
use domain::limits;
use serde::Deserialize;
use time::OffsetDateTime;
use tokio::sync::OnceCell;

use crate::{
    Config, Connection, Error, PresignerConfig, StaticCredentials,
    error::{is_final_refusal, unavailable},
    patience::InTime,
};

/// The `content-type` that a browser sends with its upload: the URL's signature covers it.
pub const UPLOAD_CONTENT_TYPE: &str = "image/jpeg";

/// The maker of presigned URLs. Nothing is sent to AWS for one, once the credentials are there.
#[derive(Debug)]
pub struct Presigner {
    connection: Connection,
    uploader: OnceLock<aws_sdk_s3::Client>,
    reader: OnceCell<aws_sdk_s3::Client>,
}

/// The secret in Secrets Manager.
#[derive(Deserialize)]
struct Secret {
    access_key_id: String,
    secret_access_key: String,
}

impl Presigner {
    /// The presigner over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { connection: connection.clone(), uploader: OnceLock::new(), reader: OnceCell::new() }
    }

    /// Where to PUT one image, from `now` on for 5 minutes.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the URL cannot be made.
    pub async fn upload_url(&self, key: &str, now: OffsetDateTime) -> Result<String, Error> {
        let config = validity(now, limits::UPLOAD_URL_VALIDITY)?;
        let Config { credentials, buckets, .. } = self.connection.config();
        let uploader = self.uploader.get_or_init(|| self.connection.s3_presigning(credentials));
        let put = uploader.put_object().bucket(&buckets.uploads).key(key);
        let request = put.content_type(UPLOAD_CONTENT_TYPE).presigned(config).await;
        request.map(|request| request.uri().to_owned()).map_err(|error| unavailable("presigning", &error))
    }

    /// Where to GET a proof, from `now` on for 7 days.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] without credentials; [`Error::Unavailable`] when the URL cannot be made.
    pub async fn proof_url(&self, key: &str, now: OffsetDateTime) -> Result<String, Error> {
        let config = validity(now, limits::RESULT_URL_VALIDITY)?;
        let get = self.reader().await?.get_object().bucket(&self.connection.config.buckets.proofs).key(key);
        let request = get.presigned(config).await;
        request.map(|request| request.uri().to_owned()).map_err(|error| unavailable("presigning", &error))
    }

    /// Fetches the credentials for the 7-day URLs, once per process.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] without credentials, [`Error::Unavailable`] when the secret cannot be fetched.
    pub async fn warm_up(&self) -> Result<(), Error> {
        self.reader().await.map(|_| ())
    }

    async fn reader(&self) -> Result<&aws_sdk_s3::Client, Error> {
        self.reader
            .get_or_try_init(|| async {
                let credentials = match &self.connection.config.presigner {
                    PresignerConfig::Direct(credentials) => credentials.clone(),
                    PresignerConfig::Secret(arn) => self.fetch(arn).await?,
                    PresignerConfig::Missing => return Err(Error::Misconfigured("no credentials for result URLs")),
                };
                Ok(self.connection.s3_presigning(&credentials))
            })
            .await
    }

    async fn fetch(&self, arn: &str) -> Result<StaticCredentials, Error> {
        let answer = self.connection.secrets_manager().get_secret_value().secret_id(arn).send().in_time().await;
        let answer = answer.map_err(|error| match is_final_refusal(&error) {
            // A secret without a value, or one that this function may not read: waiting does not help.
            true => Error::Misconfigured("the presigner's secret cannot be read"),
            false => unavailable("GetSecretValue", &error),
        })?;
        let secret = answer.secret_string().and_then(|text| serde_json::from_str::<Secret>(text).ok());
        let secret = secret.ok_or(Error::Misconfigured("the presigner's secret is not the JSON that it should be"))?;
        Ok(StaticCredentials {
            access_key_id: secret.access_key_id,
            secret_access_key: secret.secret_access_key,
            session_token: None,
        })
    }
}

fn validity(now: OffsetDateTime, validity: time::Duration) -> Result<PresigningConfig, Error> {
    PresigningConfig::builder()
        .start_time(now.into())
        .expires_in(validity.unsigned_abs())
        .build()
        .map_err(|_| Error::Misconfigured("a URL's validity is out of range"))
}
