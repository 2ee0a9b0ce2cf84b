//! API keys.

use std::collections::HashMap;

use domain::{ApiKeyIssue, ApiKeyRecord, ClientId, KeyHash, clock::epoch_millis};

use super::{IS_NEW, Register};
use crate::{
    Error,
    account_keys::api_key_key,
    item::{self, Item, decode, encode, text},
    transaction::{self, put},
};

/// An API key as the register has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedApiKey {
    /// Its hash.
    pub hash: KeyHash,
    /// The part that the service reads.
    pub record: ApiKeyRecord,
    /// The part for operators.
    pub issue: ApiKeyIssue,
}

impl Register {
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
        let hashes = self.api_key_hashes(client).await?;
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

    /// Revokes an API key that is in force. `false` when it is not.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn revoke_api_key(&self, key: &KeyHash) -> Result<bool, Error> {
        // As a transaction of one: its tries are one request, so that one whose answer was lost is not refused by what it wrote.
        transaction::write(&self.client, vec![self.revoke_key(api_key_key(key))?]).await
    }

    pub(super) async fn api_key_hashes(&self, client: &ClientId) -> Result<Vec<KeyHash>, Error> {
        let hashes = self.listed(&format!("client#{client}"), "api_key#").await?;
        Ok(hashes.iter().filter_map(|hash| KeyHash::from_hex(hash)).collect())
    }
}

fn by_partition(items: Vec<Item>) -> HashMap<String, Item> {
    let key = |item: &Item| item.get("pk").and_then(|pk| pk.as_s().ok()).cloned().unwrap_or_default();
    items.into_iter().map(|item| (key(&item), item)).collect()
}
