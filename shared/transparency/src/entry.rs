//! An entry: what the log holds of a capture.

use lacre_domain::{EvidenceRecord, LogSalt, Sha256Digest};
use sha2::{Digest, Sha256};

/// What an entry begins with, so that no hash made for something else is one.
const TAG: &[u8] = b"lacre.capture.v1\0";

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
        let hash = Sha256::new_with_prefix(TAG).chain_update(salt.expose());
        Self(hash.chain_update(manifest.as_bytes()).chain_update(record.as_bytes()).finalize().into())
    }

    /// The entry of a capture by its record, whose own `log_entry` does not count.
    ///
    /// # Errors
    /// None for a record that was read or made by this service.
    pub fn of_capture(salt: &LogSalt, capture: &EvidenceRecord) -> Result<Self, serde_json::Error> {
        Ok(Self::of(salt, &capture.manifest_sha256, &capture.digest()?))
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

    /// The same, as a record holds it.
    #[must_use]
    pub fn digest(&self) -> Sha256Digest {
        Sha256Digest::from_bytes(self.0)
    }
}
