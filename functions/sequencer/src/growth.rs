//! What is published for leaves that were added: made once, kept before the checkpoint is signed, and published from what was
//! kept, by whoever comes to it.

use base64::{Engine, prelude::BASE64_STANDARD};
use domain::{CaptureId, Sha256Digest};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use transparency::{Edge, Entry, Growth};

/// Leaves that are about to be published, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// The place of the first one.
    from: u64,
    /// The captures, in the order of their leaves.
    captures: Vec<CaptureId>,
    /// Tiles and entries.
    files: Vec<File>,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    path: String,
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    content: Vec<u8>,
}

/// Leaves added to a tree, in their form to be kept.
pub(crate) struct Grown {
    pub(crate) size: u64,
    pub(crate) root: Sha256Digest,
    pub(crate) pending: Pending,
}

impl Grown {
    /// Adds captures with their entries at the edge of a tree.
    pub(crate) fn by(edge: &Edge, leaves: Vec<(CaptureId, Entry)>) -> Self {
        let (captures, entries): (Vec<_>, Vec<_>) = leaves.into_iter().unzip();
        let Growth { edge: grown, files } = edge.grown(&entries);
        let file = |(path, content): (transparency::TilePath, _)| File { path: path.to_string(), content };
        let pending = Pending { from: edge.size(), captures, files: files.into_iter().map(file).collect() };
        Self { size: grown.size(), root: grown.root(), pending }
    }
}

impl Pending {
    /// The tiles and entries, with their paths.
    pub(crate) fn files(&self) -> Vec<(&str, &[u8])> {
        self.files.iter().map(|file| (file.path.as_str(), file.content.as_slice())).collect()
    }

    /// The captures with their places.
    pub(crate) fn leaves(&self) -> Vec<(CaptureId, u64)> {
        self.captures.iter().cloned().zip(self.from..).collect()
    }
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
}
