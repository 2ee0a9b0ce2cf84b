//! Withholding, releasing and erasing captures.

use lacre_domain::{
    AuditEntry, CaptureId, ClientId, Custody, CustodyAct, CustodyFault, CustodyState, Environment, Erasure,
    EvidenceRecord, Operation, PersonalItem, Reason, ReferenceId,
};
use lacre_storage::{Case, Exported, Holding};
use serde::Serialize;

use super::view::EvidenceView;
use super::{EvidenceAdministration, is_not_as_exported};
use crate::{Error, captures::capture_id};

/// The outcome of an erasure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErasureOutcome {
    /// The evidence after the erasure: the record and the tombstone.
    pub capture: EvidenceView,
    /// The number of versions of photos and manifests that were removed, over all attempts at the capture, delete
    /// markers included.
    pub versions_removed: usize,
    /// Whether the session was searched. It could not be if the personal item was already lost or the session is
    /// unreadable; the session then expires by its TTL, within a day.
    pub session_searched: bool,
}

/// The outcome of an erasure of refused photos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErasedRefusals {
    /// The number of refused photos that were recorded.
    pub erased: usize,
}

impl EvidenceAdministration {
    /// Withholds a capture: its URLs are not renewed until it is released. The reason has 1 to 200 characters and must
    /// not name a person.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] if it is already withheld or erased.
    pub async fn withhold(&self, id: &str, reason: &str) -> Result<EvidenceView, Error> {
        self.change(Operation::WithholdCapture, id, CustodyState::Withheld, reason).await
    }

    /// Releases a withheld capture.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] if it is not withheld.
    pub async fn release(&self, id: &str, reason: &str) -> Result<EvidenceView, Error> {
        self.change(Operation::ReleaseCapture, id, CustodyState::Held, reason).await
    }

    /// Erases a capture permanently: its personal item with the salt, the photo, the manifest, the objects of attempts
    /// that lost a race, its data in the session, and what is recorded of refused photos of its reference. The record stays, with a tombstone. Repeating the call completes
    /// an interrupted erasure; the first reason is kept.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] if the record differs from the exported one;
    /// [`Error::Unavailable`], after which the call must be repeated.
    pub async fn erase(&self, id: &str, reason: &str) -> Result<ErasureOutcome, Error> {
        let (record, Holding { personal, custody }) = self.find(id).await?;
        let capture_id = &record.capture_id;
        let entry =
            self.auditor.entry(Operation::EraseCapture).for_client(&record.client_id).about(capture_id.as_str());
        let begun = async {
            if self.exported.record(&record).await? == Exported::Differs {
                return Err(is_not_as_exported(capture_id));
            }
            // The tombstone is written first: from then on no URL is renewed, and a repeated call recognizes that the
            // erasure has begun.
            match custody.erasure() {
                Some(_) => self.auditor.begin(&entry).await.map(|()| custody),
                None => self.add(capture_id, custody, CustodyState::Erased, reason, &entry).await,
            }
        };
        let begun = begun.await;
        let custody = self.auditor.keep(&entry, begun).await?;
        if let Some(tombstone) = custody.erasure() {
            self.exported.note_erasure(&Erasure::of(capture_id.clone(), tombstone)).await?;
        }
        let versions_removed = self.remove_objects(capture_id).await?;
        let session_searched = match &personal {
            Ok(Some(PersonalItem { session, .. })) => {
                match self.sessions.erase_photo(session, record.photo_order).await {
                    Ok(()) => true,
                    Err(lacre_storage::Error::Corrupt { .. }) => false,
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(None) | Err(_) => false,
        };
        if let Ok(Some(PersonalItem { data, .. })) = &personal {
            self.refusals.erase(Case::of(&record, &data.reference_id)).await?;
        }
        // The personal item is removed last, because it leads to the session and the refused photos.
        self.personal.erase(capture_id).await?;
        let capture = EvidenceView::of(&record, None, &custody);
        Ok(ErasureOutcome { capture, versions_removed, session_searched })
    }

    /// Erases what is recorded of the refused photos of a client's reference, for a reference without captures. An erasure
    /// of a capture does the same.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a client that does not exist, [`Error::Invalid`]; [`Error::Unavailable`], after which the call
    /// must be repeated.
    pub async fn erase_refused(
        &self,
        client: &ClientId,
        environment: Environment,
        reference: &str,
    ) -> Result<ErasedRefusals, Error> {
        let reference =
            ReferenceId::parse(reference).map_err(|_| Error::Invalid("the reference is malformed".into()))?;
        self.register.client(client).await?.ok_or_else(|| Error::not_found("client", client))?;
        let case = Case { client, environment, reference: &reference };
        let erased = self.refusals.read(case, self.clock.now()).await?.len();
        // The entry does not name the reference, which may be personal data.
        self.auditor.begin(&self.auditor.entry(Operation::EraseRefused).for_client(client)).await?;
        self.refusals.erase(case).await?;
        Ok(ErasedRefusals { erased })
    }

    async fn remove_objects(&self, capture_id: &CaptureId) -> Result<usize, Error> {
        let mut removed = 0;
        for (key, found) in self.proofs.versions_of(capture_id).await? {
            for version in found.versions.iter().chain(&found.markers) {
                self.proofs.remove_version(&key, version).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    async fn change(
        &self,
        operation: Operation,
        id: &str,
        state: CustodyState,
        reason: &str,
    ) -> Result<EvidenceView, Error> {
        let (record, Holding { personal, custody }) = self.find(id).await?;
        let entry = self.auditor.entry(operation).for_client(&record.client_id).about(record.capture_id.as_str());
        let changed = self.add(&record.capture_id, custody, state, reason, &entry).await;
        let custody = self.auditor.keep(&entry, changed).await?;
        Ok(EvidenceView::of(&record, personal?.as_ref(), &custody))
    }

    async fn find(&self, id: &str) -> Result<(EvidenceRecord, Holding), Error> {
        let capture_id = capture_id(id)?;
        let record = self.captures.read(&capture_id).await?;
        let record = record.ok_or_else(|| Error::not_found("capture", &capture_id.as_str()))?;
        let held = self.held(&capture_id).await?;
        Ok((record, held))
    }

    async fn add(
        &self,
        id: &CaptureId,
        custody: Custody,
        state: CustodyState,
        reason: &str,
        entry: &AuditEntry,
    ) -> Result<Custody, Error> {
        let reason = Reason::parse(reason)
            .ok_or_else(|| Error::Invalid("a reason has 1 to 200 characters and no control characters".into()))?;
        let act = CustodyAct { state, at: entry.at, reason, principal: entry.principal.clone() };
        let custody = custody.with(act).map_err(|fault: CustodyFault| Error::Refused(fault.to_string()))?;
        match self.personal.add_act(id, &custody, entry).await? {
            true => Ok(custody),
            false => Err(Error::changed_meanwhile("capture")),
        }
    }
}
