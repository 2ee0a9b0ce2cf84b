//! The metadata of one version of an object.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// S3's name of the version of a bucket without versions.
pub(crate) const NULL: &str = "null";

/// The metadata of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Description {
    pub(crate) key: String,
    pub(crate) bytes: u64,
    pub(crate) content_type: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    /// MD5 in hexadecimal.
    pub(crate) etag: String,
    /// Seconds of the Unix epoch.
    pub(crate) modified_at: i64,
    /// SHA-256 in base64, if it was sent.
    pub(crate) sha256: Option<String>,
    /// `None` is the version [`NULL`]. A later version has a greater id.
    pub(crate) version: Option<String>,
    /// Such a version has no bytes: it hides those below it.
    #[serde(default)]
    pub(crate) is_delete_marker: bool,
    /// Seconds of the Unix epoch; until then the version is not removed.
    pub(crate) retained_until: Option<i64>,
}

impl Description {
    /// S3's name of the version.
    pub(crate) fn version_id(&self) -> &str {
        self.version.as_deref().unwrap_or(NULL)
    }

    pub(crate) fn is_retained(&self, at: i64) -> bool {
        self.retained_until.is_some_and(|end| at < end)
    }
}
