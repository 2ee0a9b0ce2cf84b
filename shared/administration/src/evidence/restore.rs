//! The restore: what tables and buckets have lost, put back from the export, from the streams and from versions.
//!
//! Nothing that is there is changed, and nothing that was erased comes back. What is found in two places is taken from the
//! export first: it cannot be changed.

use std::collections::{BTreeMap, BTreeSet};

use aws::{Frames, Holding, Inventory, ObjectVersions, Page, Streamed};
use domain::{Capture, CaptureId, Custody, CustodyAct, CustodyState, PersonalItem, Reason, Sha256Digest};
use serde::Serialize;

use super::EvidenceAdministration;
use crate::Error;

/// Something that was lost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Restored {
    /// The capture.
    pub capture_id: String,
    /// `record`, `personal item`, `custody`, `frame`, `export`, or the key of an object.
    pub what: String,
    /// Where it is found: `export`, `stream`, `record`, `versions`. `None` where it is found nowhere.
    pub from: Option<&'static str>,
}

/// The outcome of a restore.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Restoration {
    /// Whether it was put back, or only looked for.
    pub applied: bool,
    /// The records in the table, with those that were missing.
    pub records: usize,
    /// What was missing and can be put back.
    pub restored: Vec<Restored>,
    /// What is missing and found nowhere.
    pub lost: Vec<Restored>,
}

impl Restoration {
    fn note(&mut self, capture_id: &CaptureId, what: &str, from: Option<&'static str>) {
        let found = Restored { capture_id: capture_id.as_str().to_owned(), what: what.to_owned(), from };
        let list = if from.is_some() { &mut self.restored } else { &mut self.lost };
        list.push(found);
    }
}

/// What a restore finds beside the tables.
struct Sources {
    inventory: Inventory,
    streamed: Streamed,
    proofs: BTreeMap<String, ObjectVersions>,
}

impl EvidenceAdministration {
    /// Finds what was lost, and puts it back if `apply` says so: records (from export and stream), personal items and custody
    /// (from the stream), frames (from the records), objects (from versions), and what the export lacks. To repeat it changes
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some may have been put back; repeat it.
    pub async fn restore(&self, apply: bool) -> Result<Restoration, Error> {
        let sources = Sources {
            inventory: self.exported.inventory().await?,
            streamed: self.streams.last_images().await?,
            proofs: self.proofs.all_versions().await?,
        };
        let mut outcome = Restoration { applied: apply, ..Restoration::default() };
        let records = self.restore_records(&sources, &mut outcome).await?;
        outcome.records = records.len();
        let ids: Vec<&CaptureId> = records.iter().map(|record| &record.capture_id).collect();
        let held = self.personal.read(&ids).await?;
        for (record, held) in records.iter().zip(held) {
            self.restore_held(record, held, &sources, &mut outcome).await?;
            if !sources.inventory.records.contains_key(record.capture_id.as_str()) {
                outcome.note(&record.capture_id, "export", Some("record"));
                if apply {
                    self.exported.record(record).await?;
                }
            }
        }
        self.restore_frames(&records, &mut outcome).await?;
        outcome.restored.sort();
        outcome.lost.sort();
        Ok(outcome)
    }

    /// A frame that was captured must not be captured again.
    async fn restore_frames(&self, records: &[Capture], outcome: &mut Restoration) -> Result<(), Error> {
        let frame = |Capture { environment, client_id, frame_hash, attempt, .. }: &Capture| {
            Frames::reservation(*environment, client_id, frame_hash, attempt)
        };
        let frames: Vec<_> = records.iter().map(frame).collect();
        let missing = self.frames.missing(&frames).await?;
        for (record, frame) in records.iter().zip(&frames).filter(|(_, frame)| missing.contains(frame)) {
            outcome.note(&record.capture_id, "frame", Some("record"));
            if outcome.applied {
                self.frames.restore(frame).await?;
            }
        }
        Ok(())
    }

    /// All records: those of the table, and those that it lacks.
    async fn restore_records(&self, sources: &Sources, outcome: &mut Restoration) -> Result<Vec<Capture>, Error> {
        let (mut records, mut seen, mut from) = (Vec::new(), BTreeSet::new(), None);
        loop {
            let Page { captures, next } = self.evidence.all(from).await?;
            for found in captures {
                seen.insert(found.capture_id);
                // A record that was altered is for `compare` to report, and for people to judge.
                records.extend(found.record.ok());
            }
            from = next;
            if from.is_none() {
                break;
            }
        }
        let exported = sources.inventory.records.keys().map(String::as_str);
        let streamed = sources.streamed.records.keys().map(String::as_str);
        let missing: BTreeSet<&str> = exported.chain(streamed).filter(|id| !seen.contains(*id)).collect();
        for id in missing {
            let (record, from) = match self.exported.read_record(id).await {
                Ok(Some(record)) => (Some(record), "export"),
                Ok(None) | Err(aws::Error::Corrupt { .. }) => (sources.streamed.records.get(id).cloned(), "stream"),
                Err(error) => return Err(error.into()),
            };
            let Some(record) = record else {
                outcome.lost.push(Restored { capture_id: id.to_owned(), what: "record".into(), from: None });
                continue;
            };
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
        record: &Capture,
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
            let found: Option<&PersonalItem> = streamed.filter(|item| item.commitments() == record.commitments);
            outcome.note(id, "personal item", found.map(|_| "stream"));
            if let Some(item) = found.filter(|_| outcome.applied) {
                self.personal.restore(id, item).await?;
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

    /// What was done with a capture: as the table has it, as the stream had it, or an erasure as the export has it.
    async fn restore_custody(
        &self,
        id: &CaptureId,
        custody: Custody,
        sources: &Sources,
        outcome: &mut Restoration,
    ) -> Result<Custody, Error> {
        if !custody.acts.is_empty() {
            return Ok(custody);
        }
        let (found, from) = match sources.streamed.custody.get(id.as_str()) {
            Some(custody) => (custody.clone(), "stream"),
            None if sources.inventory.erasures.contains_key(id.as_str()) => (self.noted_erasure(id).await?, "export"),
            None => return Ok(custody),
        };
        outcome.note(id, "custody", Some(from));
        if outcome.applied {
            self.personal.restore_custody(id, &found).await?;
        }
        Ok(found)
    }

    /// A tombstone by the export, which knows neither reason nor principal.
    async fn noted_erasure(&self, id: &CaptureId) -> Result<Custody, Error> {
        let noted = self.exported.read_erasure(id).await?;
        let reason = Reason::parse("as noted in the export");
        let act = noted.zip(reason).map(|(noted, reason)| CustodyAct {
            state: CustodyState::Erased,
            at: noted.erased_at,
            reason,
            principal: "unknown".into(),
        });
        Ok(Custody { acts: act.into_iter().collect() })
    }

    /// Makes the version that the record vouches for the current one, by removing delete markers and other versions.
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
