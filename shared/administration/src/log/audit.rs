//! The audit of a transparency log: compares log and evidence in both directions, and the log with an earlier
//! checkpoint.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{CaptureId, CustodyState, Environment, EvidenceRecord, Sha256Digest};
use lacre_storage::{FoundRecord, Holding, LogHead, LogLeaf, Page};
use lacre_transparency::{Checkpoint, Edge, Entry, Follower, LogKey, SignedNote, leaf_hash, verify_inclusion};
use serde::Serialize;
use time::Duration;

use super::{LogAdministration, entry_of, finding};
use crate::Error;

/// The time within which a new record must get its leaf. Younger records may still be without one.
const LOGGED_WITHIN: Duration = Duration::minutes(15);
/// The number of exported records that are read concurrently.
const CONCURRENCY: usize = 32;

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LogAudit {
    /// The log's origin.
    pub origin: String,
    /// The tree size of the log.
    pub leaves: u64,
    /// The number of the environment's records.
    pub records: usize,
    /// The number of young records without a leaf, or whose leaf is not in the table yet.
    pub pending: usize,
    /// The number of records that predate the log.
    pub unlogged: usize,
    /// The number of records of erased captures. Their entries are in the log, but can no longer be recomputed.
    pub erased: usize,
    /// The audited checkpoint as a signed note, which the next audit needs. `None` if there is none, or it is invalid.
    pub checkpoint: Option<String>,
    /// All discrepancies; empty if there are none.
    pub differences: Vec<LogDifference>,
}

/// A discrepancy in the log or the evidence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LogDifference {
    /// The capture's id; `None` if only the log is concerned.
    pub capture_id: Option<String>,
    /// The index of the leaf, if a leaf is concerned.
    pub index: Option<u64>,
    /// The difference, in words.
    pub how: String,
}

/// A discrepancy that a restore can repair.
pub(super) enum Defect {
    /// The record has no leaf in the log.
    Unsequenced(Box<EvidenceRecord>),
    /// The log contains the record's entry at this index, but the table does not have the leaf.
    Unplaced(CaptureId, u64),
}

/// A log that was read, with the findings.
#[derive(Default)]
pub(super) struct Audited {
    pub(super) audit: LogAudit,
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) defects: Vec<Defect>,
    /// The entries in the order of their indexes.
    entries: Vec<Entry>,
    /// The index of each entry.
    places: HashMap<Entry, u64>,
    /// The capture that each entry belongs to, by index.
    owners: HashMap<u64, String>,
    /// The checkpoints in stored proofs, by tree size, each with a capture whose proof has it.
    checkpoints: BTreeMap<u64, (Sha256Digest, String)>,
}

impl LogAdministration {
    /// Compares the log of an environment with the evidence in both directions, and with an earlier checkpoint of the
    /// log.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Invalid`] if the earlier checkpoint is not one of this log.
    pub async fn audit(
        &self,
        environment: Environment,
        key: &LogKey,
        earlier: Option<&SignedNote>,
    ) -> Result<LogAudit, Error> {
        let Audited { mut audit, .. } = self.audited(environment, key, earlier).await?;
        audit.differences.sort();
        Ok(audit)
    }

    pub(super) async fn audited(
        &self,
        environment: Environment,
        key: &LogKey,
        earlier: Option<&SignedNote>,
    ) -> Result<Audited, Error> {
        let earlier = earlier.map(|note| key.verify(note)).transpose();
        let earlier = earlier.map_err(|fault| Error::Invalid(format!("the earlier checkpoint: {fault}")))?;
        let mut found = Audited::default();
        found.audit.origin = key.origin().to_owned();
        // The log is read first: whatever it contains was recorded before, so its record must be there when the
        // evidence is read afterwards.
        if !self.read_log(environment, key, earlier, &mut found).await? {
            return Ok(found);
        }
        let mut from = None;
        loop {
            let Page { captures, next } = self.evidence.all(from).await?;
            self.compare_page(environment, key, captures, &mut found).await?;
            from = next;
            if from.is_none() {
                break;
            }
        }
        found.check_stored_checkpoints();
        self.name_leaves_without_record(environment, &mut found).await?;
        Ok(found)
    }

