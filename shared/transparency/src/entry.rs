//! An entry: what the log holds of a capture.

use std::fmt;

use domain::Sha256Digest;
use sha2::{Digest, Sha256};

/// What an entry begins with, so that no hash made for something else is one.
const TAG: &[u8] = b"lacre.capture.v1\0";

/// The salt of an entry: 32 bytes, which only the evidence and the holders of proofs know.
#[derive(Clone, PartialEq, Eq)]
pub struct LogSalt([u8; 32]);

impl LogSalt {
    /// A salt that was made elsewhere.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, for a proof.
    #[must_use]
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for LogSalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogSalt(redacted)")
    }
}

/// SHA-256(`"lacre.capture.v1\0"` ‖ salt ‖ SHA-256 of the manifest ‖ digest of the evidence record).
///
/// Whoever has photo and proof can compute it: the photo carries the manifest, the proof salt and record digest. Without the
/// salt it says nothing of either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry([u8; 32]);

impl Entry {
    /// The entry of a capture.
    #[must_use]
    pub fn of(salt: &LogSalt, manifest: &Sha256Digest, record: &Sha256Digest) -> Self {
        let hash = Sha256::new_with_prefix(TAG).chain_update(salt.0);
        Self(hash.chain_update(manifest.as_bytes()).chain_update(record.as_bytes()).finalize().into())
    }

    /// An entry that was read.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
