//! Checkpoints: a log's origin, tree size and root hash, which form the text that a log signs (C2SP `tlog-checkpoint`).

use std::{fmt, str::FromStr};

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_domain::Sha256Digest;

/// A state of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's origin, a URL without a scheme.
    pub origin: String,
    /// The tree size: the number of leaves.
    pub size: u64,
    /// The root hash of the tree.
    pub root: Sha256Digest,
}

/// The error for a text that is not a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a checkpoint: its lines are the log's name, its size and its root")]
pub struct MalformedCheckpoint;

/// Writes the signed text. This log has no extension lines.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, size, root } = self;
        writeln!(f, "{origin}\n{size}\n{}", BASE64_STANDARD.encode(root.as_bytes()))
    }
}

/// Parses the signed text. Extension lines, which this log does not write, are ignored.
impl FromStr for Checkpoint {
    type Err = MalformedCheckpoint;

    fn from_str(text: &str) -> Result<Self, MalformedCheckpoint> {
        let read = || {
            let mut lines = text.strip_suffix('\n')?.split('\n');
            let origin = lines.next().filter(|origin| !origin.is_empty())?.to_owned();
            let size = decimal(lines.next()?)?;
            let root = hash(lines.next()?)?;
            lines.all(|line| !line.is_empty()).then_some(Self { origin, size, root })
        };
        read().ok_or(MalformedCheckpoint)
    }
}

/// Parses a decimal number without leading zeros.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Parses a hash in base64.
pub(crate) fn hash(text: &str) -> Option<Sha256Digest> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    bytes.try_into().ok().map(Sha256Digest::from_bytes)
}
