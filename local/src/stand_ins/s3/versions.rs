//! The versions of one key, delete markers among them.

use std::collections::BTreeMap;

use super::{
    content::Content,
    description::{Description, NULL},
};

/// A version: its metadata, and where its bytes are.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) description: Description,
    pub(crate) content: Content,
}

/// A version in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) description: Description,
    pub(crate) is_latest: bool,
}

/// A place in a listing of versions: the end of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) key: &'a str,
    /// `None` is the end of the key.
    pub(crate) version: Option<&'a str>,
}

/// The versions of one key by their ids, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Versions(BTreeMap<Option<String>, Version>);

impl Versions {
    /// What the key stands for: the newest version, unless that is a delete marker.
    pub(crate) fn current(&self) -> Option<&Version> {
        self.0.last_key_value().map(|(_, newest)| newest).filter(|newest| !newest.description.is_delete_marker)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Version> {
        self.0.get(&place(id))
    }

    /// Adds a version, in the place of one with the same id.
    pub(crate) fn insert(&mut self, version: Version) {
        self.0.insert(version.description.version.clone(), version);
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Version> {
        self.0.remove(&place(id))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The newest first; below a version, if one is given.
    pub(crate) fn listed(&self, below: Option<&str>) -> impl Iterator<Item = Listed> {
        let below = below.map(place);
        let newest_first = self.0.values().rev().map(|version| &version.description).enumerate();
        newest_first
            .map(|(place, description)| Listed { description: description.clone(), is_latest: place == 0 })
            .filter(move |listed| below.as_ref().is_none_or(|below| listed.description.version < *below))
    }
}

/// The order of a version by S3's name of it.
fn place(id: &str) -> Option<String> {
    (id != NULL).then(|| id.to_owned())
}
