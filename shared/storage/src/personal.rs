//! The `Personal` table: the personal items of captures, which an erasure removes, and what operators did with captures.
//!
//! Keys are `pk`: `personal#ID` and `custody#ID`, by the capture's id, so that a role may read the one kind and not the
//! other. A capture with which nothing was done has no custody item.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{AuditEntry, CaptureId, Client, ClientId, ClientStatus, Custody, PersonalItem, Renewal};

use crate::{
    Audit, Connection, Error,
    account_keys::{any_replica, client_item_key, key_item},
    budgets::InTime,
    error::unavailable,
    item::{self, Item, batch_get_from, decode, encode, number, text, unless_refused},
    transaction::{IS_NEW, put},
};

/// DynamoDB reads 100 items in one batch, and a capture has two.
const CAPTURES_A_BATCH: usize = 50;

const HAS_SO_MANY_ACTS: &str = "size(acts) = :has";

/// What the table holds of one capture.
#[derive(Debug)]
pub struct Holding {
    /// The personal item, if it is there; an error of its own when it cannot be read.
    pub personal: Result<Option<PersonalItem>, Error>,
    /// What was done with the capture.
    pub custody: Custody,
}

/// The port to the table.
#[derive(Clone, Debug)]
pub struct Personal {
    client: aws_sdk_dynamodb::Client,
    table: String,
    audit: Audit,
}

impl Personal {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.personal.read(),
            audit: Audit::of_port(connection),
        }
    }

    /// Reads what is held of captures, in their order.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a custody item, [`Error::Unavailable`].
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

    /// Stores what was done with a capture, with its audit entry, if nothing else was done since it was read. Whether it was
    /// stored.
    ///
    /// # Errors
    /// [`Error::Repeated`], [`Error::NothingChanged`], [`Error::Unavailable`].
    pub async fn add_act(&self, capture: &CaptureId, custody: &Custody, entry: &AuditEntry) -> Result<bool, Error> {
        let item = encode("custody", custody, [("pk", text(custody_key(capture)))])?;
        let put = match custody.acts.len().saturating_sub(1) {
            0 => put(&self.table, item, IS_NEW, &[])?,
            has => put(&self.table, item, Some(HAS_SO_MANY_ACTS), &[(":has", number(has))])?,
        };
        self.audit.write(vec![put], entry).await
    }

    /// Puts a personal item where there is none; `false` where there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn restore(&self, capture: &CaptureId, item: &PersonalItem) -> Result<bool, Error> {
        self.put_new(encode("personal item", item, [("pk", text(personal_key(capture)))])?).await
    }

    /// Puts what was done with a capture in the place of what the table has; `false` where that has changed meanwhile.
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

    /// Removes the personal item of a capture, if it is still there.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn erase(&self, capture: &CaptureId) -> Result<(), Error> {
        let delete = self.client.delete_item().table_name(&self.table).set_key(Some(key(personal_key(capture))));
        delete.send().in_time().await.map(|_| ()).map_err(|error| unavailable("DeleteItem", &error))
    }
}

/// What decides whether URLs are renewed: the state of captures and the status of their client, in one round trip.
#[derive(Clone, Debug)]
pub struct Renewals {
    client: aws_sdk_dynamodb::Client,
    accounts: String,
    personal: String,
}

impl Renewals {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let tables = &connection.config.tables;
        Self { client: connection.dynamodb(), accounts: tables.accounts.read(), personal: tables.personal.read() }
    }

    /// Whether the URLs of a client's captures are renewed, in their order. Those of a client that does not exist are not.
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
