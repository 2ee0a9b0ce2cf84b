//! API keys in the register.

use std::collections::HashMap;

use lacre_domain::{ApiKeyIssue, ApiKeyRecord, AuditEntry, ClientId, KeyHash, KeyId, clock::epoch_millis};

use super::{IS_NEW, Register};
use crate::{
    ChangeError, Error,
    account_keys::{Key, api_key_key},
    item::{self, Item, decode, encode, text},
    paging::{Listed, PageError, PageRequest},
    transaction::put,
};

const LISTED: &str = "api_key#";

/// The complete record of an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedApiKey {
    /// The key's hash.
    pub hash: KeyHash,
    /// The part that requests read.
    pub record: ApiKeyRecord,
    /// The part for operators.
    pub issue: ApiKeyIssue,
}

impl Register {
    /// Adds an API key. Returns `false` if its client does not have the status that the record copies.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_api_key(&self, key: &IssuedApiKey, entry: &AuditEntry) -> Result<bool, ChangeError> {
        let (pk, sk) = api_key_key(&key.hash);
        let mut item = encode("API key", &key.record, [("pk", text(pk)), ("sk", text(sk))])?;
        item.extend(item::value("API key", &key.issue)?);
        let items = vec![
            self.client_is(&key.record.client_id, key.record.client_status)?,
            put(&self.table, item, IS_NEW, &[])?,
            self.list(listed(key))?,
        ];
        self.audit.write(items, entry).await
    }

    /// The API keys of a client, oldest first.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn api_keys(&self, client: &ClientId, page: &PageRequest) -> Result<Listed<IssuedApiKey>, PageError> {
        let hashes = self.page(&format!("client#{client}"), LISTED, page).await?;
        let known: Vec<KeyHash> = hashes.entries.iter().filter_map(|hash| KeyHash::from_hex(hash)).collect();
        let keys = self.read_api_keys(&known).await?;
        Ok(hashes.with(keys))
    }

    /// An API key of a client; `None` if there is none with this id.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn api_key(&self, client: &ClientId, id: &KeyId) -> Result<Option<IssuedApiKey>, Error> {
        let hashes = self.api_key_hashes(client).await?;
        let known = hashes.into_iter().find(|hash| hash.id() == *id);
        Ok(self.read_api_keys(known.as_slice()).await?.pop())
    }

    async fn read_api_keys(&self, hashes: &[KeyHash]) -> Result<Vec<IssuedApiKey>, Error> {
        let items = self.read(hashes.iter().map(api_key_key).collect()).await?;
        let mut found = by_partition(items);
        let mut keys = Vec::with_capacity(hashes.len());
        for hash in hashes {
            let Some(item) = found.remove(&api_key_key(hash).0) else { continue };
            let (record, issue) = (decode("API key", item.clone())?, decode("API key", item)?);
            keys.push(IssuedApiKey { record, issue, hash: hash.clone() });
        }
        Ok(keys)
    }

    /// Revokes an active API key. Returns `false` if it is not active.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn revoke_api_key(&self, key: &KeyHash, entry: &AuditEntry) -> Result<bool, ChangeError> {
        self.audit.write(vec![self.revoke_key(api_key_key(key))?], entry).await
    }

    pub(super) async fn api_key_hashes(&self, client: &ClientId) -> Result<Vec<KeyHash>, Error> {
        let hashes = self.listed(&format!("client#{client}"), LISTED).await?;
        Ok(hashes.iter().filter_map(|hash| KeyHash::from_hex(hash)).collect())
    }
}

/// The list entry of a key. Its sort key begins with the time of issue, which determines the order of the list.
fn listed(key: &IssuedApiKey) -> Key {
    let issued_at = epoch_millis(key.issue.issued_at);
    (format!("client#{}", key.record.client_id), format!("{LISTED}{issued_at:013}#{}", key.hash.as_str()))
}

fn by_partition(items: Vec<Item>) -> HashMap<String, Item> {
    let key = |item: &Item| item.get("pk").and_then(|pk| pk.as_s().ok()).cloned().unwrap_or_default();
    items.into_iter().map(|item| (key(&item), item)).collect()
}
