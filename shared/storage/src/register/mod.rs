//! The register: the operators' access to the `Accounts` table, through which clients, API keys, licenses, kits and senders
//! are issued, changed and listed.
//!
//! Invariant: the copies in a key's record (the client's status; for a license key also the license's status, end and
//! session limit) follow the records that they are copied from. A license and the record of its key change in one
//! transaction. A client has any number of keys, so its own status is set first, and then each copy, on the condition that
//! the client still has that status. A key that is issued concurrently is issued on the same condition. So however two
//! operators interleave, every copy ends equal to the client's status, and repeating an interrupted call repairs it.
//!
//! The versions of a kit have an invariant of their own (`hosting.rs`).
//!
//! Lists consist of items that have nothing but a key: `clients` and `licenses` ordered by the client's name, `client#ID`
//! with a client's API keys and licenses ordered by time of issue, and `license_keys` ordered by key hash, which finds a
//! license from the key hash that a log shows.

mod api_keys;
mod clients;
mod hosting;
mod licenses;
mod names;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use futures_util::future::try_join_all;
use lacre_domain::{ClientId, ClientStatus, KeyStatus};
use serde::Serialize;

use crate::{
    Audit, Connection, Error,
    account_keys::{Key, client_item_key, key_item, replicas},
    item::{self, Item, batch_get, encode, number, query},
    paging::{List, Listed, PageError, PageRequest},
    transaction::{IS_NEW, check, put, update},
};

pub use api_keys::IssuedApiKey;
pub use licenses::IssuedLicense;

/// The maximum number of items that DynamoDB reads in one batch.
const BATCH: usize = 100;

/// Reads and writes clients, API keys, licenses, kits and senders.
#[derive(Clone, Debug)]
pub struct Register {
    client: aws_sdk_dynamodb::Client,
    table: String,
    audit: Audit,
}

impl Register {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.accounts.read(),
            audit: Audit::of_port(connection),
        }
    }

    /// The writes of a new record with its replicas.
    fn put<T: Serialize>(&self, what: &'static str, record: &T, key: &Key) -> Result<Vec<TransactWriteItem>, Error> {
        self.put_replicas(&encode(what, record, [])?, key, IS_NEW, &[])
    }

    /// The same write for every replica of a record. Its condition applies to each of them.
    fn put_replicas(
        &self,
        record: &Item,
        key: &Key,
        condition: Option<&str>,
        values: &[(&str, AttributeValue)],
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let items = replicas(key).map(|(pk, sk)| record.clone().into_iter().chain(key_item(&pk, &sk)).collect());
        items.into_iter().map(|item| put(&self.table, item, condition, values)).collect()
    }

    /// The write that revokes an active API key or license key.
    fn revoke_key(&self, (pk, sk): Key) -> Result<TransactWriteItem, Error> {
        let values = [(":active", value(&KeyStatus::Active)?), (":revoked", value(&KeyStatus::Revoked)?)];
        let (set, in_force) = ("SET #status = :revoked", "#status = :active");
        update(&self.table, key_item(&pk, &sk), set, in_force, &[("#status", "status")], &values)
    }

    /// The write of a list entry, which consists of its key.
    fn list(&self, (pk, sk): Key) -> Result<TransactWriteItem, Error> {
        let mut entry = key_item(&pk, &sk);
        entry.insert("v".into(), number(item::FORMAT));
        put(&self.table, entry, None, &[])
    }

    /// A page of a list, as the ids after the last `#` of its sort keys.
    async fn page(&self, partition: &str, prefix: &str, page: &PageRequest) -> Result<Listed<String>, PageError> {
        let found = List::of_accounts(&self.table, partition, prefix).page(&self.client, page).await?;
        let listed = found.entries.iter().filter_map(last_part).collect();
        Ok(found.with(listed))
    }

    fn client_is(&self, id: &ClientId, status: ClientStatus) -> Result<TransactWriteItem, Error> {
        let (pk, sk) = client_item_key(id);
        let values = [(":status", value(&status)?)];
        check(&self.table, key_item(&pk, &sk), "#status = :status", &[("#status", "status")], &values)
    }

    /// All entries of a list, as the ids after the last `#` of their sort keys.
    async fn listed(&self, pk: &str, prefix: &str) -> Result<Vec<String>, Error> {
        let items = query(&self.client, &self.table, pk, prefix).await?;
        Ok(items.iter().filter_map(last_part).collect())
    }

    /// Reads items in the order of their keys; missing ones are omitted.
    async fn read_in_order(&self, keys: Vec<Key>) -> Result<Vec<Item>, Error> {
        let mut found: HashMap<Key, Item> =
            self.read(keys.clone()).await?.into_iter().filter_map(|item| Some((key_of(&item)?, item))).collect();
        Ok(keys.iter().filter_map(|key| found.remove(key)).collect())
    }

    async fn read(&self, keys: Vec<Key>) -> Result<Vec<Item>, Error> {
        let batches = keys.chunks(BATCH).map(|keys| {
            let keys = keys.iter().map(|(pk, sk)| key_item(pk, sk)).collect();
            batch_get(&self.client, &self.table, keys)
        });
        Ok(try_join_all(batches).await?.concat())
    }
}

/// The part of a sort key after its last `#`.
fn last_part(entry: &Item) -> Option<String> {
    Some(entry.get("sk")?.as_s().ok()?.rsplit('#').next()?.to_owned())
}

fn key_of(item: &Item) -> Option<Key> {
    let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
    Some((text("pk")?, text("sk")?))
}

/// A field's value as records store it.
fn value<T: Serialize>(field: &T) -> Result<AttributeValue, Error> {
    serde_dynamo::to_attribute_value(field).map_err(|error| Error::Corrupt { what: "field", cause: error.to_string() })
}
