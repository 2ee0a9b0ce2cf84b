//! Two S3 buckets: uploads, which browsers write and ingests read, and proofs, which are written once and kept.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use lacre_domain::{CaptureId, Sha256Digest};
use time::OffsetDateTime;

use crate::{
    Connection, Error, ReadObjectError, attempt_id,
    budgets::{InTime, until_deadline},
    error::{describe, is_final_refusal, unavailable},
    object_versions::{ObjectVersions, VersionedBucket},
};

const JPEG: &str = "image/jpeg";
const MANIFEST: &str = "application/c2pa";

/// Reads and deletes uploads.
#[derive(Clone, Debug)]
pub struct Uploads {
    client: aws_sdk_s3::Client,
    bucket: String,
    max_bytes: u64,
    budgets: Duration,
}

impl Uploads {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let config = &connection.config;
        Self {
            client: connection.s3(),
            bucket: config.buckets.uploads.read(),
            max_bytes: config.max_asset_bytes.read(),
            budgets: config.budgets.object_call,
        }
    }

    /// A new, unguessable object key.
    #[must_use]
    pub fn new_key() -> String {
        format!("{}.jpg", attempt_id())
    }

    /// Reads an upload into memory, if it does not exceed the service's size limit.
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
        // The SDK client's own timeouts cover only the response's headers.
        let body = until_deadline(tokio::time::timeout(self.budgets, answer.body.collect())).await;
        let Ok(Ok(Ok(body))) = body else { return Err(cut_short()) };
        // `AggregatedBytes::to_vec` goes byte by byte.
        let body = Vec::from(body.into_bytes());
        if body.len() as u64 == bytes { Ok(body) } else { Err(cut_short()) }
    }

    /// Deletes an ingested upload. A lifecycle rule of the bucket deletes uploads that were not ingested, or whose deletion
    /// failed.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn delete(&self, key: &str) -> Result<(), Error> {
        let delete = self.client.delete_object().bucket(&self.bucket).key(key);
        delete.send().in_time().await.map(|_| ()).map_err(|error| unavailable("DeleteObject", &error))
    }
}

fn cut_short() -> ReadObjectError {
    ReadObjectError::Unavailable("GetObject ended before the object did".into())
}

/// Reads and writes proofs.
#[derive(Clone, Debug)]
pub struct ProofObjects(VersionedBucket);

impl ProofObjects {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self(VersionedBucket { client: connection.s3(), name: connection.config.buckets.proofs.read() })
    }

    /// The common prefix of the keys of all objects of a capture, whatever the attempt.
    #[must_use]
    pub fn prefix(capture: &CaptureId) -> String {
        format!("{}/", capture.as_str())
    }

    /// The object key of the signed JPEG of an attempt at a capture.
    #[must_use]
    pub fn jpeg_key(capture: &CaptureId, attempt: &str) -> String {
        format!("{}{attempt}/photo.jpg", Self::prefix(capture))
    }

    /// The object key of the manifest of an attempt at a capture.
    #[must_use]
    pub fn manifest_key(capture: &CaptureId, attempt: &str) -> String {
        format!("{}{attempt}/manifest.c2pa", Self::prefix(capture))
    }

    /// Stores a manifest and, if it is retained, the signed JPEG, concurrently. Each attempt has keys of its own, so an
    /// object that already exists was stored by an earlier try of the same attempt. Each is given with its key and its
    /// SHA-256.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn store(
        &self,
        (manifest_key, manifest, manifest_sha256): (&str, &[u8], &Sha256Digest),
        jpeg: Option<(&str, &[u8], &Sha256Digest)>,
    ) -> Result<(), Error> {
        let copy = Bytes::copy_from_slice;
        let jpeg = async {
            match jpeg {
                Some((key, bytes, sha256)) => {
                    self.0.put_hashed_once(key, (copy(bytes), sha256), JPEG).await.map(|_| ())
                }
                None => Ok(()),
            }
        };
        let manifest = self.0.put_hashed_once(manifest_key, (copy(manifest), manifest_sha256), MANIFEST);
        let (manifest, jpeg) = tokio::join!(manifest, jpeg);
        manifest.map(|_| ()).and(jpeg)
    }

    /// Reads an object; `None` if it does not exist.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read(&self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(key, None).await
    }

    /// The keys of all objects that were stored before a given time.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn keys_before(&self, time: OffsetDateTime) -> Result<Vec<String>, Error> {
        let (mut keys, mut from) = (Vec::new(), None);
        loop {
            let list = self.0.client.list_objects_v2().bucket(&self.0.name).set_continuation_token(from);
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

    /// All objects with their versions, deleted ones included.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn all_versions(&self) -> Result<BTreeMap<String, ObjectVersions>, Error> {
        self.0.versions("").await
    }

    /// All objects of all attempts at a capture, with their versions.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn versions_of(&self, capture: &CaptureId) -> Result<BTreeMap<String, ObjectVersions>, Error> {
        self.0.versions(&Self::prefix(capture)).await
    }

    /// The SHA-256 of an object, or of one of its versions; `None` if it does not exist.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn sha256(&self, key: &str, version: Option<&str>) -> Result<Option<Sha256Digest>, Error> {
        self.0.sha256(key, version).await
    }

    /// Deletes an object by adding a delete marker. Its last version stays until the bucket's lifecycle deletes it.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn remove(&self, key: &str) -> Result<(), Error> {
        self.0.delete(key).await
    }

    /// Deletes one version or delete marker of an object permanently.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn remove_version(&self, key: &str, version: &str) -> Result<(), Error> {
        self.0.delete_version(key, version).await
    }
}
