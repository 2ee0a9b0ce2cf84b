//! Compares evidence records, their export, personal items and proofs with each other.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{Custody, CustodyState, Erasure, EvidenceRecord, clock::rfc3339};
use lacre_storage::{FoundRecord, Holding, Inventory, ObjectVersions, Page, ProofObjects};
use serde::Serialize;
use time::Duration;

use super::{CONCURRENCY, EvidenceAdministration, Protected};
use crate::Error;

/// The time within which a new record must reach the export. Younger records may still be missing there.
const EXPORTED_WITHIN: Duration = Duration::minutes(15);

/// The outcome of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// The number of records in the table.
    pub records: usize,
    /// The number of records in the export.
    pub exported: usize,
    /// The number of young records that are not in the export yet.
    pub pending: usize,
    /// The number of proof objects whose hash was compared with their record.
    pub objects: usize,
    /// The erased captures.
    pub erased: Vec<ErasedCapture>,
    /// Everything that differs from what was originally written; empty if nothing does.
    pub differences: Vec<Difference>,
    /// The comparison of the policies of tables, buckets and keys.
    pub protection: Protected,
}

/// An erased capture, with the data of its tombstone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ErasedCapture {
    /// The id of the capture.
    pub capture_id: String,
    /// When the capture was erased, in RFC 3339.
    pub at: String,
    /// The operator's reason.
    pub reason: String,
    /// The ARN of the operator's IAM principal.
    pub principal: String,
}

/// Something that differs from what was originally written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The id of the capture.
    pub capture_id: String,
    /// What differs: `record`, `export`, `personal item`, `custody`, or the key of an object.
    pub what: String,
    /// The difference, in words.
    pub how: &'static str,
}

/// The contents of both buckets, listed before the records are read.
struct Stored {
    inventory: Inventory,
    proofs: BTreeMap<String, ObjectVersions>,
}

/// The contribution of one capture to the comparison.
#[derive(Default)]
struct Part {
    objects: usize,
    pending: bool,
    erased: Option<ErasedCapture>,
    differences: Vec<Difference>,
}

impl Part {
    fn differs(&mut self, capture_id: &str, what: &str, how: &'static str) {
        self.differences.push(Difference { capture_id: capture_id.to_owned(), what: what.to_owned(), how });
    }
}

impl EvidenceAdministration {
    /// Compares every record with the export, with its personal item and with its proof, to find whatever was replaced,
    /// deleted or overwritten since it was written.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is nothing to compare; [`Error::Unavailable`].
    pub async fn compare(&self) -> Result<Comparison, Error> {
        // The buckets are listed first: whatever they contain was written earlier, so its record must be in the table
        // when that is read afterwards.
        let inventory = self.exported.inventory().await?;
        let stored = Stored { inventory, proofs: self.proofs.all_versions().await? };
        let protection = self.compare_protection().await?;
        let exported = stored.inventory.records.len();
        let mut comparison = Comparison { exported, protection, ..Comparison::default() };
        let (mut seen, mut from) = (BTreeSet::new(), None);
        loop {
            let Page { captures: found, next } = self.evidence.all(from).await?;
            comparison.records += found.len();
            seen.extend(found.iter().map(|found| found.capture_id.clone()));
            for part in self.compare_page(found, &stored).await? {
                comparison.add(part);
            }
            from = next;
            if from.is_none() {
                break;
            }
        }
        if comparison.records == 0 && comparison.exported == 0 {
            return Err(Error::Refused(
                "neither EVIDENCE_TABLE nor EXPORT_BUCKET has a record: nothing was compared".into(),
            ));
        }
        let Inventory { records, erasures } = &stored.inventory;
        let mut rest = Part::default();
        for capture_id in records.keys().filter(|id| !seen.contains(*id)) {
            rest.differs(capture_id, "record", "the export has it, and the table does not");
        }
        let erased: BTreeSet<&String> = comparison.erased.iter().map(|erased| &erased.capture_id).collect();
        for capture_id in erasures.keys().filter(|id| !erased.contains(id)) {
            rest.differs(capture_id, "custody", "the export has its erasure, and the table does not");
        }
        comparison.add(rest);
        comparison.erased.sort();
        comparison.differences.sort();
        Ok(comparison)
    }

    async fn compare_page(&self, found: Vec<FoundRecord>, stored: &Stored) -> Result<Vec<Part>, Error> {
        let ids: Vec<_> =
            found.iter().filter_map(|found| lacre_domain::CaptureId::from_hex(&found.capture_id)).collect();
        let held = self.personal.read(&ids.iter().collect::<Vec<_>>()).await?;
        let mut held: BTreeMap<_, _> = ids.into_iter().map(|id| id.as_str().to_owned()).zip(held).collect();
        let found = found.into_iter().map(|found| {
            let held = held.remove(&found.capture_id);
            self.compare_one(found, held, stored)
        });
        stream::iter(found).buffer_unordered(CONCURRENCY).try_collect().await
    }

