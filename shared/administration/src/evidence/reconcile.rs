//! Objects in the proofs bucket that no record names: found, and removed on request.

use std::collections::HashSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{CaptureId, EvidenceRecord, Operation};
use lacre_storage::{Named, ProofObjects};
use serde::Serialize;
use time::Duration;

use super::{CONCURRENCY, EvidenceAdministration};
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
    /// [`Error::Refused`] when there is no record: then bucket and table are of different deployments, or records are lost.
    /// [`Error::Unavailable`]: nothing was removed. A removal that fails is in the answer.
    pub async fn reconcile(&self, age: Duration, remove: bool) -> Result<OrphanedObjects, Error> {
        let before = self.clock.now() - age.max(YOUNGEST);
        // The objects first: what is listed here was stored long ago, so its record is there when the evidence is read.
        let mut stored = self.proofs.keys_before(before).await?;
        stored.retain(|key| is_of_a_proof(key));
        let examined = stored.len();
        let Named { captures, objects } = self.evidence.named().await?;
        let mut keys: Vec<String> = stored.into_iter().filter(|key| !objects.contains(key)).collect();
        if examined > 0 && captures.is_empty() {
            return Err(Error::Refused(format!(
                "EVIDENCE_TABLE has no record, and PROOFS_BUCKET {examined} objects: they are not of one deployment, or records are lost"
            )));
        }
        self.keep_exported(&mut keys).await?;
        let found = OrphanedObjects { keys, removed: Vec::new(), examined, failure: None };
        if !remove || found.keys.is_empty() {
            return Ok(found);
        }
        let entry = self.auditor.entry(Operation::ReconcileObjects);
        self.auditor
            .begin(&entry.with_detail(format!("removes {} objects that no record names", found.keys.len())))
            .await?;
        Ok(removed(&self.proofs, found).await)
    }

    /// Leaves out the objects that an exported record names: of a record that the table has lost, or that was replaced there,
    /// they are to be restored, not removed.
    async fn keep_exported(&self, keys: &mut Vec<String>) -> Result<(), Error> {
        if keys.is_empty() {
            return Ok(());
        }
        let exported = self.exported.inventory().await?.records;
        let read = exported.iter().map(|(id, versions)| self.exported.read_record(id, versions));
        let records: Vec<Option<EvidenceRecord>> =
            stream::iter(read).buffer_unordered(CONCURRENCY).try_collect().await?;
        let objects = |record: &EvidenceRecord| record.objects().map(|(key, _)| key.to_owned()).collect::<Vec<_>>();
        let named: HashSet<String> = records.iter().flatten().flat_map(objects).collect();
        keys.retain(|key| !named.contains(key));
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

/// Whether a key is one that an attempt at a capture stores under. The bucket may hold what others put there: that is theirs.
fn is_of_a_proof(key: &str) -> bool {
    let mut parts = key.splitn(3, '/');
    let (Some(capture), Some(attempt)) = (parts.next().and_then(CaptureId::from_hex), parts.next()) else {
        return false;
    };
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let of_attempt = [ProofObjects::jpeg_key(&capture, attempt), ProofObjects::manifest_key(&capture, attempt)];
    attempt.len() == 32 && attempt.bytes().all(is_hex) && of_attempt.iter().any(|of_attempt| of_attempt == key)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_proof_s_key_is_its_capture_its_attempt_and_one_of_two_names() {
        let (capture, attempt) = ("ab".repeat(32), "0123456789abcdef0123456789abcdef");
        let id = CaptureId::from_hex(&capture).unwrap();
        assert!(is_of_a_proof(&ProofObjects::jpeg_key(&id, attempt)));
        assert!(is_of_a_proof(&ProofObjects::manifest_key(&id, attempt)));
        let upper = attempt.to_uppercase();
        for other in [
            capture.clone(),
            format!("{capture}/{attempt}"),
            format!("{capture}/{attempt}/other.jpg"),
            format!("{capture}/{attempt}/photo.jpg/photo.jpg"),
            format!("backup/{capture}/{attempt}/photo.jpg"),
            format!("{capture}/{attempt}0/photo.jpg"),
            format!("{capture}/{upper}/photo.jpg"),
            format!("{capture}0/{attempt}/photo.jpg"),
            format!("{attempt}/photo.jpg"),
            "photo.jpg".to_owned(),
        ] {
            assert!(!is_of_a_proof(&other), "{other}");
        }
    }
}
