//! The two buckets: uploads, which browsers fill and ingests read, and proofs, which are kept.

use std::time::Duration;

use aws_sdk_s3::primitives::ByteStream;
use time::OffsetDateTime;

use crate::{
    Connection, Error, ReadObjectError, attempt_id,
    budgets::{InTime, until_deadline},
    error::{describe, is_final_refusal, unavailable},
};

const JPEG: &str = "image/jpeg";
const MANIFEST: &str = "application/c2pa";

/// The port to the raw uploads.
#[derive(Clone, Debug)]
pub struct Uploads {
    client: aws_sdk_s3::Client,
    bucket: String,
    max_bytes: u64,
    budgets: Duration,
}

impl Uploads {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let config = &connection.config;
        Self {
            client: connection.s3(),
            bucket: config.buckets.uploads.clone(),
            max_bytes: config.max_asset_bytes,
            budgets: config.budgets.object_call,
        }
    }

    /// A new object key that cannot be guessed.
    #[must_use]
    pub fn new_key() -> String {
        format!("{}.jpg", attempt_id())
    }

    /// Reads an upload into memory, unless it is larger than the service's limit.
    ///
    /// # Errors
    /// [`ReadObjectError`].
    pub async fn read(&self, key: &str) -> Result<Vec<u8>, ReadObjectError> {
        let answer =
            self.client.get_object().bucket(&self.bucket).key(key).send().in_time().await.map_err(|error| {
                let missing = error.as_service_error().is_some_and(|refused| refused.is_no_such_key());
                match (missing, is_final_refusal(&error)) {
                    (true, _) => ReadObjectError::NotFound,
                    (false, true) => ReadObjectError::Refused(describe("GetObject", &error)),
                    (false, false) => ReadObjectError::Unavailable(describe("GetObject", &error)),
                }
            })?;
        let length = answer.content_length.and_then(|length| u64::try_from(length).ok());
        let bytes = length.ok_or_else(|| ReadObjectError::Unavailable("GetObject returned no length".into()))?;
        if bytes > self.max_bytes {
            return Err(ReadObjectError::TooLarge { bytes, max_bytes: self.max_bytes });
        }
        // The client's own time-outs end with the headers.
        let body = until_deadline(tokio::time::timeout(self.budgets, answer.body.collect())).await;
        let body = body.map_err(|_| cut_short())?.map_err(|_| cut_short())?.map_err(|_| cut_short())?.to_vec();
        if body.len() as u64 == bytes { Ok(body) } else { Err(cut_short()) }
    }

    /// Removes an upload that was ingested. A lifecycle rule of the bucket removes what is left.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn delete(&self, key: &str) -> Result<(), Error> {
        delete(&self.client, &self.bucket, key).await
    }
}

fn cut_short() -> ReadObjectError {
    ReadObjectError::Unavailable("GetObject ended before the object did".into())
}

/// The port to the proofs.
#[derive(Clone, Debug)]
pub struct ProofObjects {
    client: aws_sdk_s3::Client,
    bucket: String,
}

impl ProofObjects {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.s3(), bucket: connection.config.buckets.proofs.clone() }
    }

    /// The object key of an attempt's signed JPEG.
    #[must_use]
    pub fn jpeg_key(attempt: &str) -> String {
        format!("{attempt}/photo.jpg")
    }

    /// The object key of an attempt's manifest.
    #[must_use]
    pub fn manifest_key(attempt: &str) -> String {
        format!("{attempt}/manifest.c2pa")
    }

    /// Stores a manifest and, where it is retained, the signed JPEG, side by side.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn store(
        &self,
        (manifest_key, manifest): (&str, &[u8]),
        jpeg: Option<(&str, &[u8])>,
    ) -> Result<(), Error> {
        let jpeg = async {
            match jpeg {
                Some((key, bytes)) => self.put(key, bytes, JPEG).await,
                None => Ok(()),
            }
        };
        // Both are waited for, so that none is still on its way when a failure is cleaned up.
        let (manifest, jpeg) = tokio::join!(self.put(manifest_key, manifest, MANIFEST), jpeg);
        manifest.and(jpeg)
    }

    /// Removes what an attempt stored and no record names.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn delete(&self, manifest_key: &str, jpeg_key: Option<&str>) -> Result<(), Error> {
        let jpeg = async {
            match jpeg_key {
                Some(key) => delete(&self.client, &self.bucket, key).await,
                None => Ok(()),
            }
        };
        let (manifest, jpeg) = tokio::join!(delete(&self.client, &self.bucket, manifest_key), jpeg);
        manifest.and(jpeg)
    }

    /// The keys of all objects that were stored before a time.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn keys_before(&self, time: OffsetDateTime) -> Result<Vec<String>, Error> {
        let (mut keys, mut from) = (Vec::new(), None);
        loop {
            let list = self.client.list_objects_v2().bucket(&self.bucket).set_continuation_token(from);
            let page = list.send().in_time().await.map_err(|error| unavailable("ListObjectsV2", &error))?;
            let objects = page.contents.unwrap_or_default().into_iter();
            let is_old =
                |at: Option<aws_smithy_types::DateTime>| at.is_some_and(|at| at.secs() < time.unix_timestamp());
            keys.extend(objects.filter_map(|object| object.key.filter(|_| is_old(object.last_modified))));
            from = page.next_continuation_token;
            if from.is_none() {
                return Ok(keys);
            }
        }
    }

    /// Removes one object. Its last version stays as long as the bucket keeps deleted ones.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn remove(&self, key: &str) -> Result<(), Error> {
        delete(&self.client, &self.bucket, key).await
    }

    async fn put(&self, key: &str, bytes: &[u8], content_type: &str) -> Result<(), Error> {
        self.client
            .put_object()
            .bucket(&self.bucket)
            .key(key)
            .content_type(content_type)
            .body(ByteStream::from(bytes.to_vec()))
            .send()
            .in_time()
            .await
            .map(|_| ())
            .map_err(|error| unavailable("PutObject", &error))
    }
}

async fn delete(client: &aws_sdk_s3::Client, bucket: &str, key: &str) -> Result<(), Error> {
    let delete = client.delete_object().bucket(bucket).key(key);
    delete.send().in_time().await.map(|_| ()).map_err(|error| unavailable("DeleteObject", &error))
}
