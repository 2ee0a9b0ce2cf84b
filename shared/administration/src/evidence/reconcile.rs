//! Objects in the proofs bucket that no record names: found, and removed on request.

use std::collections::HashSet;

use aws::{Named, ProofObjects};
use serde::Serialize;
use time::Duration;

use super::EvidenceAdministration;
use crate::Error;

/// An object is stored before its record is written, within seconds. What is younger than this may still get its record.
const YOUNGEST: Duration = Duration::hours(1);

/// The objects that no record names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrphanedObjects {
    /// The keys of those that were not removed.
    pub keys: Vec<String>,
    /// The keys of those that were.
    pub removed: Vec<String>,
    /// The number of objects that were examined.
    pub examined: usize,
    /// Why the removal ended at the first of `keys`, which may be gone all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl EvidenceAdministration {
    /// Finds the objects in the proofs bucket that no record names, neither in the table nor in the export, and removes them if
    /// asked to. Only objects count that `ingest` stores, older than `age`, and none younger than an hour.
    ///
    /// # Errors
    /// [`Error::Refused`] when no record names any object: then bucket and table are of different deployments.
    /// [`Error::Unavailable`]: nothing was removed. A removal that fails is in the answer.
    pub async fn reconcile(&self, age: Duration, remove: bool) -> Result<OrphanedObjects, Error> {
        let before = self.clock.now() - age.max(YOUNGEST);
        // The objects first: what is listed here was stored long ago, so its record is there when the evidence is read.
        let mut stored = self.proofs.keys_before(before).await?;
        stored.retain(|key| is_of_a_proof(key));
        let examined = stored.len();
        let Named { captures, objects } = self.evidence.named().await?;
        let mut keys: Vec<String> = stored.into_iter().filter(|key| !objects.contains(key)).collect();
        if examined > 0 && keys.len() == examined {
            return Err(Error::Refused(format!(
                "no record names any of the {examined} objects: PROOFS_BUCKET and EVIDENCE_TABLE are not of one deployment"
            )));
        }
        self.keep_exported(&captures, &mut keys).await?;
        let found = OrphanedObjects { keys, removed: Vec::new(), examined, failure: None };
        Ok(if remove { removed(&self.proofs, found).await } else { found })
    }

    /// Leaves out the objects of records that the table has lost: they are to be restored, not removed.
    async fn keep_exported(&self, captures: &HashSet<String>, keys: &mut Vec<String>) -> Result<(), Error> {
        if keys.is_empty() {
            return Ok(());
        }
        let exported = self.exported.inventory().await?.records;
        for capture_id in exported.keys().filter(|id| !captures.contains(*id)) {
            if let Some(record) = self.exported.read_record(capture_id).await? {
                keys.retain(|key| record.objects().all(|(named, _)| named != key));
            }
        }
        Ok(())
    }
}

/// The objects that remain after a removal, which stops at the first failure.
async fn removed(proofs: &ProofObjects, mut found: OrphanedObjects) -> OrphanedObjects {
    for key in &found.keys {
        match proofs.remove(key).await {
            Ok(()) => found.removed.push(key.clone()),
            Err(error) => {
                found.failure = Some(Error::from(error).to_string());
                break;
            }
        }
    }
    found.keys.drain(..found.removed.len());
    found
}

/// Whether a key is one that an attempt stores under. The bucket may hold what others put there: that is theirs.
fn is_of_a_proof(key: &str) -> bool {
    let Some((attempt, _)) = key.split_once('/') else { return false };
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let of_attempt = [ProofObjects::jpeg_key(attempt), ProofObjects::manifest_key(attempt)];
    attempt.len() == 32 && attempt.bytes().all(is_hex) && of_attempt.iter().any(|of_attempt| of_attempt == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_s_key_is_its_attempt_and_one_of_two_names() {
        let attempt = "0123456789abcdef0123456789abcdef";
        assert!(is_of_a_proof(&ProofObjects::jpeg_key(attempt)));
        assert!(is_of_a_proof(&ProofObjects::manifest_key(attempt)));
        let upper = attempt.to_uppercase();
        for other in [
            attempt.to_owned(),
            format!("{attempt}/"),
            format!("{attempt}/other.jpg"),
            format!("{attempt}/photo.jpg/photo.jpg"),
            format!("backup/{attempt}/photo.jpg"),
            format!("{attempt}0/photo.jpg"),
            format!("{upper}/photo.jpg"),
            "photo.jpg".to_owned(),
        ] {
            assert!(!is_of_a_proof(&other), "{other}");
        }
    }
}
