//! The versions of one key, including delete markers.

use std::collections::BTreeMap;

use super::{
    content::Content,
    description::{Description, NULL},
};

/// A version: its metadata and content.
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

/// A position in a listing of versions, at the end of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) key: &'a str,
    /// The version after which to continue; `None` continues after the last version of the key.
    pub(crate) version: Option<&'a str>,
}

/// Versions of one key by id, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Versions(BTreeMap<Option<String>, Version>);

impl Versions {
    /// The current object: the newest version, unless it is a delete marker.
    pub(crate) fn current(&self) -> Option<&Version> {
        self.0.last_key_value().map(|(_, newest)| newest).filter(|newest| !newest.description.is_delete_marker)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Version> {
        self.0.get(&place(id))
    }

    /// Adds a version, replacing one with the same id.
    pub(crate) fn insert(&mut self, version: Version) {
        self.0.insert(version.description.version.clone(), version);
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Version> {
        self.0.remove(&place(id))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lists versions, newest first; only those older than `below`, if given.
    pub(crate) fn listed(&self, below: Option<&str>) -> impl Iterator<Item = Listed> {
        let below = below.map(place);
        let newest_first = self.0.values().rev().map(|version| &version.description).enumerate();
        newest_first
            .map(|(place, description)| Listed { description: description.clone(), is_latest: place == 0 })
            .filter(move |listed| below.as_ref().is_none_or(|below| listed.description.version < *below))
    }
}

/// Sort key of a version id: the `null` version comes first.
fn place(id: &str) -> Option<String> {
    (id != NULL).then(|| id.to_owned())
}
