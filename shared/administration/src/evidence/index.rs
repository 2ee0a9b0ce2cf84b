//! Compares the index of fingerprints with the captures, and repairs it.
//!
//! The function `prints` follows the stream of personal items, which keeps a change for a day. What it could not do
//! within that day, and what a restored table lacks, is found here. Each page of the index is read before the personal
//! items of its captures, and `prints` writes an entry after the personal item. So an entry whose capture has no
//! personal item is stale, however the capture and this comparison are interleaved.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{CaptureId, CustodyState, EvidenceRecord, Operation};
use lacre_lookup::Owner;
use lacre_storage::{Holding, Page, Print, PrintEntry, PrintsSecret};
use serde::Serialize;

use super::{CONCURRENCY, EvidenceAdministration};
use crate::Error;

/// The number of captures whose records and personal items are read at once.
const CAPTURES_A_BATCH: usize = 50;

/// The result of a comparison of the index with the captures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexRepair {
    /// Whether the index was repaired; otherwise it was only compared.
    pub applied: bool,
    /// The number of captures with a fingerprint that are not erased.
    pub captures: usize,
    /// The number of these captures of which the index lacked entries.
    pub missing: usize,
    /// The number of entries of the index.
    pub entries: usize,
    /// The number of entries that are stale: their capture is erased, or has another fingerprint.
    pub stale: usize,
}

/// The entries that a capture should have.
enum Due {
    /// Those of a print.
    Entries(Owner, Print),
    /// None, because the capture is erased or has no fingerprint.
    Nothing,
    /// Unknown, because its record or personal item is missing or cannot be read. `compare` reports it.
    Unknown,
}

impl Due {
    fn of(record: Option<&EvidenceRecord>, Holding { personal, custody }: Holding) -> Self {
        if custody.state() == CustodyState::Erased {
            return Self::Nothing;
        }
        let Ok(personal) = personal else { return Self::Unknown };
        match (personal.and_then(Print::of), record) {
            (None, _) => Self::Nothing,
            (Some(_), None) => Self::Unknown,
            (Some(print), Some(record)) => {
                let (client, environment) = (record.client_id.clone(), record.environment);
                Self::Entries(Owner { client, environment }, print)
            }
        }
    }
}

/// The secrets that were read. A missing one is read again each time, because `prints` may create it meanwhile.
#[derive(Default)]
struct Secrets(HashMap<Owner, PrintsSecret>);

impl EvidenceAdministration {
    /// Compares the index of fingerprints with the captures. If `apply` is set, adds the entries of captures that lack
    /// some, and removes stale ones. Captures of the last seconds may be missing because `prints` has yet to add them;
    /// adding them twice changes nothing. Idempotent.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is no record at all: then the tables belong to different deployments, or records are
    /// lost. [`Error::Unavailable`]: some of it may have been repaired; repeat the call.
    pub async fn repair_index(&self, apply: bool) -> Result<IndexRepair, Error> {
        if self.evidence.all(None).await?.captures.is_empty() {
            return Err(Error::Refused("EVIDENCE_TABLE has no record: nothing was compared".into()));
        }
        if apply {
            self.auditor.begin(&self.auditor.entry(Operation::RepairIndex)).await?;
        }
        let mut repair = IndexRepair { applied: apply, ..IndexRepair::default() };
        let mut secrets = Secrets::default();
        let mut from = None;
        loop {
            let (entries, next) = self.prints.entries(from).await?;
            self.repair_entries(&entries, &mut secrets, &mut repair).await?;
            from = next;
            if from.is_none() {
                break;
            }
        }
        loop {
            let Page { captures, next } = self.evidence.all(from).await?;
            let records: Vec<_> = captures.into_iter().filter_map(|found| found.record.ok()).collect();
            self.repair_captures(&records, &mut secrets, &mut repair).await?;
            from = next;
            if from.is_none() {
                return Ok(repair);
            }
        }
    }

