//! What is published for newly added leaves. It is computed once, stored before the checkpoint is signed, and published
//! from that stored copy, possibly by a later invocation.

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_domain::{CaptureId, Sha256Digest, WaitingLeaf};
use lacre_storage::LogLeaf;
use lacre_transparency::{Edge, Entry, Growth, Node, TilePath};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Leaves and files that are about to be published. Stored as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// The captures with their leaves, in the order of the leaves.
    leaves: Vec<Leaf>,
    /// The tiles and entry bundles.
    files: Vec<File>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Leaf {
    capture: CaptureId,
    index: u64,
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    path: Vec<u8>,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    path: String,
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    content: Vec<u8>,
}

/// The result of adding leaves to a tree: its new size and root, and what has to be published.
pub(crate) struct Grown {
    pub(crate) size: u64,
    pub(crate) root: Sha256Digest,
    pub(crate) pending: Pending,
}

impl Grown {
    /// The empty tree, before the first leaf.
    pub(crate) fn nothing() -> Self {
        let pending = Pending { leaves: Vec::new(), files: Vec::new() };
        Self { size: 0, root: Edge::default().root(), pending }
    }

    /// Adds leaves at the right edge of a tree. Fails if a node that an inclusion proof needs is missing.
    pub(crate) fn by(edge: &Edge, leaves: &[(CaptureId, WaitingLeaf)]) -> Result<Self, Node> {
        let entry = |(_, leaf): &(CaptureId, WaitingLeaf)| Entry::from_bytes(*leaf.entry.as_bytes());
        let entries: Vec<_> = leaves.iter().map(entry).collect();
        let growth = edge.grown(&entries);
        let leaf = |((index, path), (capture, _)): ((u64, Vec<Sha256Digest>), &(CaptureId, WaitingLeaf))| {
            let path = path.iter().flat_map(|hash| *hash.as_bytes()).collect();
            Leaf { capture: capture.clone(), index, path }
        };
        let leaves = (edge.size()..).zip(growth.paths()?).zip(leaves).map(leaf).collect();
        let Growth { edge: grown, files, .. } = growth;
        let file = |(path, content): (TilePath, _)| File { path: path.to_string(), content };
        let pending = Pending { leaves, files: files.into_iter().map(file).collect() };
        Ok(Self { size: grown.size(), root: grown.root(), pending })
    }
}

impl Pending {
    /// The tiles and entry bundles, with their paths.
    pub(crate) fn files(&self) -> Vec<(&str, &[u8])> {
        self.files.iter().map(|file| (file.path.as_str(), file.content.as_slice())).collect()
    }

    /// The captures with their leaves, under the checkpoint that includes them.
    pub(crate) fn leaves(&self, note: &str) -> Vec<(CaptureId, LogLeaf)> {
        let leaf = |leaf: &Leaf| {
            let Leaf { capture, index, path } = leaf;
            (capture.clone(), LogLeaf { index: *index, path: path.clone(), note: note.to_owned() })
        };
        self.leaves.iter().map(leaf).collect()
    }
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
}
