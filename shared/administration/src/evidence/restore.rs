//! Restores what tables and buckets have lost, from the export, the tables' streams and object versions.
//!
//! Existing data is never changed, and erased data does not come back. No single source is trusted: a record that is in
//! the export but not in the table is restored only if its proof, the stream or the note of its erasure confirms it;
//! and a record that differs from the exported one is not used to restore anything. Doubtful cases are listed for
//! people to decide.

use std::collections::{BTreeMap, BTreeSet};

use lacre_domain::{CaptureId, Custody, CustodyState, EvidenceRecord, Operation, PersonalItem, Sha256Digest};
use lacre_storage::{Exported, Frames, Holding, Inventory, ObjectVersions, Page, ProofObjects, Streamed};
use serde::Serialize;

use super::EvidenceAdministration;
use crate::Error;

/// Something that was lost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Restored {
    /// The id of the capture.
    pub capture_id: String,
    /// What was lost: `record`, `personal item`, `custody`, `frame`, `export`, or the key of an object.
    pub what: String,
    /// Where it was found: `export`, `stream`, `record` or `versions`; `None` if it was not found.
    pub from: Option<&'static str>,
}

/// The result of a restore.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Restoration {
    /// Whether the restore was applied; otherwise it was only a search.
    pub applied: bool,
    /// The number of records, including those that were missing in the table.
    pub records: usize,
    /// What was missing and can be restored.
    pub restored: Vec<Restored>,
    /// What is missing and was not found anywhere.
    pub lost: Vec<Restored>,
    /// What exists or was found, but is not confirmed by a second source. It was left unchanged.
    pub doubtful: Vec<Restored>,
}

impl Restoration {
    fn note(&mut self, capture_id: &CaptureId, what: &str, from: Option<&'static str>) {
        let found = Restored { capture_id: capture_id.as_str().to_owned(), what: what.to_owned(), from };
        let list = if from.is_some() { &mut self.restored } else { &mut self.lost };
        list.push(found);
    }

    fn doubt(&mut self, capture_id: &CaptureId, what: &str) {
        let capture_id = capture_id.as_str().to_owned();
        self.doubtful.push(Restored { capture_id, what: what.to_owned(), from: None });
    }
}

/// Whether two records have the same canonical form.
fn is_same(one: &EvidenceRecord, other: &EvidenceRecord) -> bool {
    matches!((one.canonical_json(), other.canonical_json()), (Ok(one), Ok(other)) if one == other)
}

/// The sources of a restore besides the tables.
struct Sources {
    inventory: Inventory,
    streamed: Streamed,
    proofs: BTreeMap<String, ObjectVersions>,
}

impl EvidenceAdministration {
    /// Finds what was lost, and restores it if `apply` is set: records (from export and stream), personal items and
    /// custody (from the stream), frames (from the records), objects (from versions), and what the export lacks.
    /// Idempotent.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some of it may have been restored; repeat the call.
    pub async fn restore(&self, apply: bool) -> Result<Restoration, Error> {
        if apply {
            self.auditor.begin(&self.auditor.entry(Operation::RestoreEvidence)).await?;
        }
        let sources = Sources {
            inventory: self.exported.inventory().await?,
            streamed: self.streams.read().await?,
            proofs: self.proofs.all_versions().await?,
        };
        let mut outcome = Restoration { applied: apply, ..Restoration::default() };
        let records = self.restore_records(&sources, &mut outcome).await?;
        outcome.records = records.len();
        let ids: Vec<&CaptureId> = records.iter().map(|record| &record.capture_id).collect();
        let held = self.personal.read(&ids).await?;
        for (record, held) in records.iter().zip(held) {
            // Objects are restored only for a confirmed record, because a replaced record could contain the keys of
            // other captures' objects.
            if self.restore_export(record, &sources, &mut outcome).await? {
                self.restore_held(record, held, &sources, &mut outcome).await?;
            }
        }
        self.restore_frames(&records, &mut outcome).await?;
        outcome.restored.sort();
        outcome.lost.sort();
        outcome.doubtful.sort();
        Ok(outcome)
    }

