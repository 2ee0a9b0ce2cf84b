//! The `Audit` table: what operators did, with one entry for each request.
//!
//! Invariant: a change and its entry are written in one transaction, on the condition that the request has no entry
//! yet. So nothing changes without an entry, and a repeated request is carried out once. If AWS's response is lost, an
//! entry with the outcome *failed* is put on the same condition. If that succeeds, the change was not made and never
//! will be, because its own entry would no longer be new. If it fails, the existing entry states what happened.

use aws_sdk_dynamodb::types::TransactWriteItem;
use lacre_domain::{AuditEntry, AuditOutcome, ClientId, RequestId, clock::rfc3339_millis};
use time::OffsetDateTime;

use crate::{
    Connection, Error,
    budgets::InTime,
    error::unavailable,
    item::{Item, decode, encode, text, unless_refused},
    paging::{List, Listed, PageError, PageRequest},
    transaction::{self, Written, put},
};

const ENTRY: &str = "audit entry";
const IS_NEW: &str = "attribute_not_exists(id)";
const BY_MONTH: &str = "by_month";
const BY_CLIENT: &str = "by_client";

/// Why a change with its audit entry was not made, or may not have been made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// An earlier request had the same id.
    #[error("a request with the same id came before")]
    Repeated {
        /// When the earlier request was carried out.
        at: OffsetDateTime,
        /// How the earlier request ended.
        outcome: AuditOutcome,
    },
    /// A call to AWS failed, and certainly nothing was changed.
    #[error("nothing was changed: {0}")]
    NothingChanged(String),
    /// A call to AWS failed, and whether it took effect is unknown.
    #[error(transparent)]
    Aws(#[from] Error),
}

/// Writes and lists audit entries.
#[derive(Clone, Debug)]
pub struct Audit {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Audit {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.audit.read() }
    }

    /// The audit part of a port that changes records for operators. Functions that use such a port only for reading
    /// have no setting with the table's name, so it counts as unread here; whatever makes changes also creates an
    /// [`Audit`] of its own.
    pub(crate) fn of_port(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.audit.unread() }
    }

    /// Adds an entry if its request has none yet. Returns whether it was added.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn add(&self, entry: &AuditEntry) -> Result<bool, Error> {
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item(entry)?));
        unless_refused("PutItem", put.condition_expression(IS_NEW).send().in_time().await)
    }

    /// Adds the entry of an operation of several steps, before the first step.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn begin(&self, entry: &AuditEntry) -> Result<(), ChangeError> {
        match self.add(entry).await? {
            true => Ok(()),
            false => self.recognize(entry).await,
        }
    }

    /// The entry of a request.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, id: &RequestId) -> Result<Option<AuditEntry>, Error> {
        let get = self.client.get_item().table_name(&self.table).key("id", text(id.as_str())).consistent_read(true);
        let found = get.send().in_time().await.map_err(|error| unavailable("GetItem", &error))?.item;
        found.map(|item| decode(ENTRY, item)).transpose()
    }

    /// The entries of a month (such as `2026-11`), newest first.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn of_month(&self, month: &str, page: &PageRequest) -> Result<Listed<AuditEntry>, PageError> {
        self.list(BY_MONTH, ("month", month), page).await
    }

    /// The entries about a client, newest first.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn of_client(&self, client: &ClientId, page: &PageRequest) -> Result<Listed<AuditEntry>, PageError> {
        self.list(BY_CLIENT, ("client_id", client.as_str()), page).await
    }

    async fn list(
        &self,
        index: &str,
        partition: (&str, &str),
        page: &PageRequest,
    ) -> Result<Listed<AuditEntry>, PageError> {
        let (sort, key) = (Some(("at_id", "")), ["id"].as_slice());
        let list = List { table: &self.table, index: Some(index), partition, sort, key, descending: true };
        list.page(&self.client, page).await?.read(|item| decode(ENTRY, item))
    }

    /// Makes writes in one transaction with the audit entry about them. Returns `false` if a condition does not hold;
    /// then nothing was written, not even the entry.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub(crate) async fn write(
        &self,
        mut items: Vec<TransactWriteItem>,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let own = items.len();
        items.push(put(&self.table, item(entry)?, Some(IS_NEW), &[])?);
        match transaction::try_write(&self.client, items).await {
            Ok(Written::All) => Ok(true),
            Ok(Written::Refused(parts)) if parts.contains(&own) => self.recognize(entry).await.map(|()| true),
            Ok(Written::Refused(_)) => Ok(false),
            Err(lost) => self.settle(entry, lost).await,
        }
    }

    /// Determines whether a transaction with a lost response took effect, and makes sure that it cannot take effect
    /// later.
    async fn settle(&self, entry: &AuditEntry, lost: Error) -> Result<bool, ChangeError> {
        let cause = lost.to_string();
        match self.add(&entry.ended(AuditOutcome::Failed, "AWS did not respond; nothing was changed")).await {
            Ok(true) => Err(ChangeError::NothingChanged(cause)),
            Ok(false) => self.recognize(entry).await.map(|()| true).map_err(|error| match error {
                known @ (ChangeError::Repeated { .. } | ChangeError::NothingChanged(_)) => known,
                ChangeError::Aws(_) => lost.into(),
            }),
            Err(_) => Err(lost.into()),
        }
    }

    /// Succeeds if the existing entry was written by this attempt and states that it was carried out.
    async fn recognize(&self, entry: &AuditEntry) -> Result<(), ChangeError> {
        match self.read(&entry.id).await? {
            Some(found) if found.attempt == entry.attempt => match found.outcome {
                AuditOutcome::Done => Ok(()),
                AuditOutcome::Refused | AuditOutcome::Failed => {
                    Err(ChangeError::NothingChanged("the attempt was given up before".into()))
                }
            },
            Some(found) => Err(ChangeError::Repeated { at: found.at, outcome: found.outcome }),
            None => Err(Error::Unavailable("the audit entry that was found is gone".into()).into()),
        }
    }
}

fn item(entry: &AuditEntry) -> Result<Item, Error> {
    let at = rfc3339_millis(entry.at).unwrap_or_default();
    encode(ENTRY, entry, [("at_id", text(format!("{at}#{}", entry.id)))])
}

/// Reads an entry from an image of the table's stream.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn read_audit_entry(image: serde_dynamo::Item) -> Result<AuditEntry, Error> {
    decode(ENTRY, image.into())
}
