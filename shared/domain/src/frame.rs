//! The hash of a frame, which the API, the evidence record and both signatures refer to.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Sha256Digest;

/// SHA-256 of a frame's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameHash(Sha256Digest);

impl FrameHash {
    /// Hashes a frame.
    #[must_use]
    pub fn of(frame: &[u8]) -> Self {
        Self(Sha256Digest::of(frame))
    }

    /// Reads 64 hexadecimal characters of either case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Sha256Digest::parse(text).map(Self)
    }

    /// The 32 bytes of the digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The digest as 64 lower-case hexadecimal characters.
    #[must_use]
    pub fn hex(&self) -> String {
        self.0.hex()
    }
}

impl fmt::Debug for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrameHash({})", self.hex())
    }
}
