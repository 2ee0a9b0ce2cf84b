//! Metadata of one version of an object.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Version id in a bucket without versioning.
pub(crate) const NULL: &str = "null";

/// Metadata of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Description {
    pub(crate) key: String,
    pub(crate) bytes: u64,
    pub(crate) content_type: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    /// Entity tag: the MD5 in hexadecimal.
    pub(crate) etag: String,
    /// Modification time, in seconds since the Unix epoch.
    pub(crate) modified_at: i64,
    /// SHA-256 in base64, if the upload had one.
    pub(crate) sha256: Option<String>,
    /// Version id; `None` means [`NULL`]. Later versions have greater ids.
    pub(crate) version: Option<String>,
    /// A delete marker has no bytes and hides older versions.
    #[serde(default)]
    pub(crate) is_delete_marker: bool,
    /// End of the retention, in seconds since the Unix epoch. The version cannot be deleted before.
    pub(crate) retained_until: Option<i64>,
}

impl Description {
    /// The version id, as S3 names it.
    pub(crate) fn version_id(&self) -> &str {
        self.version.as_deref().unwrap_or(NULL)
    }

    pub(crate) fn is_retained(&self, at: i64) -> bool {
        self.retained_until.is_some_and(|end| at < end)
    }
}
