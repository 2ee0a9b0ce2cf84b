//! A bucket: its settings and the versions of its objects. Without versioning, a key has at most one version, named
//! `null`.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use time::OffsetDateTime;

use super::{
    content::{Content, read_description},
    description::{Description, NULL},
    refusal::ObjectStoreError,
    settings::Settings,
    versions::{Listed, Place, Version, Versions},
};
use crate::stand_ins::{Error, files::is_draft};

/// The precondition of storing an object.
#[derive(Debug)]
pub(crate) enum OnlyIf {
    Always,
    /// No object has this key.
    Absent,
    /// The current object has this entity tag.
    Is(String),
}

/// A bucket.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    directory: Option<PathBuf>,
    settings: Settings,
    objects: BTreeMap<String, Versions>,
    /// Time in the last version id, in nanoseconds.
    last_version: i128,
}

impl Bucket {
    /// Creates an empty bucket, in a directory if one is given.
    pub(crate) fn create(directory: Option<PathBuf>, settings: Settings) -> io::Result<Self> {
        if let Some(directory) = &directory {
            fs::create_dir_all(directory)?;
            settings.write(directory)?;
        }
        Ok(Self { directory, settings, ..Self::default() })
    }

    /// Reads the bucket of a directory.
    pub(crate) fn open(directory: &Path) -> Result<Self, Error> {
        let mut bucket = Self { directory: Some(directory.to_owned()), ..Self::default() };
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if is_draft(&path) {
                fs::remove_file(&path)?;
            } else if Settings::are_in(&path) {
                bucket.settings = Settings::read(&path)?;
            } else {
                bucket.insert(Version { description: read_description(&path)?, content: Content::File(path) });
            }
        }
        Ok(bucket)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn configure(&mut self, settings: Settings) -> io::Result<()> {
        if let Some(directory) = &self.directory {
            settings.write(directory)?;
        }
        self.settings = settings;
        Ok(())
    }

    /// Finds a version of an object, or its current version.
    pub(crate) fn find(&self, key: &str, version: Option<&str>) -> Result<&Version, ObjectStoreError> {
        let versions = self.objects.get(key);
        match version {
            None => versions.and_then(Versions::current).ok_or(ObjectStoreError::NoSuchKey),
            Some(id) => match versions.and_then(|versions| versions.get(id)) {
                None => Err(ObjectStoreError::NoSuchVersion),
                Some(found) if found.description.is_delete_marker => Err(ObjectStoreError::IsDeleteMarker),
                Some(found) => Ok(found),
            },
        }
    }

    /// Stores an object if the precondition holds, and returns its description.
    pub(crate) fn put(
        &mut self,
        description: Description,
        body: Bytes,
        only: &OnlyIf,
    ) -> Result<Description, ObjectStoreError> {
        match (only, self.find(&description.key, None)) {
            (OnlyIf::Absent, Ok(_)) => return Err(ObjectStoreError::NotAsExpected),
            (OnlyIf::Is(etag), Ok(there)) if there.description.etag != *etag => {
                return Err(ObjectStoreError::NotAsExpected);
            }
            (OnlyIf::Is(_), Err(refusal)) => return Err(refusal),
            _ => {}
        }
        let retained_until = self.settings.retained_until(description.modified_at);
        Ok(self.add(Description { retained_until, ..description }, body)?)
    }

    /// Deletes a version permanently. Without a version id, adds a delete marker if the bucket is versioned. Returns
    /// what was deleted or added; a missing object is not an error. `bypass` is the header that bypasses governance
    /// retention.
    pub(crate) fn delete(
        &mut self,
        key: &str,
        version: Option<&str>,
        bypass: Option<bool>,
    ) -> Result<Option<Description>, ObjectStoreError> {
        if bypass.is_some() && self.settings.object_lock.is_none() {
            return Err(ObjectStoreError::NoObjectLock);
        }
        if version.is_none() && self.settings.is_versioned {
            return Ok(Some(self.hide(key)?));
        }
        self.remove(key, version.unwrap_or(NULL), bypass == Some(true))
    }

