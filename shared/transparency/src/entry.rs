//! Log entries: what the log contains of a capture.

use lacre_domain::{EvidenceRecord, LogSalt, Sha256Digest};
use sha2::{Digest, Sha256};

/// The prefix of the hashed data, which separates entries from hashes for other purposes.
const TAG: &[u8] = b"lacre.capture.v1\0";

/// A log entry: SHA-256(`"lacre.capture.v1\0"` ‖ salt ‖ SHA-256 of the manifest ‖ digest of the evidence record).
///
/// Whoever has the photo and its transparency proof can compute it: the photo contains the manifest, and the proof
/// contains the salt and the record's digest. Without the salt the entry reveals nothing about either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry([u8; 32]);

impl Entry {
    /// Computes the entry of a capture.
    #[must_use]
    pub fn of(salt: &LogSalt, manifest: &Sha256Digest, record: &Sha256Digest) -> Self {
        let hash = Sha256::new_with_prefix(TAG).chain_update(salt.expose());
        Self(hash.chain_update(manifest.as_bytes()).chain_update(record.as_bytes()).finalize().into())
    }

    /// Computes the entry of a capture from its record. The record's own `log_entry` is ignored.
    ///
    /// # Errors
    /// The same as [`EvidenceRecord::digest`], which succeeds for every record that this service made or read.
    pub fn of_capture(salt: &LogSalt, capture: &EvidenceRecord) -> Result<Self, serde_json::Error> {
        Ok(Self::of(salt, &capture.manifest_sha256, &capture.digest()?))
    }

    /// Wraps an entry that was read.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The entry as a digest, the form in which a record contains it.
    #[must_use]
    pub fn digest(&self) -> Sha256Digest {
        Sha256Digest::from_bytes(self.0)
    }
}
