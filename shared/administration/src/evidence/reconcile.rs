//! Finds objects in the proofs bucket that no record refers to, and removes them on request.

use std::collections::HashSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{CaptureId, EvidenceRecord, Operation};
use lacre_storage::{Named, ProofObjects};
use serde::Serialize;
use time::Duration;

use super::{CONCURRENCY, EvidenceAdministration};
use crate::Error;

/// The minimum age of an unreferenced object. An object is stored seconds before its record is written, so a younger
/// one may still get a record.
const YOUNGEST: Duration = Duration::hours(1);

/// The objects that no record refers to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrphanedObjects {
    /// The keys of the objects that were not removed.
    pub keys: Vec<String>,
    /// The keys of the objects that were removed.
    pub removed: Vec<String>,
    /// The number of objects that were examined.
    pub examined: usize,
    /// Why the removal stopped at the first of `keys`. That object may have been removed nevertheless.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl EvidenceAdministration {
    /// Finds the objects in the proofs bucket that no record in the table or in the export refers to, and removes them
    /// if `remove` is set. Considers only objects with keys of the form that `ingest` uses, older than `age` and at
    /// least an hour old.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is no record at all: then bucket and table belong to different deployments, or
    /// records are lost. [`Error::Unavailable`]: nothing was removed. A failure during the removal is part of the
    /// result.
    pub async fn reconcile(&self, age: Duration, remove: bool) -> Result<OrphanedObjects, Error> {
        let before = self.clock.now() - age.max(YOUNGEST);
        // The objects are listed first: those that are old enough had their record long before the evidence is read.
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

    /// Excludes the objects that an exported record refers to. If the table lacks that record, or has a replaced one,
    /// the objects are needed to restore it.
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

/// Removes the objects until the first failure, and returns the result.
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

/// Whether a key has the form that attempts at captures use. Other objects in the bucket are not the service's and are
/// left alone.
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
    fn recognizes_only_keys_of_proofs() {
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