    /// Reads the log from its first leaf. Returns `false` if it is inconsistent, so that nothing can be compared with
    /// it.
    async fn read_log(
        &self,
        environment: Environment,
        key: &LogKey,
        earlier: Option<Checkpoint>,
        found: &mut Audited,
    ) -> Result<bool, Error> {
        let published = self.files.checkpoint(environment).await?;
        let head = self.state.head(environment).await?;
        let Some(note) = published else {
            let was_published =
                head.is_some_and(|head| head.is_published) || earlier.is_some_and(|there| there.size > 0);
            if was_published {
                found.differs(None, None, "the log has no checkpoint any more");
            }
            return Ok(!was_published);
        };
        let note = String::from_utf8_lossy(&note).into_owned();
        let checkpoint = match note.parse::<SignedNote>().map_err(|fault| fault.to_string()) {
            Ok(note) => key.verify(&note).map_err(|fault| fault.to_string()),
            Err(fault) => Err(fault),
        };
        let checkpoint = match checkpoint {
            Ok(checkpoint) => checkpoint,
            Err(fault) => {
                found.differs(None, None, &format!("the published checkpoint: {fault}"));
                return Ok(false);
            }
        };
        let reader = self.files.of(environment);
        let mut follower = Follower::at_the_start(&reader);
        for state in earlier.iter().chain([&checkpoint]) {
            let (entries, places, differences) = (&mut found.entries, &mut found.places, &mut found.audit.differences);
            let read = follower.advance(state, |index, entry| {
                entries.push(*entry);
                if let Some(first) = places.insert(*entry, index) {
                    let how = format!("the leaf occurs twice: also at {first}");
                    differences.push(LogDifference { capture_id: None, index: Some(index), how });
                }
            });
            if let Err(error) = read.await {
                let how = finding(error)?;
                found.differs(None, None, &how);
                return Ok(false);
            }
        }
        if let Some(how) = head_behind(head.as_ref(), &checkpoint) {
            found.differs(None, None, how);
        }
        found.audit.leaves = checkpoint.size;
        found.audit.checkpoint = Some(note);
        found.checkpoint = Some(checkpoint);
        Ok(true)
    }

    async fn compare_page(
        &self,
        environment: Environment,
        key: &LogKey,
        page: Vec<FoundRecord>,
        found: &mut Audited,
    ) -> Result<(), Error> {
        let mut records = Vec::new();
        for FoundRecord { capture_id, record } in page {
            match record {
                Err(_) => found.differs(Some(&capture_id), None, "the record differs from what the service writes"),
                Ok(record) if record.environment != environment => {}
                Ok(record) if record.capture_id.as_str() != capture_id => {
                    found.differs(Some(&capture_id), None, "the record belongs to another capture");
                }
                Ok(record) => records.push(record),
            }
        }
        let ids: Vec<_> = records.iter().map(|record| &record.capture_id).collect();
        let (held, mut leaves) = (self.personal.read(&ids).await?, self.state.leaves(&ids).await?);
        for (record, held) in records.iter().zip(&held) {
            found.audit.records += 1;
            let leaf = leaves.remove(record.capture_id.as_str());
            self.compare_record(record, held, leaf, key, found);
        }
        Ok(())
    }

    fn compare_record(
        &self,
        record: &EvidenceRecord,
        held: &Holding,
        leaf: Option<LogLeaf>,
        key: &LogKey,
        found: &mut Audited,
    ) {
        let id = record.capture_id.as_str();
        let Some(entry) = record.log_entry.map(|entry| Entry::from_bytes(*entry.as_bytes())) else {
            found.audit.unlogged += 1;
            return;
        };
        match (entry_of(record, held), held.custody.state()) {
            (Some(computed), _) if computed != entry => {
                found.differs(Some(id), None, "the entry does not match the record, manifest and salt");
            }
            (Some(_), _) => {}
            (None, CustodyState::Erased) => found.audit.erased += 1,
            (None, _) => found.differs(Some(id), None, "the salt is missing: run `evidence compare`"),
        }
        let is_young = (Duration::ZERO..LOGGED_WITHIN).contains(&(self.clock.now() - record.ingested_at));
        let Some(index) = found.places.get(&entry).copied() else {
            if is_young {
                found.audit.pending += 1;
                return;
            }
            found.differs(Some(id), None, "the log does not have the record's entry");
            found.defects.push(Defect::Unsequenced(Box::new(record.clone())));
            return;
        };
        if let Some(other) = found.owners.insert(index, id.to_owned()) {
            found.differs(Some(id), Some(index), &format!("the entry is that of {other}, too"));
        }
        match leaf {
            // The leaf is written to the table after the checkpoint is published.
            None if is_young => found.audit.pending += 1,
            None => {
                found.differs(Some(id), Some(index), "the log's table does not have the leaf");
                found.defects.push(Defect::Unplaced(record.capture_id.clone(), index));
            }
            Some(leaf) => found.compare_stored_proof(id, &entry, index, &leaf, key),
        }
    }

