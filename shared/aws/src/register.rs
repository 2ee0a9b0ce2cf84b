//! The operators' side of the `Accounts` table: clients, API keys and licenses are issued, changed and listed here.
//!
//! Invariant: what a key's record copies (the status of its client; of a license key also the license's status, end and
//! size of sessions) follows the record that it is copied from. A license and the record of its key change in one transaction. A
//! client has any number of keys: its own status is set first, and each copy is set on the condition that the client still
//! has that status; a key that is issued meanwhile is issued on the same condition. So whichever way two operators meet, each
//! copy ends as the client's status does, and a call that broke off is mended by making it again.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use domain::{
    Alert, ApiKeyIssue, ApiKeyRecord, Client, ClientId, ClientStatus, KeyHash, KeyStatus, License, LicenseId,
    LicenseIssue, LicenseKeyRecord, clock::epoch_millis,
};
use futures_util::future::try_join_all;
use serde::Serialize;

use crate::{
    Connection, Error,
    accounts::{Key, api_key_key, client_item_key, key_item, license_item_key, license_key_key},
    alerts,
    item::{self, Item, batch_get, decode, encode, number, query, text, unless_refused},
    patience::InTime,
    transaction::{self, check, put, update},
};

/// The partition that lists all clients.
const CLIENTS: &str = "clients";
/// DynamoDB reads so many items in one batch.
const BATCH: usize = 100;
/// How many copies are changed in one transaction, beside the check on their client: DynamoDB takes 100 items.
const COPIES: usize = 50;

const IS_NEW: Option<&str> = Some("attribute_not_exists(pk)");

/// An API key as the register has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedApiKey {
    /// Its hash.
    pub hash: KeyHash,
    /// What the service reads of it.
    pub record: ApiKeyRecord,
    /// What is kept for people.
    pub issue: ApiKeyIssue,
}

/// A license as the register has it.
#[derive(Clone, Debug, PartialEq)]
pub struct IssuedLicense {
    /// The license.
    pub license: License,
    /// What is kept beside it.
    pub issue: LicenseIssue,
}

