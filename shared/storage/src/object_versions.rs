//! Objects in versioned buckets: written once, hashed by S3, and listed with all their versions.

use std::collections::BTreeMap;

use aws_sdk_s3::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    primitives::ByteStream,
    types::ChecksumMode,
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::base64;
use bytes::Bytes;
use lacre_domain::Sha256Digest;

use crate::{Error, budgets::InTime, budgets::until_deadline, error::unavailable, transaction::backoff};

/// The maximum number of attempts at a put that conflicts with another put of the same key.
const ROUNDS: u32 = 4;

/// The versions of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectVersions {
    /// The ids of the versions with content, newest first.
    pub versions: Vec<String>,
    /// The ids of the delete markers.
    pub markers: Vec<String>,
}

impl ObjectVersions {
    /// Whether the object was written once, and never replaced or deleted.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.versions.len() == 1 && self.markers.is_empty()
    }
}

/// The condition of a put.
#[derive(Clone, Debug)]
pub(crate) enum OnlyIf {
    /// No object has this key.
    Absent,
    /// The current object has this entity tag.
    Is(String),
}

/// A versioned bucket and its client.
#[derive(Clone, Debug)]
pub(crate) struct VersionedBucket {
    pub(crate) client: Client,
    pub(crate) name: String,
}

impl VersionedBucket {
    /// Stores an object if its key is free. Returns `false` if it is not. S3 verifies and stores the object's SHA-256.
    pub(crate) async fn put_once(&self, key: &str, bytes: &[u8], content_type: &str) -> Result<bool, Error> {
        self.put_if(&OnlyIf::Absent, key, bytes, content_type, None).await
    }

    /// Like [`put_once`](Self::put_once), for an object whose SHA-256 is known.
    pub(crate) async fn put_hashed_once(
        &self,
        key: &str,
        (bytes, sha256): (Bytes, &Sha256Digest),
        content_type: &str,
    ) -> Result<bool, Error> {
        self.put(&OnlyIf::Absent, key, (bytes, sha256), content_type, None).await
    }

    /// Stores an object on a condition. Returns `false` if it does not hold. S3 verifies and stores the object's
    /// SHA-256.
    pub(crate) async fn put_if(
        &self,
        only: &OnlyIf,
        key: &str,
        bytes: &[u8],
        content_type: &str,
        cache_control: Option<&str>,
    ) -> Result<bool, Error> {
        let sha256 = Sha256Digest::of(bytes);
        self.put(only, key, (Bytes::copy_from_slice(bytes), &sha256), content_type, cache_control).await
    }

    async fn put(
        &self,
        only: &OnlyIf,
        key: &str,
        (bytes, sha256): (Bytes, &Sha256Digest),
        content_type: &str,
        cache_control: Option<&str>,
    ) -> Result<bool, Error> {
        let (absent, same) = match only {
            OnlyIf::Absent => (Some("*".to_owned()), None),
            OnlyIf::Is(etag) => (None, Some(etag.clone())),
        };
        let checksum = base64::encode(sha256.as_bytes());
        let mut round = 0;
        loop {
            round += 1;
            let put = self
                .client
                .put_object()
                .bucket(&self.name)
                .key(key)
                .content_type(content_type)
                .set_cache_control(cache_control.map(str::to_owned))
                .checksum_sha256(&checksum)
                .set_if_none_match(absent.clone())
                .set_if_match(same.clone())
                .body(ByteStream::from(bytes.clone()))
                .customize()
                // The checksum protects the body already, and the request's signature covers it as a header. The SDK
                // would hash the body once more for the signature.
                .disable_payload_signing();
            match put.send().in_time().await {
                Ok(_) => return Ok(true),
                Err(error) if error.code() == Some("PreconditionFailed") => return Ok(false),
                // An earlier attempt of this process may still be running.
                Err(error) if error.code() == Some("ConditionalRequestConflict") && round < ROUNDS => {
                    tokio::time::sleep(backoff(round)).await;
                }
                Err(error) => return Err(unavailable("PutObject", &error)),
            }
        }
    }

