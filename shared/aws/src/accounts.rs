//! The `Accounts` table: clients, API keys, licenses and their keys, volume shards, signer profiles.
//!
//! Keys are `pk` and `sk`. Nothing expires. Here is what the functions read, of records with replicas any one; what is written
//! is written by operators, through the register, and volume shards by the commit of a capture.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    ApiKeyRecord, Client, ClientId, Environment, HostedLicense, KeyHash, License, LicenseId, LicenseKeyRecord,
    SignerProfile, limits,
};
use serde::de::DeserializeOwned;

use crate::{
    Connection, Error,
    account_keys::{
        Key, any_replica, api_key_key, client_item_key, hosted_license_key, key_item, license_item_key,
        license_key_key, profile_key, volume_key,
    },
    item::{self, Item, batch_get, decode},
};

/// The records that the creation of a session reads.
#[derive(Debug)]
pub struct CreateKeys {
    /// The API key's record.
    pub api_key: Result<Option<ApiKeyRecord>, Error>,
    /// The license key's record.
    pub license_key: Result<Option<LicenseKeyRecord>, Error>,
}

/// A license with its client and what was captured under it.
#[derive(Debug)]
pub struct LicenseUse {
    /// The license.
    pub license: Result<Option<License>, Error>,
    /// The client that the caller named.
    pub client: Result<Option<Client>, Error>,
    /// Captures of the month that the caller named; 0 where none was named.
    pub captures_used: u64,
}

/// A license with its client and who signs for its environment.
#[derive(Debug)]
pub struct IngestLicense {
    /// The license.
    pub license: Result<Option<License>, Error>,
    /// The client that the session names.
    pub client: Result<Option<Client>, Error>,
    /// The signer profile in force.
    pub signer: Result<Option<SignerProfile>, Error>,
}

/// The port to the table.
#[derive(Clone, Debug)]
pub struct Accounts {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Accounts {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.accounts.clone() }
    }

    /// Reads the records of both keys in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; a record that cannot be read is an error of its own.
    pub async fn read_create_keys(&self, api_key: &KeyHash, license_key: &KeyHash) -> Result<CreateKeys, Error> {
        let (api_key, license_key) = (api_key_key(api_key), any_replica(&license_key_key(license_key)));
        let mut items = self.read(&[&api_key, &license_key]).await?;
        Ok(CreateKeys {
            api_key: find("API key", &mut items, &api_key),
            license_key: find("license key", &mut items, &license_key),
        })
    }

    /// Reads an API key's record alone.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read_api_key(&self, key: &KeyHash) -> Result<Option<ApiKeyRecord>, Error> {
        let key = api_key_key(key);
        find("API key", &mut self.read(&[&key]).await?, &key)
    }

    /// Reads a license key's record.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read_license_key(&self, key: &KeyHash) -> Result<Option<LicenseKeyRecord>, Error> {
        let key = any_replica(&license_key_key(key));
        find("license key", &mut self.read(&[&key]).await?, &key)
    }

    /// Reads which license hosted sessions of a client's environment use; `None` if none is named.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read_hosted_license(
        &self,
        client: &ClientId,
        environment: Environment,
    ) -> Result<Option<LicenseId>, Error> {
        let key = hosted_license_key(client, environment);
        let named: Option<HostedLicense> = find("hosted license", &mut self.read(&[&key]).await?, &key)?;
        Ok(named.map(|named| named.license_id))
    }

    /// Reads a license with a client and, where `month` is given, the captures of that month, in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Corrupt`] for a volume shard; license and client have errors of their own.
    pub async fn read_license(
        &self,
        license: &LicenseId,
        client: &ClientId,
        month: Option<&str>,
    ) -> Result<LicenseUse, Error> {
        let (license_key, client_key) = (license_item_key(license), client_item_key(client));
        let (license_key, client_key) = (any_replica(&license_key), any_replica(&client_key));
        let shards: Vec<Key> = month
            .into_iter()
            .flat_map(|month| (0..limits::VOLUME_SHARDS).map(|shard| volume_key(license, month, shard)))
            .collect();
        let keys: Vec<&Key> = [&license_key, &client_key].into_iter().chain(&shards).collect();
        let mut items = self.read(&keys).await?;
        let license = find("license", &mut items, &license_key);
        let client = find("client", &mut items, &client_key);
        let captures_used = items.iter().map(shard_count).sum::<Result<u64, Error>>()?;
        Ok(LicenseUse { license, client, captures_used })
    }

    /// Reads what an ingest needs of a license, in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; a record that cannot be read is an error of its own.
    pub async fn read_ingest_license(
        &self,
        license: &LicenseId,
        client: &ClientId,
        environment: Environment,
    ) -> Result<IngestLicense, Error> {
        let keys = [license_item_key(license), client_item_key(client), profile_key(environment)];
        let [license, client, signer] = keys.each_ref().map(any_replica);
        let mut items = self.read(&[&license, &client, &signer]).await?;
        Ok(IngestLicense {
            license: find("license", &mut items, &license),
            client: find("client", &mut items, &client),
            signer: find("signer profile", &mut items, &signer),
        })
    }

    async fn read(&self, keys: &[&Key]) -> Result<Vec<Item>, Error> {
        let keys = keys.iter().map(|(pk, sk)| key_item(pk, sk)).collect();
        batch_get(&self.client, &self.table, keys).await
    }
}

fn find<T: DeserializeOwned>(what: &'static str, items: &mut Vec<Item>, (pk, sk): &Key) -> Result<Option<T>, Error> {
    item::take(items, &key_item(pk, sk)).map(|item| decode(what, item)).transpose()
}

pub(crate) fn shard_count(item: &Item) -> Result<u64, Error> {
    let corrupt = || Error::Corrupt { what: "volume shard", cause: "no count".into() };
    let Some(AttributeValue::N(count)) = item.get("captures") else { return Err(corrupt()) };
    let known = item.get("v").and_then(|v| v.as_n().ok()).is_some_and(|v| v == item::FORMAT);
    count.parse().ok().filter(|_| known).ok_or_else(corrupt)
}
