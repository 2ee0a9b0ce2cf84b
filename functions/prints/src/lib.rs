//! The index of fingerprints: adds each capture that has a fingerprint, and removes it when its personal item is erased.
//!
//! It follows the stream of the Personal table, so captures do not wait for it, and a restore of personal items fills
//! the index again. The stream delivers the events of one capture in their order: an erasure comes after the capture.
//! A failed batch is redelivered as a whole; adding and removing twice changes nothing.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use aws_lambda_events::dynamodb::{Event, EventRecord};
use lacre_domain::{CaptureId, ClientId, Clock, Environment};
use lacre_storage::{
    Captures, Connection, DeadlineExceeded, Print, Prints, PrintsSecret, TimeBudgets, read_personal_item,
    until_deadline, within,
};

/// The function with its ports.
pub struct IndexPrints {
    prints: Prints,
    captures: Captures,
    budgets: TimeBudgets,
}

/// Why a batch failed. Lambda redelivers it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A table or the KMS key could not be reached, or a record cannot be parsed.
    #[error(transparent)]
    Store(#[from] lacre_storage::Error),
    /// The batch took longer than the function's budget.
    #[error(transparent)]
    Deadline(#[from] DeadlineExceeded),
}

/// What a record of the stream asks for.
enum Change {
    Add,
    Remove,
}

/// The secrets that a batch has read. They are not kept longer, so that the end of a secret ends the index.
type Secrets = HashMap<(ClientId, Environment), PrintsSecret>;

impl IndexPrints {
    /// The function with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, _: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("prints");
        Self {
            prints: Prints::new(connection),
            captures: Captures::new(connection),
            budgets: connection.config().budgets,
        }
    }

    /// Follows a batch of the stream.
    ///
    /// # Errors
    /// [`Error`]: some captures of the batch may be indexed.
    pub async fn follow(&self, event: Event) -> Result<(), Error> {
        let work = async {
            let mut secrets = Secrets::new();
            for record in event.records {
                until_deadline(self.follow_one(record, &mut secrets)).await??;
            }
            Ok(())
        };
        within(self.budgets.request, work).await
    }

    async fn follow_one(&self, record: EventRecord, secrets: &mut Secrets) -> Result<(), Error> {
        let sequence_number = record.change.sequence_number.clone();
        let (change, image) = match (record.change.new_image, record.change.old_image) {
            (image, _) if !image.is_empty() => (Change::Add, image),
            (_, image) => (Change::Remove, image),
        };
        let read = match read_personal_item(image) {
            Ok(read) => read,
            // Nothing can be derived from it, now or later.
            Err(error) => {
                tracing::error!(cause = %error, sequence_number, "a personal item cannot be read");
                return Ok(());
            }
        };
        match read.and_then(|(capture, item)| Some((capture, Print::of(item)?))) {
            Some((capture, print)) => self.apply(&change, &capture, &print, secrets).await,
            None => Ok(()),
        }
    }

    async fn apply(
        &self,
        change: &Change,
        capture: &CaptureId,
        print: &Print,
        secrets: &mut Secrets,
    ) -> Result<(), Error> {
        let Some(record) = self.captures.read(capture).await? else {
            // Item and record are written together, and a record is never removed. Only a restore may lack it for a
            // while, and then this function is stopped (docs/guides/restore.md).
            tracing::error!(capture = capture.short(), "a personal item has no evidence record");
            return Ok(());
        };
        let secret = match secrets.entry((record.client_id.clone(), record.environment)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                unknown.insert(self.prints.secret_or_new(&record.client_id, record.environment).await?)
            }
        };
        match change {
            Change::Add => self.prints.add(secret, capture, print).await?,
            Change::Remove => self.prints.remove(secret, capture, print).await?,
        }
        Ok(())
    }
}