    /// Reads an object; `None` if it does not exist.
    pub(crate) async fn read(&self, key: &str, version: Option<&str>) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.read_tagged(key, version).await?.map(|(bytes, _)| bytes))
    }

    /// Reads an object with its entity tag; `None` if it does not exist.
    pub(crate) async fn read_tagged(
        &self,
        key: &str,
        version: Option<&str>,
    ) -> Result<Option<(Vec<u8>, String)>, Error> {
        let get = self.client.get_object().bucket(&self.name).key(key).set_version_id(version.map(str::to_owned));
        let answer = match get.send().in_time().await {
            Ok(answer) => answer,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(unavailable("GetObject", &error)),
        };
        let cut_short = || Error::Unavailable("GetObject ended before the object did".into());
        let body = until_deadline(answer.body.collect()).await.map_err(|_| cut_short())?.map_err(|_| cut_short())?;
        // `AggregatedBytes::to_vec` goes byte by byte.
        Ok(Some((Vec::from(body.into_bytes()), answer.e_tag.unwrap_or_default())))
    }

    /// The SHA-256 of an object, as S3 computed it when it was stored; `None` if the object does not exist. If it was
    /// stored without one, the object is read and hashed.
    pub(crate) async fn sha256(&self, key: &str, version: Option<&str>) -> Result<Option<Sha256Digest>, Error> {
        let head = self.client.head_object().bucket(&self.name).key(key).checksum_mode(ChecksumMode::Enabled);
        let answer = match head.set_version_id(version.map(str::to_owned)).send().in_time().await {
            Ok(answer) => answer,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(unavailable("HeadObject", &error)),
        };
        let stored = answer.checksum_sha256.and_then(|text| base64::decode(text).ok()?.try_into().ok());
        match stored {
            Some(digest) => Ok(Some(Sha256Digest::from_bytes(digest))),
            None => Ok(self.read(key, version).await?.map(|bytes| Sha256Digest::of(&bytes))),
        }
    }

    /// The keys with a prefix that come after the given one, in order.
    pub(crate) async fn keys(&self, prefix: &str, after: Option<&str>) -> Result<Vec<String>, Error> {
        let (mut keys, mut from) = (Vec::new(), None);
        loop {
            let list = self.client.list_objects_v2().bucket(&self.name).prefix(prefix);
            let list = list.set_start_after(after.map(str::to_owned)).set_continuation_token(from);
            let page = list.send().in_time().await.map_err(|error| unavailable("ListObjectsV2", &error))?;
            keys.extend(page.contents.unwrap_or_default().into_iter().filter_map(|object| object.key));
            from = page.next_continuation_token;
            if from.is_none() {
                return Ok(keys);
            }
        }
    }

    /// All objects with a prefix, deleted ones included, with all their versions.
    pub(crate) async fn versions(&self, prefix: &str) -> Result<BTreeMap<String, ObjectVersions>, Error> {
        let (mut found, mut key_marker, mut version_marker) = (BTreeMap::<_, ObjectVersions>::new(), None, None);
        loop {
            let list = self.client.list_object_versions().bucket(&self.name).prefix(prefix);
            let list = list.set_key_marker(key_marker).set_version_id_marker(version_marker);
            let page = list.send().in_time().await.map_err(|error| unavailable("ListObjectVersions", &error))?;
            for version in page.versions.unwrap_or_default() {
                let (Some(key), Some(id)) = (version.key, version.version_id) else { continue };
                found.entry(key).or_default().versions.push(id);
            }
            for marker in page.delete_markers.unwrap_or_default() {
                let (Some(key), Some(id)) = (marker.key, marker.version_id) else { continue };
                found.entry(key).or_default().markers.push(id);
            }
            (key_marker, version_marker) = (page.next_key_marker, page.next_version_id_marker);
            if key_marker.is_none() {
                return Ok(found);
            }
        }
    }

    /// Deletes an object by adding a delete marker; its versions stay.
    pub(crate) async fn delete(&self, key: &str) -> Result<(), Error> {
        let delete = self.client.delete_object().bucket(&self.name).key(key);
        delete.send().in_time().await.map(|_| ()).map_err(|error| unavailable("DeleteObject", &error))
    }

    /// Deletes one version or delete marker permanently, even if it is locked in governance mode.
    pub(crate) async fn delete_version(&self, key: &str, version: &str) -> Result<(), Error> {
        let delete = self.client.delete_object().bucket(&self.name).key(key).version_id(version);
        let deleted = delete.bypass_governance_retention(true).send().in_time().await;
        deleted.map(|_| ()).map_err(|error| unavailable("DeleteObject", &error))
    }
}

/// Whether an object is missing. A response to HEAD has no body, and therefore no error code, so the status decides.
fn is_missing<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> bool {
    error.raw_response().is_some_and(|response| response.status().as_u16() == 404)
}