/// The port to the register.
#[derive(Clone, Debug)]
pub struct Register {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Register {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb.clone(), table: connection.config.tables.accounts.clone() }
    }

    /// Enters a new client.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn add_client(&self, client: &Client) -> Result<bool, Error> {
        let listed = (CLIENTS.to_owned(), client.id.to_string());
        let items = vec![self.put("client", client, client_item_key(&client.id))?, self.list(listed)?];
        transaction::write(&self.client, items).await
    }

    /// A client; `None` when there is none of the id.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn client(&self, id: &ClientId) -> Result<Option<Client>, Error> {
        let found = self.read(vec![client_item_key(id)]).await?.pop();
        found.map(|item| decode("client", item)).transpose()
    }

    /// All clients, by name.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn clients(&self) -> Result<Vec<Client>, Error> {
        let ids = self.listed(CLIENTS, "").await?;
        let found = self.read(ids.into_iter().map(|id| client_item_key(&ClientId(id))).collect()).await?;
        let mut clients: Vec<Client> = decode_all("client", found)?;
        clients.sort_by(|a, b| (&a.name, &a.id.0).cmp(&(&b.name, &b.id.0)));
        Ok(clients)
    }

    /// Sets a client's status, in its own record and in every copy. `false` when there is no such client, or when another
    /// operator set the other status meanwhile, whose call then has the last word.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`]: the client's own status may be set and some copies not; to make the call again
    /// mends that.
    pub async fn set_client_status(&self, id: &ClientId, status: ClientStatus) -> Result<bool, Error> {
        let (pk, sk) = client_item_key(id);
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key_item(&pk, &sk)))
            .update_expression("SET #status = :status")
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":status", value(&status)?)
            .send()
            .in_time()
            .await;
        Ok(unless_refused("UpdateItem", answer)? && self.copy_client_status(id, status).await?)
    }

    async fn copy_client_status(&self, id: &ClientId, status: ClientStatus) -> Result<bool, Error> {
        let (api_keys, licenses) = tokio::try_join!(self.api_keys(id), self.licenses(id))?;
        let keys = api_keys.iter().map(|key| api_key_key(&key.hash));
        let keys: Vec<Key> = keys.chain(licenses.iter().map(|license| license_key_key(&license.issue.key))).collect();
        for keys in keys.chunks(COPIES) {
            let mut items = vec![self.client_is(id, status)?];
            for (pk, sk) in keys {
                let (set, values) = ("SET client_status = :status", [(":status", value(&status)?)]);
                items.push(update(&self.table, key_item(pk, sk), set, "attribute_exists(pk)", &values)?);
            }
            if !transaction::write(&self.client, items).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Enters an API key. `false` when its client does not have the status that the record copies.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn add_api_key(&self, key: &IssuedApiKey) -> Result<bool, Error> {
        let (pk, sk) = api_key_key(&key.hash);
        let mut item = encode("API key", &key.record, [("pk", text(pk)), ("sk", text(sk))])?;
        item.extend(item::value("API key", &key.issue)?);
        let items = vec![
            self.client_is(&key.record.client_id, key.record.client_status)?,
            put(&self.table, item, IS_NEW, &[])?,
            self.list((format!("client#{}", key.record.client_id), format!("api_key#{}", key.hash.as_str())))?,
        ];
        transaction::write(&self.client, items).await
    }

    /// The API keys of a client, the oldest first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn api_keys(&self, client: &ClientId) -> Result<Vec<IssuedApiKey>, Error> {
        let hashes = self.listed(&format!("client#{client}"), "api_key#").await?;
        let hashes: Vec<KeyHash> = hashes.iter().filter_map(|hash| KeyHash::from_hex(hash)).collect();
        let items = self.read(hashes.iter().map(api_key_key).collect()).await?;
        let mut found = by_partition(items);
        let mut keys = Vec::with_capacity(hashes.len());
        for hash in hashes {
            let Some(item) = found.remove(&api_key_key(&hash).0) else { continue };
            keys.push(IssuedApiKey { record: decode("API key", item.clone())?, issue: decode("API key", item)?, hash });
        }
        keys.sort_by_key(|key| epoch_millis(key.issue.issued_at));
        Ok(keys)
    }

    /// Revokes an API key. To repeat it changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn revoke_api_key(&self, key: &KeyHash) -> Result<bool, Error> {
        let (pk, sk) = api_key_key(key);
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key_item(&pk, &sk)))
            .update_expression("SET #status = :revoked")
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":revoked", value(&KeyStatus::Revoked)?)
            .send()
            .in_time()
            .await;
        unless_refused("UpdateItem", answer)
    }

    /// Enters a license with its first key. `false` when its client does not have that status.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn add_license(&self, issued: &IssuedLicense, client: ClientStatus) -> Result<bool, Error> {
        let License { id, client_id, .. } = &issued.license;
        let items = vec![
            self.client_is(client_id, client)?,
            put(&self.table, license_item(issued)?, IS_NEW, &[])?,
            self.put("license key", &key_record(&issued.license, client), license_key_key(&issued.issue.key))?,
            self.list((format!("client#{client_id}"), format!("license#{id}")))?,
        ];
        transaction::write(&self.client, items).await
    }

    /// A license; `None` when there is none of the id.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn license(&self, id: &LicenseId) -> Result<Option<IssuedLicense>, Error> {
        self.read(vec![license_item_key(id)]).await?.pop().map(issued_license).transpose()
    }

    /// The licenses of a client, the oldest first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn licenses(&self, client: &ClientId) -> Result<Vec<IssuedLicense>, Error> {
        let ids = self.listed(&format!("client#{client}"), "license#").await?;
        let items = self.read(ids.into_iter().map(|id| license_item_key(&LicenseId(id))).collect()).await?;
        let mut licenses = items.into_iter().map(issued_license).collect::<Result<Vec<_>, _>>()?;
        licenses.sort_by_key(|license| epoch_millis(license.issue.issued_at));
        Ok(licenses)
    }

    /// Puts a changed license in place of `before`, with what its key copies of it, and raises an alert beside it. `false` when
    /// the license was changed meanwhile.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn change_license(
        &self,
        before: &IssuedLicense,
        license: License,
        alert: Option<&Alert>,
    ) -> Result<Option<IssuedLicense>, Error> {
        let after = IssuedLicense {
            license,
            issue: LicenseIssue { revision: before.issue.revision + 1, ..before.issue.clone() },
        };
        let (pk, sk) = license_key_key(&after.issue.key);
        // Not the whole record: the client's status is not this call's to write.
        let copies = "SET license_status = :license_status, expires_at = :expires_at, max_captures_per_session = :most";
        let copied = [
            (":license_status", value(&after.license.status)?),
            (":expires_at", number(epoch_millis(after.license.expires_at))),
            (":most", value(&after.license.max_captures_per_session)?),
        ];
        let mut items = vec![
            self.replace(before, &after)?,
            update(&self.table, key_item(&pk, &sk), copies, "attribute_exists(pk)", &copied)?,
        ];
        if let Some(alert) = alert {
            items.extend(alerts::raising(&self.table, alert)?);
        }
        Ok(transaction::write(&self.client, items).await?.then_some(after))
    }

    /// Gives a license a new key; the old one opens nothing from then on. `None` when the license or the client's status was
    /// changed meanwhile.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn rotate_license_key(
        &self,
        before: &IssuedLicense,
        key: KeyHash,
        client: ClientStatus,
    ) -> Result<Option<IssuedLicense>, Error> {
        let revision = before.issue.revision + 1;
        let issue = LicenseIssue { key, revision, ..before.issue.clone() };
        let after = IssuedLicense { license: before.license.clone(), issue };
        let (pk, sk) = license_key_key(&before.issue.key);
        let status = "SET #status = :revoked";
        let revoke = aws_sdk_dynamodb::types::Update::builder()
            .table_name(&self.table)
            .set_key(Some(key_item(&pk, &sk)))
            .update_expression(status)
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":revoked", value(&KeyStatus::Revoked)?);
        let revoke = TransactWriteItem::builder().update(revoke.build().map_err(transaction::incomplete)?).build();
        let items = vec![
            self.client_is(&after.license.client_id, client)?,
            self.replace(before, &after)?,
            revoke,
            self.put("license key", &key_record(&after.license, client), license_key_key(&after.issue.key))?,
        ];
        Ok(transaction::write(&self.client, items).await?.then_some(after))
    }

    fn replace(&self, before: &IssuedLicense, after: &IssuedLicense) -> Result<TransactWriteItem, Error> {
        let unchanged = [(":revision", number(before.issue.revision))];
        put(&self.table, license_item(after)?, Some("revision = :revision"), &unchanged)
    }

    /// A record that is new.
    fn put<T: Serialize>(&self, what: &'static str, record: &T, (pk, sk): Key) -> Result<TransactWriteItem, Error> {
        put(&self.table, encode(what, record, [("pk", text(pk)), ("sk", text(sk))])?, IS_NEW, &[])
    }

    /// An entry of a list: its key says all.
    fn list(&self, (pk, sk): Key) -> Result<TransactWriteItem, Error> {
        let mut entry = key_item(&pk, &sk);
        entry.insert("v".into(), number(item::FORMAT));
        put(&self.table, entry, None, &[])
    }

    fn client_is(&self, id: &ClientId, status: ClientStatus) -> Result<TransactWriteItem, Error> {
        let (pk, sk) = client_item_key(id);
        let values = [(":status", value(&status)?)];
        check(&self.table, key_item(&pk, &sk), "#status = :status", &[("#status", "status")], &values)
    }

    /// What a list names: the sort keys under `prefix`, without it.
    async fn listed(&self, pk: &str, prefix: &str) -> Result<Vec<String>, Error> {
        let items = query(&self.client, &self.table, pk, prefix).await?;
        let name = |item: &Item| Some(item.get("sk")?.as_s().ok()?.strip_prefix(prefix)?.to_owned());
        Ok(items.iter().filter_map(name).collect())
    }

    async fn read(&self, keys: Vec<Key>) -> Result<Vec<Item>, Error> {
        let batches = keys.chunks(BATCH).map(|keys| {
            let keys = keys.iter().map(|(pk, sk)| key_item(pk, sk)).collect();
            batch_get(&self.client, &self.table, keys)
        });
        Ok(try_join_all(batches).await?.concat())
    }
}