    async fn compare_one(&self, found: FoundRecord, held: Option<Holding>, stored: &Stored) -> Result<Part, Error> {
        let (id, mut part) = (found.capture_id, Part::default());
        let Ok(record) = found.record else {
            part.differs(&id, "record", "it differs from what the service writes");
            return Ok(part);
        };
        if record.capture_id.as_str() != id {
            part.differs(&id, "record", "it belongs to another capture");
        }
        self.compare_export(&record, stored, &mut part).await?;
        let state = held.as_ref().map_or(CustodyState::Held, |held| held.custody.state());
        if let Some(held) = held {
            self.compare_erasure(&record, &held.custody, stored, &mut part).await?;
            compare_personal(&record, held, &mut part);
        }
        if state == CustodyState::Erased {
            // This includes the objects of attempts that lost a race.
            let prefix = ProofObjects::prefix(&record.capture_id);
            let left = stored.proofs.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
            left.for_each(|(key, _)| part.differs(&id, key, "the capture is erased, and the object is still there"));
        } else {
            self.compare_objects(&record, stored, &mut part).await?;
        }
        Ok(part)
    }

    async fn compare_export(&self, record: &EvidenceRecord, stored: &Stored, part: &mut Part) -> Result<(), Error> {
        let id = record.capture_id.as_str();
        let Some(versions) = stored.inventory.records.get(id) else {
            let age = self.clock.now() - record.ingested_at;
            match (Duration::ZERO..EXPORTED_WITHIN).contains(&age) {
                true => part.pending = true,
                false => part.differs(id, "export", "the table has the record, and the export does not"),
            }
            return Ok(());
        };
        if !versions.is_untouched() {
            part.differs(id, "export", "the object was overwritten or deleted");
        }
        let json = record.canonical_json().map_err(|error| Error::Invalid(error.to_string()))?;
        if self.exported.read(id).await?.is_none_or(|exported| exported != json) {
            part.differs(id, "record", "it is not the record in the export");
        }
        Ok(())
    }

    /// Compares a tombstone with the note of the erasure in the export.
    async fn compare_erasure(
        &self,
        record: &EvidenceRecord,
        custody: &Custody,
        stored: &Stored,
        part: &mut Part,
    ) -> Result<(), Error> {
        let id = record.capture_id.as_str();
        let Some(tombstone) = custody.erasure() else { return Ok(()) };
        let Some(versions) = stored.inventory.erasures.get(id) else {
            part.differs(id, "export", "the capture is erased, and the export does not have it");
            return Ok(());
        };
        if !versions.is_untouched() {
            part.differs(id, "export", "the entry of the erasure was overwritten or deleted");
        }
        match self.exported.read_erasure(id, versions).await? {
            Some(noted)
                if noted == Erasure::of(record.capture_id.clone(), tombstone) || *tombstone == noted.tombstone() => {}
            Some(_) => part.differs(id, "custody", "the tombstone differs from the one in the export"),
            None => part.differs(id, "export", "the entry of the erasure differs from what the service writes"),
        }
        Ok(())
    }

    async fn compare_objects(&self, record: &EvidenceRecord, stored: &Stored, part: &mut Part) -> Result<(), Error> {
        let id = record.capture_id.as_str();
        for (key, expected) in record.objects() {
            match stored.proofs.get(key) {
                Some(versions) if !versions.is_untouched() => {
                    part.differs(id, key, "the object was overwritten or deleted");
                }
                // A capture that was committed after the listing has its proof nevertheless, so the object is checked
                // directly.
                None | Some(_) => match self.proofs.sha256(key, None).await? {
                    Some(found) if found == expected => part.objects += 1,
                    Some(_) => part.differs(id, key, "the object has another hash than the record"),
                    None => part.differs(id, key, "the object is missing"),
                },
            }
        }
        Ok(())
    }
}

fn compare_personal(record: &EvidenceRecord, Holding { personal, custody }: Holding, part: &mut Part) {
    let id = record.capture_id.as_str();
    let tombstone = custody.erasure();
    match (personal, tombstone) {
        (Ok(Some(_)), Some(_)) => {
            part.differs(id, "personal item", "the capture is erased, and the item is still there")
        }
        (Ok(Some(item)), None) if !item.opens(&record.commitments) => {
            part.differs(id, "personal item", "it does not match the record's commitment");
        }
        (Ok(None), None) => part.differs(id, "personal item", "it is missing"),
        (Ok(Some(_)), None) | (Ok(None), Some(_)) => {}
        (Err(_), _) => part.differs(id, "personal item", "it differs from what the service writes"),
    }
    part.erased = tombstone.map(|act| ErasedCapture {
        capture_id: id.to_owned(),
        at: rfc3339(act.at),
        reason: act.reason.as_str().to_owned(),
        principal: act.principal.clone(),
    });
}

impl Comparison {
    fn add(&mut self, part: Part) {
        self.objects += part.objects;
        self.pending += usize::from(part.pending);
        self.erased.extend(part.erased);
        self.differences.extend(part.differences);
    }
}