    /// Current objects whose keys start with `prefix` and follow `after`, in key order.
    pub(crate) fn list<'a>(&'a self, prefix: &'a str, after: &'a str) -> impl Iterator<Item = &'a Description> {
        let current = self.objects.values().filter_map(Versions::current).map(|version| &version.description);
        current.filter(move |found| found.key.starts_with(prefix) && found.key.as_str() > after)
    }

    /// Versions of the keys that start with `prefix`, after a position: ordered by key, and newest first within a key.
    pub(crate) fn list_versions<'a>(&'a self, prefix: &'a str, after: Place<'a>) -> impl Iterator<Item = Listed> {
        let keys = self.objects.iter().filter(move |(key, _)| {
            key.starts_with(prefix)
                && (key.as_str() > after.key || (key.as_str() == after.key && after.version.is_some()))
        });
        keys.flat_map(move |(key, versions)| versions.listed(after.version.filter(|_| key == after.key)))
    }

    fn hide(&mut self, key: &str) -> io::Result<Description> {
        let modified_at = OffsetDateTime::now_utc().unix_timestamp();
        let marker = Description { key: key.to_owned(), modified_at, is_delete_marker: true, ..Description::default() };
        self.add(marker, Bytes::new())
    }

    fn remove(&mut self, key: &str, id: &str, bypasses: bool) -> Result<Option<Description>, ObjectStoreError> {
        let Some(versions) = self.objects.get_mut(key) else { return Ok(None) };
        let Some(version) = versions.get(id) else { return Ok(None) };
        if version.description.is_retained(OffsetDateTime::now_utc().unix_timestamp()) && !bypasses {
            return Err(ObjectStoreError::Retained);
        }
        version.content.remove()?;
        let removed = versions.remove(id);
        if versions.is_empty() {
            self.objects.remove(key);
        }
        Ok(removed.map(|version| version.description))
    }

    /// Adds a version, with a new id if the bucket is versioned.
    fn add(&mut self, description: Description, body: Bytes) -> io::Result<Description> {
        let version = self.settings.is_versioned.then(|| self.next_version());
        let description = Description { version, ..description };
        let content = Content::keep(self.directory.as_deref(), &description, body)?;
        self.insert(Version { description: description.clone(), content });
        Ok(description)
    }

    fn insert(&mut self, version: Version) {
        let id = version.description.version.as_deref();
        let moment = id.and_then(|id| i128::from_str_radix(id, 16).ok()).unwrap_or_default();
        self.last_version = self.last_version.max(moment);
        self.objects.entry(version.description.key.clone()).or_default().insert(version);
    }

    /// A new version id that is greater than all others of the bucket: the current time in nanoseconds, or the last id
    /// plus one.
    fn next_version(&self) -> String {
        let moment = OffsetDateTime::now_utc().unix_timestamp_nanos().max(self.last_version + 1);
        format!("{moment:032x}")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{super::settings::ObjectLock, *};

    fn versioned() -> Settings {
        Settings { is_versioned: true, ..Settings::default() }
    }

    fn retaining() -> Settings {
        Settings { object_lock: Some(ObjectLock { retention_days: Some(1) }), ..Settings::locked() }
    }

    fn put(bucket: &mut Bucket, key: &str, body: &'static str) -> String {
        let modified_at = OffsetDateTime::now_utc().unix_timestamp();
        let description = Description { key: key.to_owned(), modified_at, ..Description::default() };
        bucket.put(description, body.into(), &OnlyIf::Always).unwrap().version_id().to_owned()
    }

    fn body(bucket: &Bucket, key: &str, version: Option<&str>) -> Result<Bytes, ObjectStoreError> {
        Ok(bucket.find(key, version)?.content.read()?)
    }

    /// Lists versions as `KEY ID`, with `+` for the latest and `x` for a delete marker.
    fn listed(bucket: &Bucket, after: Place<'_>) -> Vec<String> {
        let line = |Listed { description, is_latest }: Listed| {
            let (latest, marker) =
                (if is_latest { "+" } else { "" }, if description.is_delete_marker { "x" } else { "" });
            format!("{} {}{latest}{marker}", description.key, description.version_id())
        };
        bucket.list_versions("", after).map(line).collect()
    }

    const START: Place<'static> = Place { key: "", version: None };

    #[test]
    fn a_delete_marker_hides_the_object() {
        let mut bucket = Bucket::create(None, versioned()).unwrap();
        let first = put(&mut bucket, "k", "first");
        let second = put(&mut bucket, "k", "second");
        let marker = bucket.delete("k", None, None).unwrap().unwrap().version_id().to_owned();

        assert!(matches!(body(&bucket, "k", None), Err(ObjectStoreError::NoSuchKey)));
        assert!(matches!(body(&bucket, "k", Some(&marker)), Err(ObjectStoreError::IsDeleteMarker)));
        assert!(matches!(body(&bucket, "k", Some("unknown")), Err(ObjectStoreError::NoSuchVersion)));
        assert_eq!(body(&bucket, "k", Some(&first)).unwrap(), "first");
        assert_eq!(listed(&bucket, START), [format!("k {marker}+x"), format!("k {second}"), format!("k {first}")]);
        assert_eq!(bucket.list("", "").count(), 0);

        assert!(bucket.delete("k", Some(&marker), None).unwrap().unwrap().is_delete_marker);
        assert_eq!(body(&bucket, "k", None).unwrap(), "second");
        assert_eq!(bucket.list("", "").count(), 1);
        for version in [&first, &second] {
            bucket.delete("k", Some(version), None).unwrap();
        }
        assert_eq!(listed(&bucket, START), Vec::<String>::new());
    }

    #[test]
    fn a_delete_marker_counts_as_absent() {
        let mut bucket = Bucket::create(None, versioned()).unwrap();
        let absent = |bucket: &mut Bucket| {
            bucket.put(Description { key: "k".to_owned(), ..Description::default() }, Bytes::new(), &OnlyIf::Absent)
        };
        absent(&mut bucket).unwrap();
        assert!(matches!(absent(&mut bucket), Err(ObjectStoreError::NotAsExpected)));
        bucket.delete("k", None, None).unwrap();
        absent(&mut bucket).unwrap();
        assert_eq!(listed(&bucket, START).len(), 3);
    }

    #[test]
    fn replaces_an_object_only_if_expected() {
        let mut bucket = Bucket::create(None, Settings::default()).unwrap();
        let put = |bucket: &mut Bucket, etag: &str, only: &OnlyIf| {
            let description = Description { key: "k".to_owned(), etag: etag.to_owned(), ..Description::default() };
            bucket.put(description, Bytes::new(), only)
        };
        assert!(matches!(put(&mut bucket, "a", &OnlyIf::Is("a".into())), Err(ObjectStoreError::NoSuchKey)));
        put(&mut bucket, "a", &OnlyIf::Absent).unwrap();
        assert!(matches!(put(&mut bucket, "b", &OnlyIf::Is("b".into())), Err(ObjectStoreError::NotAsExpected)));
        put(&mut bucket, "b", &OnlyIf::Is("a".into())).unwrap();
        assert!(matches!(put(&mut bucket, "c", &OnlyIf::Is("a".into())), Err(ObjectStoreError::NotAsExpected)));
    }

    #[test]
    fn unversioned_objects_are_replaced_and_removed() {
        let mut bucket = Bucket::create(None, Settings::default()).unwrap();
        put(&mut bucket, "k", "first");
        assert_eq!(put(&mut bucket, "k", "second"), NULL);
        assert_eq!(listed(&bucket, START), ["k null+"]);
        bucket.delete("k", None, None).unwrap();
        assert!(bucket.delete("k", None, None).unwrap().is_none());
        assert_eq!(listed(&bucket, START), Vec::<String>::new());
    }

    #[test]
    fn a_listing_continues_after_a_page() {
        let mut bucket = Bucket::create(None, Settings::default()).unwrap();
        put(&mut bucket, "b", "unversioned");
        bucket.configure(versioned()).unwrap();
        let (a, b, c) = (put(&mut bucket, "a", ""), put(&mut bucket, "b", ""), put(&mut bucket, "c", ""));
        let all = [format!("a {a}+"), format!("b {b}+"), "b null".to_owned(), format!("c {c}+")];
        let behind = |key, version| listed(&bucket, Place { key, version });
        assert_eq!(behind("", None), all);
        assert_eq!(behind("a", Some(&a)), all[1..]);
        assert_eq!(behind("b", Some(&b)), all[2..]);
        assert_eq!(behind("b", Some(NULL)), all[3..]);
        assert_eq!(behind("b", None), all[3..]);
    }

    #[test]
    fn only_a_bypass_removes_retained_versions() {
        let mut bucket = Bucket::create(None, retaining()).unwrap();
        let version = put(&mut bucket, "k", "");
        for bypass in [None, Some(false)] {
            assert!(matches!(bucket.delete("k", Some(&version), bypass), Err(ObjectStoreError::Retained)));
        }
        let marker = bucket.delete("k", None, None).unwrap().unwrap();
        bucket.delete("k", Some(marker.version_id()), None).unwrap();
        assert_eq!(listed(&bucket, START), [format!("k {version}+")]);
        bucket.delete("k", Some(&version), Some(true)).unwrap();
        assert_eq!(listed(&bucket, START), Vec::<String>::new());

        let mut without_lock = Bucket::create(None, versioned()).unwrap();
        assert!(matches!(without_lock.delete("k", Some(NULL), Some(true)), Err(ObjectStoreError::NoObjectLock)));
    }

    #[test]
    fn versions_survive_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bucket");
        let mut bucket = Bucket::create(Some(path.clone()), Settings::default()).unwrap();
        put(&mut bucket, "k", "line\nunversioned");
        bucket.configure(retaining()).unwrap();
        let version = put(&mut bucket, "k", "versioned");
        bucket.delete("k", None, None).unwrap();
        let before = listed(&bucket, START);

        let mut bucket = Bucket::open(&path).unwrap();
        assert_eq!(bucket.settings(), &retaining());
        assert_eq!(listed(&bucket, START), before);
        assert_eq!(body(&bucket, "k", Some(NULL)).unwrap(), "line\nunversioned");
        assert_eq!(body(&bucket, "k", Some(&version)).unwrap(), "versioned");
        assert!(matches!(bucket.delete("k", Some(&version), None), Err(ObjectStoreError::Retained)));
        bucket.delete("k", Some(NULL), None).unwrap();
        assert!(put(&mut bucket, "k", "later") > version);
        assert_eq!(listed(&Bucket::open(&path).unwrap(), START).len(), 3);
    }
}