    /// Reports the leaves that belong to no record, with the capture if the export still has its record.
    async fn name_leaves_without_record(&self, environment: Environment, found: &mut Audited) -> Result<(), Error> {
        let owners = &found.owners;
        let extra = found.places.iter().filter(|(_, index)| !owners.contains_key(index));
        let extra: BTreeMap<u64, Entry> = extra.map(|(entry, index)| (*index, *entry)).collect();
        if extra.is_empty() {
            return Ok(());
        }
        let exported = self.exported.inventory().await?.records;
        let owned: HashSet<&String> = owners.values().collect();
        let unowned = exported.iter().filter(|(id, _)| !owned.contains(id));
        let reads: Vec<_> = unowned.map(|(id, versions)| self.exported.read_record(id, versions)).collect();
        let records: Vec<_> = stream::iter(reads).buffer_unordered(CONCURRENCY).try_collect().await?;
        let records = records.into_iter().flatten().filter(|record: &EvidenceRecord| record.environment == environment);
        let entry =
            |record: EvidenceRecord| Some((*record.log_entry?.as_bytes(), record.capture_id.as_str().to_owned()));
        let captures: HashMap<[u8; 32], String> = records.filter_map(entry).collect();
        for (index, entry) in extra {
            let capture = captures.get(entry.as_bytes()).map(String::as_str);
            let how = match capture {
                Some(_) => "the log and the export have its record, and the table does not",
                None => "the leaf belongs to no record",
            };
            found.differs(capture, Some(index), how);
        }
        Ok(())
    }
}

impl Audited {
    fn differs(&mut self, capture_id: Option<&str>, index: Option<u64>, how: &str) {
        let (capture_id, how) = (capture_id.map(str::to_owned), how.to_owned());
        self.audit.differences.push(LogDifference { capture_id, index, how });
    }

    /// Compares the stored proof of a capture, which session results and `log proof` return.
    fn compare_stored_proof(&mut self, id: &str, entry: &Entry, index: u64, leaf: &LogLeaf, key: &LogKey) {
        let checkpoint = leaf.note.parse::<SignedNote>().ok().and_then(|note| key.verify(&note).ok());
        let Some(checkpoint) = checkpoint else {
            return self.differs(Some(id), Some(index), "the checkpoint in the stored proof is not signed by the log");
        };
        let (hashes, rest) = leaf.path.as_chunks::<32>();
        let path: Vec<_> = hashes.iter().map(|hash| Sha256Digest::from_bytes(*hash)).collect();
        let hash = leaf_hash(entry.as_bytes());
        let holds = verify_inclusion(hash, leaf.index, checkpoint.size, &path, checkpoint.root);
        if leaf.index != index || !rest.is_empty() || !holds {
            return self.differs(Some(id), Some(index), "the stored proof does not prove this leaf");
        }
        let (root, size) = (checkpoint.root, checkpoint.size);
        let known = self.checkpoints.entry(size).or_insert_with(|| (root, id.to_owned()));
        if known.0 != root {
            self.differs(Some(id), Some(index), "another checkpoint of as many leaves is in another stored proof");
        }
    }

    /// Checks that every checkpoint in a stored proof is a state of this log, so that none was signed for a single
    /// capture.
    fn check_stored_checkpoints(&mut self) {
        let (mut edge, mut foreign) = (Edge::default(), Vec::new());
        for (size, (root, id)) in &self.checkpoints {
            let from = usize::try_from(edge.size()).ok();
            let new = from.zip(usize::try_from(*size).ok()).and_then(|(from, size)| self.entries.get(from..size));
            if let Some(new) = new {
                edge = edge.grown(new).edge;
            }
            // A checkpoint that is later than the audited one is left for the next audit.
            if *size <= self.audit.leaves && edge.root() != *root {
                foreign.push(id.clone());
            }
        }
        for id in foreign {
            self.differs(Some(&id), None, "the checkpoint in the stored proof does not belong to this log");
        }
    }
}

/// Whether the table's checkpoint is older than the published one, or contradicts it. The next checkpoint would be
/// computed from it.
fn head_behind(head: Option<&LogHead>, published: &Checkpoint) -> Option<&'static str> {
    match head {
        None => Some("the log's table has no checkpoint, and one is published"),
        Some(head) if head.size < published.size => {
            Some("the log's table has an earlier checkpoint than the published one")
        }
        Some(head) if head.size == published.size && head.root != published.root => {
            Some("the log's table has another root than the published checkpoint")
        }
        Some(_) => None,
    }
}
