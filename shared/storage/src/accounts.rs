//! The `Accounts` table: clients, API keys, licenses and their keys, volume shards, signer profiles.
//!
//! Keys are `pk` and `sk`. Nothing expires. Here is what the functions read, of records with replicas any one; what is written
//! is written by operators, through the register, and volume shards by the commit of a capture.

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{
    ApiKeyRecord, Client, ClientId, ClientStatus, Environment, HostedLicense, KeyHash, License, LicenseFault,
    LicenseId, LicenseKeyRecord, SignerProfile, limits,
};
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

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

/// A license with its client and what was captured under it, as the records say.
#[derive(Debug)]
pub struct LicenseUse {
    /// The license.
    pub license: Result<Option<License>, Error>,
    /// The client that the caller named.
    pub client: Result<Option<Client>, Error>,
    /// Captures of the month that the caller named; 0 where none was named.
    pub captures_used: u64,
}

/// Why a license may not be used, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum LicenseUnusable {
    /// The license's record cannot be read.
    #[error(transparent)]
    Unreadable(Error),
    /// There is no such license.
    #[error("the license does not exist")]
    Missing,
    /// The license exists and is not in force.
    #[error(transparent)]
    NotInForce(LicenseFault),
    /// The client's record cannot be read.
    #[error(transparent)]
    ClientUnreadable(Error),
    /// There is no such client.
    #[error("the client does not exist")]
    ClientMissing,
    /// The license belongs to another client.
    #[error("the license belongs to another client")]
    Foreign,
}

impl LicenseUse {
    /// The license, if it is in force at `now` and belongs to the client that the caller named. Every function that uses a
    /// license asks here, and gives the reasons refusals of its own.
    ///
    /// # Errors
    /// The first [`LicenseUnusable`] that applies.
    pub fn check(self, now: OffsetDateTime) -> Result<License, LicenseUnusable> {
        let license = self.license.map_err(LicenseUnusable::Unreadable)?.ok_or(LicenseUnusable::Missing)?;
        // A client that cannot be read is no reason yet: that the license itself is not in force comes first.
        let status =
            self.client.as_ref().ok().and_then(Option::as_ref).map_or(ClientStatus::Active, |client| client.status);
        license.check_usable(status, now).map_err(LicenseUnusable::NotInForce)?;
        let client = self.client.map_err(LicenseUnusable::ClientUnreadable)?.ok_or(LicenseUnusable::ClientMissing)?;
        if license.client_id == client.id { Ok(license) } else { Err(LicenseUnusable::Foreign) }
    }
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
        Self { client: connection.dynamodb(), table: connection.config.tables.accounts.read() }
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
        let shards: Vec<Key> = month
            .into_iter()
            .flat_map(|month| (0..limits::VOLUME_SHARDS).map(|shard| volume_key(license, month, shard)))
            .collect();
        let (found, shards) = self.read_license_beside(license, client, &shards).await?;
        let captures_used = shards.iter().map(shard_count).sum::<Result<u64, Error>>()?;
        Ok(LicenseUse { captures_used, ..found })
    }

    /// Reads a license with a client and the signer profile in force, in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; a record that cannot be read is an error of its own.
    pub async fn read_license_and_signer(
        &self,
        license: &LicenseId,
        client: &ClientId,
        environment: Environment,
    ) -> Result<(LicenseUse, Result<Option<SignerProfile>, Error>), Error> {
        let signer = [any_replica(&profile_key(environment))];
        let (found, mut items) = self.read_license_beside(license, client, &signer).await?;
        let [signer] = signer.each_ref().map(|key| find("signer profile", &mut items, key));
        Ok((found, signer))
    }

    /// Reads a license with a client, and the items of further keys.
    async fn read_license_beside(
        &self,
        license: &LicenseId,
        client: &ClientId,
        further: &[Key],
    ) -> Result<(LicenseUse, Vec<Item>), Error> {
        let (license, client) = (any_replica(&license_item_key(license)), any_replica(&client_item_key(client)));
        let keys: Vec<&Key> = [&license, &client].into_iter().chain(further).collect();
        let mut items = self.read(&keys).await?;
        let license = find("license", &mut items, &license);
        let client = find("client", &mut items, &client);
        Ok((LicenseUse { license, client, captures_used: 0 }, items))
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
