//! The `Personal` table: the personal items of captures, which an erasure removes, and the custody of captures.
//!
//! The primary key is `pk`: `personal#ID` or `custody#ID` with the capture's id, so that an IAM policy can grant access
//! to one kind only. A capture without custody acts has no custody item.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{AuditEntry, CaptureId, Client, ClientId, ClientStatus, Custody, PersonalItem, Renewal};

use crate::{
    Audit, ChangeError, Connection, Error,
    account_keys::{any_replica, client_item_key, key_item},
    budgets::InTime,
    error::unavailable,
    item::{self, Item, batch_get_from, decode, encode, number, text, unless_refused},
    transaction::{IS_NEW, put},
};

/// The number of captures per batch: DynamoDB reads up to 100 items, and a capture has two.
const CAPTURES_A_BATCH: usize = 50;

const HAS_SO_MANY_ACTS: &str = "size(acts) = :has";

/// What the table contains about one capture.
#[derive(Debug)]
pub struct Holding {
    /// The personal item, if it exists; its own error if it is corrupt.
    pub personal: Result<Option<PersonalItem>, Error>,
    /// The custody of the capture.
    pub custody: Custody,
}

/// Reads and writes personal items and custody.
#[derive(Clone, Debug)]
pub struct Personal {
    client: aws_sdk_dynamodb::Client,
    table: String,
    audit: Audit,
}

impl Personal {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.personal.read(),
            audit: Audit::of_port(connection),
        }
    }

    /// Reads what the table contains about captures, in their order.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a custody item; [`Error::Unavailable`].
    pub async fn read(&self, captures: &[&CaptureId]) -> Result<Vec<Holding>, Error> {
        let mut holdings = Vec::with_capacity(captures.len());
        for captures in captures.chunks(CAPTURES_A_BATCH) {
            let keys = captures.iter().flat_map(|id| [personal_key(id), custody_key(id)]).map(key);
            let mut items = item::batch_get(&self.client, &self.table, keys.collect()).await?;
            for id in captures {
                let personal = item::take(&mut items, &key(personal_key(id)));
                holdings.push(Holding {
                    personal: personal.map(|item| decode("personal item", item)).transpose(),
                    custody: custody(&mut items, id)?,
                });
            }
        }
        Ok(holdings)
    }

    /// Stores a capture's custody with its last act and the audit entry, if no other act was added since it was read.
    /// Returns whether it was stored.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_act(
        &self,
        capture: &CaptureId,
        custody: &Custody,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let item = encode("custody", custody, [("pk", text(custody_key(capture)))])?;
        let put = match custody.acts.len().saturating_sub(1) {
            0 => put(&self.table, item, IS_NEW, &[])?,
            has => put(&self.table, item, Some(HAS_SO_MANY_ACTS), &[(":has", number(has))])?,
        };
        self.audit.write(vec![put], entry).await
    }

    /// Puts a personal item if there is none. Returns `false` if there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn restore(&self, capture: &CaptureId, item: &PersonalItem) -> Result<bool, Error> {
        self.put_new(encode("personal item", item, [("pk", text(personal_key(capture)))])?).await
    }

    /// Replaces a capture's custody, for a restore. Returns `false` if the stored custody changed since it was read.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn restore_custody(&self, capture: &CaptureId, has: &Custody, custody: &Custody) -> Result<bool, Error> {
        let item = encode("custody", custody, [("pk", text(custody_key(capture)))])?;
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = match has.acts.len() {
            0 => put.set_condition_expression(IS_NEW.map(str::to_owned)),
            has => put.condition_expression(HAS_SO_MANY_ACTS).expression_attribute_values(":has", number(has)),
        };
        unless_refused("PutItem", put.send().in_time().await)
    }

    async fn put_new(&self, item: Item) -> Result<bool, Error> {
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = put.set_condition_expression(IS_NEW.map(str::to_owned));
        unless_refused("PutItem", put.send().in_time().await)
    }

    /// Deletes the personal item of a capture, if it still exists.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn erase(&self, capture: &CaptureId) -> Result<(), Error> {
        let delete = self.client.delete_item().table_name(&self.table).set_key(Some(key(personal_key(capture))));
        delete.send().in_time().await.map(|_| ()).map_err(|error| unavailable("DeleteItem", &error))
    }
}

/// Reads what decides whether URLs are renewed: the custody of captures and the status of their client, in one round
/// trip.
#[derive(Clone, Debug)]
pub struct Renewals {
    client: aws_sdk_dynamodb::Client,
    accounts: String,
    personal: String,
}

impl Renewals {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let tables = &connection.config.tables;
        Self { client: connection.dynamodb(), accounts: tables.accounts.read(), personal: tables.personal.read() }
    }

    /// Decides whether the URLs of a client's captures are renewed, in the order of the captures. They are not if the
    /// client does not exist.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, client: &ClientId, captures: &[CaptureId]) -> Result<Vec<Renewal>, Error> {
        let (pk, sk) = any_replica(&client_item_key(client));
        let client_key = key_item(&pk, &sk);
        let custody_keys = captures.iter().map(custody_key).map(key).collect();
        let tables = [(self.accounts.as_str(), vec![client_key.clone()]), (self.personal.as_str(), custody_keys)];
        let mut found = batch_get_from(&self.client, tables.into()).await?;
        let account = found.get_mut(&self.accounts).and_then(|items| item::take(items, &client_key));
        let account = account.map(|item| decode::<Client>("client", item)).transpose()?;
        let status = account.map_or(ClientStatus::Suspended, |account| account.status);
        let mut items = found.remove(&self.personal).unwrap_or_default();
        captures.iter().map(|id| Ok(Renewal::of(custody(&mut items, id)?.state(), status))).collect()
    }
}

/// Reads a personal item and its capture from an image of the table's stream; `None` for items of another kind.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn read_personal_item(image: serde_dynamo::Item) -> Result<Option<(CaptureId, PersonalItem)>, Error> {
    let item: Item = image.into();
    let pk = item.get("pk").and_then(|value| value.as_s().ok());
    let Some(capture) = pk.and_then(|pk| pk.strip_prefix(PERSONAL)).and_then(CaptureId::from_hex) else {
        return Ok(None);
    };
    Ok(Some((capture, decode("personal item", item)?)))
}

/// The key of a capture's personal item.
pub(crate) fn personal_key(capture: &CaptureId) -> String {
    format!("{PERSONAL}{}", capture.as_str())
}

pub(crate) const PERSONAL: &str = "personal#";
pub(crate) const CUSTODY: &str = "custody#";

fn custody_key(capture: &CaptureId) -> String {
    format!("{CUSTODY}{}", capture.as_str())
}

pub(crate) fn custody_item_key(capture: &CaptureId) -> Item {
    key(custody_key(capture))
}

fn key(pk: String) -> Item {
    HashMap::from([("pk".to_owned(), AttributeValue::S(pk))])
}

pub(crate) fn custody(items: &mut Vec<Item>, capture: &CaptureId) -> Result<Custody, Error> {
    let item = item::take(items, &key(custody_key(capture)));
    item.map_or(Ok(Custody::default()), |item| decode("custody", item))
}