    /// Finds the stale ones among the entries of a page, and removes them.
    async fn repair_entries(
        &self,
        entries: &[PrintEntry],
        secrets: &mut Secrets,
        repair: &mut IndexRepair,
    ) -> Result<(), Error> {
        let captures: BTreeSet<_> = entries.iter().map(|entry| entry.capture.clone()).collect();
        let due = self.due(captures.into_iter().collect()).await?;
        self.read_secrets(due.values(), secrets).await?;
        let is_stale = |entry: &&PrintEntry| match due.get(&entry.capture) {
            Some(Due::Entries(owner, print)) => !secrets.0.get(owner).is_some_and(|secret| secret.made(entry, print)),
            Some(Due::Nothing) => true,
            Some(Due::Unknown) | None => false,
        };
        let stale: Vec<_> = entries.iter().filter(is_stale).collect();
        repair.entries += entries.len();
        repair.stale += stale.len();
        if repair.applied {
            self.prints.remove_entries(&stale).await?;
        }
        Ok(())
    }

    /// Finds the captures of a page of which the index lacks entries, and adds these.
    async fn repair_captures(
        &self,
        records: &[EvidenceRecord],
        secrets: &mut Secrets,
        repair: &mut IndexRepair,
    ) -> Result<(), Error> {
        let ids: Vec<&CaptureId> = records.iter().map(|record| &record.capture_id).collect();
        let held = self.personal.read(&ids).await?;
        let due: Vec<_> = records.iter().zip(held).map(|(record, held)| Due::of(Some(record), held)).collect();
        self.read_secrets(&due, secrets).await?;
        let due = ids.into_iter().zip(&due).filter_map(|(id, due)| match due {
            Due::Entries(owner, print) => Some((id, owner, print)),
            Due::Nothing | Due::Unknown => None,
        });
        let due: Vec<_> = due.collect();
        let has = due.iter().map(async |(id, owner, print)| match secrets.0.get(owner) {
            Some(secret) => self.prints.has(secret, id, print).await,
            None => Ok(false),
        });
        let has: Vec<bool> = stream::iter(has).buffered(CONCURRENCY).try_collect().await?;
        repair.captures += due.len();
        for ((id, owner, print), _) in due.into_iter().zip(has).filter(|(_, has)| !has) {
            repair.missing += 1;
            if repair.applied {
                self.add_to_index(id, owner, print, secrets).await?;
            }
        }
        Ok(())
    }

    async fn add_to_index(
        &self,
        id: &CaptureId,
        owner: &Owner,
        print: &Print,
        secrets: &mut Secrets,
    ) -> Result<(), Error> {
        if !secrets.0.contains_key(owner) {
            let secret = self.prints.secret_or_new(&owner.client, owner.environment).await?;
            secrets.0.insert(owner.clone(), secret);
        }
        let Some(secret) = secrets.0.get(owner) else { return Ok(()) };
        self.prints.add(secret, id, print).await?;
        // The capture may have been erased in the meantime, and its entries removed before these were added.
        if self.held(id).await?.custody.state() == CustodyState::Erased {
            self.prints.remove(secret, id, print).await?;
        }
        Ok(())
    }

    /// The entries that captures should have.
    async fn due(&self, captures: Vec<CaptureId>) -> Result<BTreeMap<CaptureId, Due>, Error> {
        let batches = captures.chunks(CAPTURES_A_BATCH).map(async |ids| {
            let records = self.search.read(ids).await?;
            let records: BTreeMap<_, _> = records.iter().map(|held| (&held.record.capture_id, &held.record)).collect();
            let held = self.personal.read(&ids.iter().collect::<Vec<_>>()).await?;
            let due = ids.iter().zip(held).map(|(id, held)| (id.clone(), Due::of(records.get(id).copied(), held)));
            Ok::<_, Error>(due.collect::<Vec<_>>())
        });
        let batches: Vec<_> = stream::iter(batches).buffer_unordered(CONCURRENCY).try_collect().await?;
        Ok(batches.into_iter().flatten().collect())
    }

    /// Reads the secrets that are not known yet.
    async fn read_secrets<'a>(
        &self,
        due: impl IntoIterator<Item = &'a Due>,
        secrets: &mut Secrets,
    ) -> Result<(), Error> {
        let owners = due.into_iter().filter_map(|due| match due {
            Due::Entries(owner, _) => Some(owner),
            Due::Nothing | Due::Unknown => None,
        });
        for owner in owners.collect::<HashSet<_>>() {
            if secrets.0.contains_key(owner) {
                continue;
            }
            if let Some(secret) = self.prints.secret(&owner.client, owner.environment).await? {
                secrets.0.insert(owner.clone(), secret);
            }
        }
        Ok(())
    }
}