fn license_item(issued: &IssuedLicense) -> Result<Item, Error> {
    let (pk, sk) = license_item_key(&issued.license.id);
    let mut item = encode("license", &issued.license, [("pk", text(pk)), ("sk", text(sk))])?;
    item.extend(item::value("license", &issued.issue)?);
    Ok(item)
}

fn issued_license(item: Item) -> Result<IssuedLicense, Error> {
    Ok(IssuedLicense { license: decode("license", item.clone())?, issue: decode("license", item)? })
}

/// What the key in force copies of a license and its client.
fn key_record(license: &License, client_status: ClientStatus) -> LicenseKeyRecord {
    LicenseKeyRecord {
        license_id: license.id.clone(),
        client_id: license.client_id.clone(),
        environment: license.environment,
        status: KeyStatus::Active,
        license_status: license.status,
        client_status,
        expires_at: license.expires_at,
        max_captures_per_session: license.max_captures_per_session,
    }
}

fn decode_all<T: serde::de::DeserializeOwned>(what: &'static str, items: Vec<Item>) -> Result<Vec<T>, Error> {
    items.into_iter().map(|item| decode(what, item)).collect()
}

fn by_partition(items: Vec<Item>) -> HashMap<String, Item> {
    let key = |item: &Item| item.get("pk").and_then(|pk| pk.as_s().ok()).cloned().unwrap_or_default();
    items.into_iter().map(|item| (key(&item), item)).collect()
}

/// A field as records store it.
fn value<T: Serialize>(field: &T) -> Result<AttributeValue, Error> {
    serde_dynamo::to_attribute_value(field).map_err(|error| Error::Corrupt { what: "field", cause: error.to_string() })
}
