//! Buckets and objects, in memory or one file each.
//!
//! An object appears whole or not at all: its file is written beside and renamed, and the index changes after that, under
//! the same lock under which conditions such as `If-None-Match: *` are decided. Keys are any text: a file is named by the
//! hash of its key, so `x` and `x/y` do not collide.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    super::{
        Error, Storage,
        files::{is_draft, write_whole},
    },
    cors_rule::Rule,
};

const BUCKET_FILE: &str = "bucket.json";

/// The metadata of an object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Description {
    pub(crate) key: String,
    pub(crate) bytes: u64,
    pub(crate) content_type: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    /// MD5 in hexadecimal.
    pub(crate) etag: String,
    /// Seconds of the Unix epoch.
    pub(crate) modified_at: i64,
}

/// Why the store says no.
#[derive(Debug)]
pub(crate) enum Refusal {
    NoSuchBucket,
    NoSuchKey,
    BucketExists,
    /// The object is there, and was not to be.
    ObjectExists,
    Io(std::io::Error),
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

#[derive(Clone, Debug)]
enum Content {
    Memory(Bytes),
    /// A line of JSON, the [`Description`], and then the bytes.
    File(PathBuf),
}

#[derive(Debug, Default)]
struct Bucket {
    cors: Vec<Rule>,
    objects: BTreeMap<String, (Description, Content)>,
}

/// The buckets.
#[derive(Debug)]
pub(crate) struct Store {
    directory: Option<PathBuf>,
    buckets: RwLock<BTreeMap<String, Bucket>>,
}

impl Store {
    /// Reads what is there.
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
                buckets.insert(entry.file_name().to_string_lossy().into_owned(), read_bucket(&entry.path())?);
            }
        }
        Ok(Self { directory, buckets: RwLock::new(buckets) })
    }

    pub(crate) fn create_bucket(&self, name: &str) -> Result<(), Refusal> {
        let mut buckets = self.write();
        if buckets.contains_key(name) {
            return Err(Refusal::BucketExists);
        }
        if let Some(directory) = &self.directory {
            fs::create_dir_all(directory.join(name))?;
        }
        buckets.insert(name.to_owned(), Bucket::default());
        Ok(())
    }

    pub(crate) fn has_bucket(&self, name: &str) -> bool {
        self.read().contains_key(name)
    }

    /// The bucket's CORS rules.
    pub(crate) fn cors(&self, bucket: &str) -> Result<Vec<Rule>, Refusal> {
        self.read().get(bucket).map(|bucket| bucket.cors.clone()).ok_or(Refusal::NoSuchBucket)
    }

    pub(crate) fn set_cors(&self, bucket: &str, rules: Vec<Rule>) -> Result<(), Refusal> {
        let mut buckets = self.write();
        let known = buckets.get_mut(bucket).ok_or(Refusal::NoSuchBucket)?;
        if let Some(directory) = &self.directory {
            let text = serde_json::to_vec(&rules).map_err(std::io::Error::other)?;
            write_whole(&directory.join(bucket).join(BUCKET_FILE), &[&text])?;
        }
        known.cors = rules;
        Ok(())
    }

    /// Stores an object; with `only_if_absent`, unless one is there.
    pub(crate) fn put(
        &self,
        bucket: &str,
        description: Description,
        body: Bytes,
        only_if_absent: bool,
    ) -> Result<(), Refusal> {
        let mut buckets = self.write();
        let known = buckets.get_mut(bucket).ok_or(Refusal::NoSuchBucket)?;
        if only_if_absent && known.objects.contains_key(&description.key) {
            return Err(Refusal::ObjectExists);
        }
        let content = match &self.directory {
            None => Content::Memory(body),
            Some(directory) => {
                let path = directory.join(bucket).join(file_name(&description.key));
                let head = serde_json::to_vec(&description).map_err(std::io::Error::other)?;
                write_whole(&path, &[&head, b"\n", &body])?;
                Content::File(path)
            }
        };
        known.objects.insert(description.key.clone(), (description, content));
        Ok(())
    }

    /// The metadata of an object.
    pub(crate) fn describe(&self, bucket: &str, key: &str) -> Result<Description, Refusal> {
        let buckets = self.read();
        let known = buckets.get(bucket).ok_or(Refusal::NoSuchBucket)?;
        known.objects.get(key).map(|(description, _)| description.clone()).ok_or(Refusal::NoSuchKey)
    }

    /// An object with its bytes.
    pub(crate) fn get(&self, bucket: &str, key: &str) -> Result<(Description, Bytes), Refusal> {
        let buckets = self.read();
        let known = buckets.get(bucket).ok_or(Refusal::NoSuchBucket)?;
        let (description, content) = known.objects.get(key).ok_or(Refusal::NoSuchKey)?;
        let bytes = match content {
            Content::Memory(bytes) => bytes.clone(),
            Content::File(path) => read_body(path)?,
        };
        Ok((description.clone(), bytes))
    }

    /// Removes an object; a missing one is not a fault.
    pub(crate) fn delete(&self, bucket: &str, key: &str) -> Result<(), Refusal> {
        let mut buckets = self.write();
        let known = buckets.get_mut(bucket).ok_or(Refusal::NoSuchBucket)?;
        if let Some((_, Content::File(path))) = known.objects.get(key) {
            fs::remove_file(path)?;
        }
        known.objects.remove(key);
        Ok(())
    }

    /// The objects whose keys start with `prefix` and come after `after`, in order.
    pub(crate) fn list(&self, bucket: &str, prefix: &str, after: &str) -> Result<Vec<Description>, Refusal> {
        let buckets = self.read();
        let known = buckets.get(bucket).ok_or(Refusal::NoSuchBucket)?;
        let wanted = known.objects.values().map(|(description, _)| description);
        Ok(wanted.filter(|found| found.key.starts_with(prefix) && found.key.as_str() > after).cloned().collect())
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Bucket>> {
        self.buckets.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Bucket>> {
        self.buckets.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn file_name(key: &str) -> String {
    hex::encode(Sha256::digest(key))
}

fn read_bucket(directory: &Path) -> Result<Bucket, Error> {
    let unreadable = |path: &Path, cause: &dyn std::fmt::Display| Error::Unreadable {
        path: path.to_owned(),
        cause: cause.to_string(),
    };
    let mut bucket = Bucket::default();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if is_draft(&path) {
            fs::remove_file(&path)?;
        } else if path.file_name().is_some_and(|name| name == BUCKET_FILE) {
            bucket.cors = serde_json::from_slice(&fs::read(&path)?).map_err(|error| unreadable(&path, &error))?;
        } else {
            let mut head = String::new();
            BufReader::new(File::open(&path)?).read_line(&mut head)?;
            let description: Description = serde_json::from_str(&head).map_err(|error| unreadable(&path, &error))?;
            bucket.objects.insert(description.key.clone(), (description, Content::File(path)));
        }
    }
    Ok(bucket)
}

fn read_body(path: &Path) -> std::io::Result<Bytes> {
    let mut file = BufReader::new(File::open(path)?);
    file.skip_until(b'\n')?;
    let mut body = Vec::new();
    file.read_to_end(&mut body)?;
    Ok(body.into())
}
