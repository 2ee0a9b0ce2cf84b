//! Operations on evidence: show, export, find, compare, restore, withhold and erase it.
//!
//! A capture has an immutable evidence record, a personal item, and a custody. The record is in the table and in the
//! export; the proof is in the proofs bucket. Only the custodian's role may use these operations, so their calls carry
//! the application name `custodian`.

mod compare;
mod custody;
mod index;
mod protection;
mod reconcile;
mod restore;
mod scores;
mod view;

use std::sync::Arc;

use lacre_domain::{CaptureId, ClientId, Clock};
use lacre_storage::{
    CaptureSearch, Captures, Connection, Evidence, Export, Frames, Holding, Next, OperatorKeys, Page, Personal, Prints,
    ProofObjects, Protection, Refusals, Register, Sessions, SignerProfiles, Streams,
};

pub use self::{
    compare::{Comparison, Difference, ErasedCapture},
    custody::{ErasedRefusals, ErasureOutcome},
    index::IndexRepair,
    protection::{Protected, Unprotected},
    reconcile::OrphanedObjects,
    restore::{Restoration, Restored},
    scores::{AtThreshold, CaptureScores, Scores},
    view::EvidenceView,
};
use crate::{
    CopySearch, Error,
    alerts::check_month,
    caller::{Auditor, Caller},
    captures::capture_id,
};

/// The number of captures that are processed concurrently.
const CONCURRENCY: usize = 32;

/// The operations on evidence, with their ports.
pub struct EvidenceAdministration {
    /// The search for the captures that a copy may show.
    pub copies: CopySearch,
    captures: Captures,
    search: CaptureSearch,
    prints: Prints,
    refusals: Refusals,
    evidence: Evidence,
    personal: Personal,
    register: Register,
    sessions: Sessions,
    frames: Frames,
    proofs: ProofObjects,
    exported: Export,
    streams: Streams,
    protection: Protection,
    keys: OperatorKeys,
    profiles: SignerProfiles,
    connection: Connection,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl EvidenceAdministration {
    /// Creates the operations from a connection, for a caller.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        let connection = &connection.as_program("custodian");
        Self {
            copies: CopySearch::new(connection, Arc::clone(&clock), caller.clone()),
            captures: Captures::new(connection),
            search: CaptureSearch::new(connection),
            prints: Prints::new(connection),
            refusals: Refusals::new(connection),
            evidence: Evidence::new(connection),
            personal: Personal::new(connection),
            register: Register::new(connection),
            sessions: Sessions::new(connection),
            frames: Frames::new(connection),
            proofs: ProofObjects::new(connection),
            exported: Export::new(connection),
            streams: Streams::new(connection),
            protection: Protection::new(connection),
            keys: OperatorKeys::new(connection),
            profiles: SignerProfiles::new(connection),
            connection: connection.clone(),
            auditor: Auditor::new(connection, Arc::clone(&clock), caller),
            clock,
        }
    }

    /// The evidence of a capture, by its `session_id` or its capture id.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the text is neither; [`Error::NotFound`].
    pub async fn capture(&self, id: &str) -> Result<EvidenceView, Error> {
        let capture_id = capture_id(id)?;
        let record = self.captures.read(&capture_id).await?;
        // The error names the capture id, because a `session_id` gives access to the image.
        let record = record.ok_or_else(|| Error::not_found("capture", &capture_id.as_str()))?;
        let Holding { personal, custody } = self.held(&capture_id).await?;
        Ok(EvidenceView::of(&record, personal?.as_ref(), &custody))
    }

    /// Passes the evidence of a client's captures in a month to `each`, one by one, in no particular order.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`], and the errors of `each`.
    pub async fn export<E: From<Error>>(
        &self,
        client: &ClientId,
        month: &str,
        mut each: impl FnMut(EvidenceView) -> Result<(), E>,
    ) -> Result<(), E> {
        check_month(month)?;
        let found = self.register.client(client).await.map_err(Error::from)?;
        found.ok_or_else(|| Error::not_found("client", client))?;
        let mut from: Option<Next> = None;
        loop {
            let page = self.evidence.of_client(client, month, from).await.map_err(Error::from)?;
            let Page { captures, next } = page;
            let ids: Vec<&CaptureId> = captures.iter().map(|record| &record.capture_id).collect();
            let held = self.personal.read(&ids).await.map_err(Error::from)?;
            for (record, Holding { personal, custody }) in captures.iter().zip(held) {
                each(EvidenceView::of(record, personal.map_err(Error::from)?.as_ref(), &custody))?;
            }
            let Some(next) = next else { return Ok(()) };
            from = Some(next);
        }
    }

    async fn held(&self, capture_id: &CaptureId) -> Result<Holding, Error> {
        let held = self.personal.read(&[capture_id]).await?.pop();
        held.ok_or_else(|| Error::not_found("capture", &capture_id.as_str()))
    }
}

/// The error for a record that differs from the exported one. Such a record must not determine which objects are
/// removed.
fn is_not_as_exported(capture_id: &CaptureId) -> Error {
    let id = capture_id.as_str();
    Error::Refused(format!("the record of capture {id} differs from the export: run `evidence compare`"))
}
