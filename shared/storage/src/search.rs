//! Finds captures by their frame or reference, without a table scan.
//!
//! Two indexes contain keys only: `by_frame` of the `Evidence` table and `by_reference` of the `Personal` table; an
//! erasure removes the latter's entry together with the item. Indexes lag some milliseconds behind their tables; the
//! records themselves are read with strong consistency.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use lacre_domain::{CaptureId, Custody, EvidenceRecord, FrameHash, ReferenceId};

use crate::{
    Connection, Error,
    item::{Item, batch_get_from, decode, take, text},
    paging::{List, Listed, PageError, PageRequest},
    personal::{PERSONAL, custody, custody_item_key},
};

/// The number of captures per batch: DynamoDB reads up to 100 items, and a capture has two.
const CAPTURES_A_BATCH: usize = 50;

/// A capture's evidence record and custody.
#[derive(Debug)]
pub struct HeldCapture {
    /// The evidence record.
    pub record: EvidenceRecord,
    /// The custody.
    pub custody: Custody,
}

/// Searches captures.
#[derive(Clone, Debug)]
pub struct CaptureSearch {
    client: Client,
    evidence: String,
    personal: String,
}

impl CaptureSearch {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let tables = &connection.config.tables;
        Self { client: connection.dynamodb(), evidence: tables.evidence.read(), personal: tables.personal.read() }
    }

    /// The captures of a frame. There may be several, because each client may capture it in the sandbox.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn by_frame(&self, frame: &FrameHash, page: &PageRequest) -> Result<Listed<CaptureId>, PageError> {
        let frame = frame.hex();
        let list = keys_of(&self.evidence, "by_frame", ("frame_hash", &frame), &["capture_id"]);
        list.page(&self.client, page).await?.read(|item| capture_id(&item, "capture_id", ""))
    }

    /// The captures with an integrator's reference, erased ones excluded.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn by_reference(
        &self,
        reference: &ReferenceId,
        page: &PageRequest,
    ) -> Result<Listed<CaptureId>, PageError> {
        let list = keys_of(&self.personal, "by_reference", ("reference_id", reference.as_str()), &["pk"]);
        list.page(&self.client, page).await?.read(|item| capture_id(&item, "pk", PERSONAL))
    }

    /// The records of the given captures, in order; captures without a record are omitted.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, captures: &[CaptureId]) -> Result<Vec<HeldCapture>, Error> {
        let mut held = Vec::with_capacity(captures.len());
        for captures in captures.chunks(CAPTURES_A_BATCH) {
            let records = captures.iter().map(record_key).collect();
            let custodies = captures.iter().map(custody_item_key).collect();
            let wanted = HashMap::from([(self.evidence.as_str(), records), (self.personal.as_str(), custodies)]);
            let mut found = batch_get_from(&self.client, wanted).await?;
            let mut records = found.remove(&self.evidence).unwrap_or_default();
            let mut custodies = found.remove(&self.personal).unwrap_or_default();
            for id in captures {
                let Some(item) = take(&mut records, &record_key(id)) else { continue };
                held.push(HeldCapture { record: decode("evidence", item)?, custody: custody(&mut custodies, id)? });
            }
        }
        Ok(held)
    }
}

fn keys_of<'a>(table: &'a str, index: &'a str, partition: (&'a str, &'a str), key: &'a [&'a str]) -> List<'a> {
    List { table, index: Some(index), partition, sort: None, key, descending: false }
}

fn record_key(capture: &CaptureId) -> Item {
    Item::from([("capture_id".to_owned(), text(capture.as_str()))])
}

fn capture_id(item: &Item, attribute: &str, prefix: &str) -> Result<CaptureId, Error> {
    let id = item.get(attribute).and_then(|value| value.as_s().ok()).and_then(|id| id.strip_prefix(prefix));
    let corrupt = || Error::Corrupt { what: "index", cause: "a key is not a capture's".into() };
    id.and_then(CaptureId::from_hex).ok_or_else(corrupt)
}