    /// Exports a record that is not in the export. Returns whether the record equals the exported one and the first
    /// version in the stream.
    async fn restore_export(
        &self,
        record: &EvidenceRecord,
        sources: &Sources,
        outcome: &mut Restoration,
    ) -> Result<bool, Error> {
        let id = &record.capture_id;
        let exported = match sources.inventory.records.get(id.as_str()) {
            Some(versions) => self.exported.read_record(id.as_str(), versions).await?,
            None => None,
        };
        let first = exported.as_ref().or_else(|| sources.streamed.records.get(id.as_str()));
        if first.is_some_and(|first| !is_same(first, record)) {
            outcome.doubt(id, "record");
            return Ok(false);
        }
        if !sources.inventory.records.contains_key(id.as_str()) {
            outcome.note(id, "export", Some("record"));
            if outcome.applied && self.exported.record(record).await? == Exported::Differs {
                outcome.doubt(id, "record");
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a second source confirms a record of the export: its proof (which no other record may refer to), the
    /// stream, or the note of its erasure. So write access to the export alone does not suffice to invent a capture.
    async fn is_vouched_for(&self, record: &EvidenceRecord, sources: &Sources) -> Result<bool, Error> {
        let id = record.capture_id.as_str();
        let is_streamed = sources.streamed.records.get(id).is_some_and(|streamed| is_same(streamed, record));
        if is_streamed || sources.inventory.erasures.contains_key(id) {
            return Ok(true);
        }
        if !record.manifest_key.starts_with(&ProofObjects::prefix(&record.capture_id)) {
            return Ok(false);
        }
        let versions = sources.proofs.get(&record.manifest_key).map(|found| found.versions.as_slice());
        for version in versions.unwrap_or_default() {
            if self.proofs.sha256(&record.manifest_key, Some(version)).await? == Some(record.manifest_sha256) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Restores permanent reservations, so that a captured frame cannot be captured again.
    async fn restore_frames(&self, records: &[EvidenceRecord], outcome: &mut Restoration) -> Result<(), Error> {
        let frame = |EvidenceRecord { environment, client_id, frame_hash, attempt, .. }: &EvidenceRecord| {
            Frames::reservation(*environment, client_id, frame_hash, attempt)
        };
        let frames: Vec<_> = records.iter().map(frame).collect();
        let missing = self.frames.missing(&frames).await?;
        for ((record, frame), _) in records.iter().zip(&frames).zip(missing).filter(|(_, is_missing)| *is_missing) {
            outcome.note(&record.capture_id, "frame", Some("record"));
            if outcome.applied {
                self.frames.restore(frame).await?;
            }
        }
        Ok(())
    }

    /// All records: those in the table, and those that the table lacks.
    async fn restore_records(
        &self,
        sources: &Sources,
        outcome: &mut Restoration,
    ) -> Result<Vec<EvidenceRecord>, Error> {
        let (mut records, mut seen, mut from) = (Vec::new(), BTreeSet::new(), None);
        loop {
            let Page { captures, next } = self.evidence.all(from).await?;
            for found in captures {
                seen.insert(found.capture_id);
                // An altered record is skipped here; `compare` reports it, and people decide.
                records.extend(found.record.ok());
            }
            from = next;
            if from.is_none() {
                break;
            }
        }
        let Sources { inventory, streamed, .. } = sources;
        let known = inventory.records.keys().chain(streamed.records.keys());
        let missing: BTreeSet<&String> = known.filter(|id| !seen.contains(*id)).collect();
        for id in missing {
            let exported = match inventory.records.get(id) {
                Some(versions) => self.exported.read_record(id, versions).await?,
                None => None,
            };
            let (record, from) = match exported {
                Some(record) => (Some(record), "export"),
                None => (streamed.records.get(id).cloned(), "stream"),
            };
            let Some(record) = record else {
                outcome.lost.push(Restored { capture_id: id.clone(), what: "record".into(), from: None });
                continue;
            };
            if from == "export" && !self.is_vouched_for(&record, sources).await? {
                outcome.doubt(&record.capture_id, "record");
                continue;
            }
            outcome.note(&record.capture_id, "record", Some(from));
            if outcome.applied {
                self.evidence.restore(&record).await?;
            }
            records.push(record);
        }
        Ok(records)
    }

    async fn restore_held(
        &self,
        record: &EvidenceRecord,
        Holding { personal, custody }: Holding,
        sources: &Sources,
        outcome: &mut Restoration,
    ) -> Result<(), Error> {
        let id = &record.capture_id;
        let custody = self.restore_custody(id, custody, sources, outcome).await?;
        if custody.state() == CustodyState::Erased || sources.inventory.erasures.contains_key(id.as_str()) {
            return Ok(());
        }
        if let Ok(None) = personal {
            let streamed = sources.streamed.personal.get(id.as_str());
            let is_right = |item: &&PersonalItem| item.opens(&record.commitments);
            let found = streamed.into_iter().flatten().find(is_right);
            outcome.note(id, "personal item", found.map(|_| "stream"));
            if let Some(item) = found.filter(|_| outcome.applied) {
                self.personal.restore(id, item).await?;
                // The capture may have been erased in the meantime.
                if self.held(id).await?.custody.state() == CustodyState::Erased {
                    self.personal.erase(id).await?;
                }
            }
        }
        for (key, expected) in record.objects() {
            let versions = sources.proofs.get(key);
            if versions.is_some_and(ObjectVersions::is_untouched) {
                continue;
            }
            self.restore_object(id, (key, expected), versions, outcome).await?;
        }
        Ok(())
    }

    /// Restores the custody of a capture from the table, the stream, and the note of an erasure in the export.
    async fn restore_custody(
        &self,
        id: &CaptureId,
        custody: Custody,
        sources: &Sources,
        outcome: &mut Restoration,
    ) -> Result<Custody, Error> {
        let streamed = sources.streamed.custody.get(id.as_str()).filter(|_| custody.acts.is_empty());
        let (mut found, mut from) = (streamed.cloned().unwrap_or_else(|| custody.clone()), "stream");
        if let Some(versions) = sources.inventory.erasures.get(id.as_str()).filter(|_| found.erasure().is_none()) {
            match self.exported.read_erasure(id.as_str(), versions).await? {
                Some(noted) => found.acts.push(noted.tombstone()),
                None => outcome.doubt(id, "custody"),
            }
            from = "export";
        }
        if found == custody {
            return Ok(custody);
        }
        outcome.note(id, "custody", Some(from));
        if outcome.applied {
            self.personal.restore_custody(id, &custody, &found).await?;
        }
        Ok(found)
    }

    /// Makes the version whose hash is in the record the current one, by removing delete markers and other versions.
    async fn restore_object(
        &self,
        id: &CaptureId,
        (key, expected): (&str, Sha256Digest),
        versions: Option<&ObjectVersions>,
        outcome: &mut Restoration,
    ) -> Result<(), Error> {
        let (mut right, mut wrong) = (None, Vec::new());
        for version in versions.into_iter().flat_map(|versions| &versions.versions) {
            match self.proofs.sha256(key, Some(version)).await? {
                Some(found) if found == expected && right.is_none() => right = Some(version),
                _ => wrong.push(version),
            }
        }
        outcome.note(id, key, right.map(|_| "versions"));
        if right.is_some() && outcome.applied {
            for version in versions.into_iter().flat_map(|versions| &versions.markers).chain(wrong) {
                self.proofs.remove_version(key, version).await?;
            }
        }
        Ok(())
    }
}
