//! The buckets, in memory or in one directory each.
//!
//! The index is updated after the files. Both happen under the lock that also covers preconditions such as
//! `If-None-Match: *`.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use bytes::Bytes;

use super::{
    bucket::{Bucket, OnlyIf},
    cors_rule::Rule,
    description::Description,
    refusal::ObjectStoreError,
    settings::Settings,
    versions::{Listed, Place},
};
use crate::stand_ins::{Error, Storage};

/// All buckets.
#[derive(Debug)]
pub(crate) struct Store {
    directory: Option<PathBuf>,
    buckets: RwLock<BTreeMap<String, Bucket>>,
}

impl Store {
    /// Reads the stored buckets.
    pub(crate) fn open(storage: &Storage) -> Result<Self, Error> {
        let directory = match storage {
            Storage::Memory => None,
            Storage::Directory(directory) => Some(directory.join("s3")),
        };
        let mut buckets = BTreeMap::new();
        if let Some(directory) = &directory {
            fs::create_dir_all(directory)?;
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                buckets.insert(entry.file_name().to_string_lossy().into_owned(), Bucket::open(&entry.path())?);
            }
        }
        Ok(Self { directory, buckets: RwLock::new(buckets) })
    }

    pub(crate) fn create_bucket(&self, name: &str, settings: Settings) -> Result<(), ObjectStoreError> {
        let mut buckets = self.write();
        if buckets.contains_key(name) {
            return Err(ObjectStoreError::BucketExists);
        }
        let directory = self.directory.as_ref().map(|directory| directory.join(name));
        buckets.insert(name.to_owned(), Bucket::create(directory, settings)?);
        Ok(())
    }

    pub(crate) fn has_bucket(&self, name: &str) -> bool {
        self.read().contains_key(name)
    }

    pub(crate) fn settings(&self, bucket: &str) -> Result<Settings, ObjectStoreError> {
        self.look(bucket, |bucket| Ok(bucket.settings().clone()))
    }

    /// The bucket's CORS rules.
    pub(crate) fn cors(&self, bucket: &str) -> Result<Vec<Rule>, ObjectStoreError> {
        self.look(bucket, |bucket| Ok(bucket.settings().cors.clone()))
    }

    /// Changes a bucket's settings unless the change is invalid.
    pub(crate) fn configure(
        &self,
        bucket: &str,
        change: impl FnOnce(&mut Settings) -> Result<(), ObjectStoreError>,
    ) -> Result<(), ObjectStoreError> {
        self.change(bucket, |bucket| {
            let mut settings = bucket.settings().clone();
            change(&mut settings)?;
            Ok(bucket.configure(settings)?)
        })
    }

    /// See [`Bucket::put`].
    pub(crate) fn put(
        &self,
        bucket: &str,
        description: Description,
        body: Bytes,
        only: &OnlyIf,
    ) -> Result<Description, ObjectStoreError> {
        self.change(bucket, |bucket| bucket.put(description, body, only))
    }

    /// The metadata of an object or of one of its versions.
    pub(crate) fn describe(
        &self,
        bucket: &str,
        key: &str,
        version: Option<&str>,
    ) -> Result<Description, ObjectStoreError> {
        self.look(bucket, |bucket| Ok(bucket.find(key, version)?.description.clone()))
    }

    /// An object or one of its versions, with its bytes.
    pub(crate) fn get(
        &self,
        bucket: &str,
        key: &str,
        version: Option<&str>,
    ) -> Result<(Description, Bytes), ObjectStoreError> {
        self.look(bucket, |bucket| {
            let found = bucket.find(key, version)?;
            Ok((found.description.clone(), found.content.read()?))
        })
    }

    /// See [`Bucket::delete`].
    pub(crate) fn delete(
        &self,
        bucket: &str,
        key: &str,
        version: Option<&str>,
        bypass: Option<bool>,
    ) -> Result<Option<Description>, ObjectStoreError> {
        self.change(bucket, |bucket| bucket.delete(key, version, bypass))
    }

    /// See [`Bucket::list`].
    pub(crate) fn list(&self, bucket: &str, prefix: &str, after: &str) -> Result<Vec<Description>, ObjectStoreError> {
        self.look(bucket, |bucket| Ok(bucket.list(prefix, after).cloned().collect()))
    }

    /// See [`Bucket::list_versions`].
    pub(crate) fn list_versions(
        &self,
        bucket: &str,
        prefix: &str,
        after: Place<'_>,
    ) -> Result<Vec<Listed>, ObjectStoreError> {
        self.look(bucket, |bucket| Ok(bucket.list_versions(prefix, after).collect()))
    }

    fn look<T>(
        &self,
        bucket: &str,
        look: impl FnOnce(&Bucket) -> Result<T, ObjectStoreError>,
    ) -> Result<T, ObjectStoreError> {
        look(self.read().get(bucket).ok_or(ObjectStoreError::NoSuchBucket)?)
    }

    fn change<T>(
        &self,
        bucket: &str,
        change: impl FnOnce(&mut Bucket) -> Result<T, ObjectStoreError>,
    ) -> Result<T, ObjectStoreError> {
        change(self.write().get_mut(bucket).ok_or(ObjectStoreError::NoSuchBucket)?)
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Bucket>> {
        self.buckets.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Bucket>> {
        self.buckets.write().unwrap_or_else(PoisonError::into_inner)
    }
}
