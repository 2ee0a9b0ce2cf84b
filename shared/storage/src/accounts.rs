//! The `Accounts` table: clients, API keys, licenses and their keys, volume shards, signer profiles and their staples.
//!
//! Its primary key is `pk` and `sk`; no item expires. This module contains what functions read; of replicated records
//! it reads any replica. Operators write these records through the register, and the commit of a capture writes volume
//! shards.

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
        license_key_key, profile_key, staple_key, volume_key,
    },
    item::{self, Item, batch_get, decode},
    staples::{STAPLE, StoredStaple},
};

/// The records that are read to create a session.
#[derive(Debug)]
pub struct CreateKeys {
    /// The API key's record.
    pub api_key: Result<Option<ApiKeyRecord>, Error>,
    /// The license key's record.
    pub license_key: Result<Option<LicenseKeyRecord>, Error>,
}

/// A license, its client and its usage, as they were read.
#[derive(Debug)]
pub struct LicenseUse {
    /// The license.
    pub license: Result<Option<License>, Error>,
    /// The client whose id the caller gave.
    pub client: Result<Option<Client>, Error>,
    /// Captures of the month that the caller gave; 0 if it gave none.
    pub captures_used: u64,
}

/// A license and the signer profile of its session's environment, as they were read.
#[derive(Debug)]
pub struct LicenseAndSigner {
    /// The license, with its client.
    pub license: LicenseUse,
    /// The signer profile in force, if there is one; its own error if it is corrupt.
    pub signer: Result<Option<SignerProfile>, Error>,
    /// The OCSP response (`OCSPResponse` in DER) about the certificate of the claim signer, if one is stored; its own error
    /// if it is corrupt.
    pub staple: Result<Option<Vec<u8>>, Error>,
}

/// Why a license must not be used, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum LicenseUnusable {
    /// The license's record is corrupt.
    #[error(transparent)]
    Unreadable(Error),
    /// No license has this id.
    #[error("the license does not exist")]
    Missing,
    /// The license exists but may not be used.
    #[error(transparent)]
    NotInForce(LicenseFault),
    /// The client's record is corrupt.
    #[error(transparent)]
    ClientUnreadable(Error),
    /// No client has this id.
    #[error("the client does not exist")]
    ClientMissing,
    /// The license belongs to another client.
    #[error("the license belongs to another client")]
    Foreign,
}

impl LicenseUse {
    /// Returns the license if it may be used at `now` and belongs to the client that the caller named. Every function
    /// that uses a license calls this, and maps the errors to its own refusals.
    ///
    /// # Errors
    /// The first [`LicenseUnusable`] that applies.
    pub fn check(self, now: OffsetDateTime) -> Result<License, LicenseUnusable> {
        let license = self.license.map_err(LicenseUnusable::Unreadable)?.ok_or(LicenseUnusable::Missing)?;
        // A client that could not be read is reported later: a fault of the license itself takes precedence.
        let status =
            self.client.as_ref().ok().and_then(Option::as_ref).map_or(ClientStatus::Active, |client| client.status);
        license.check_usable(status, now).map_err(LicenseUnusable::NotInForce)?;
        let client = self.client.map_err(LicenseUnusable::ClientUnreadable)?.ok_or(LicenseUnusable::ClientMissing)?;
        if license.client_id == client.id { Ok(license) } else { Err(LicenseUnusable::Foreign) }
    }
}

/// Reads the records of the `Accounts` table that requests need.
#[derive(Clone, Debug)]
pub struct Accounts {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Accounts {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.accounts.read() }
    }

    /// Reads the records of both keys in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`]. Each record that is corrupt has an error of its own in the result.
    pub async fn read_create_keys(&self, api_key: &KeyHash, license_key: &KeyHash) -> Result<CreateKeys, Error> {
        let (api_key, license_key) = (api_key_key(api_key), any_replica(&license_key_key(license_key)));
        let mut items = self.read(&[&api_key, &license_key]).await?;
        Ok(CreateKeys {
            api_key: find("API key", &mut items, &api_key),
            license_key: find("license key", &mut items, &license_key),
        })
    }

    /// Reads the record of an API key.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read_api_key(&self, key: &KeyHash) -> Result<Option<ApiKeyRecord>, Error> {
        let key = api_key_key(key);
        find("API key", &mut self.read(&[&key]).await?, &key)
    }

    /// Reads the record of a license key.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read_license_key(&self, key: &KeyHash) -> Result<Option<LicenseKeyRecord>, Error> {
        let key = any_replica(&license_key_key(key));
        find("license key", &mut self.read(&[&key]).await?, &key)
    }

    /// Reads the id of the license for hosted sessions of a client's environment; `None` if operators chose none.
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

    /// Reads a license with a client and, if `month` is given, the count of captures in that month, in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Corrupt`] for a volume shard. License and client have errors of their own in
    /// the result.
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

    /// Reads a license with a client and the signer profile in force with its staple, in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`]. Each record that is corrupt has an error of its own in the result.
    pub async fn read_license_and_signer(
        &self,
        license: &LicenseId,
        client: &ClientId,
        environment: Environment,
    ) -> Result<LicenseAndSigner, Error> {
        let further = [profile_key, staple_key].map(|key| any_replica(&key(environment)));
        let (license, mut items) = self.read_license_beside(license, client, &further).await?;
        let [signer, staple] = &further;
        let signer = find("signer profile", &mut items, signer);
        let staple: Result<Option<StoredStaple>, Error> = find(STAPLE, &mut items, staple);
        let staple = staple.map(|stored| stored.map(|stored| stored.response));
        Ok(LicenseAndSigner { license, signer, staple })
    }

    /// Reads a license with a client, and further items in the same round trip.
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

    pub(crate) async fn read(&self, keys: &[&Key]) -> Result<Vec<Item>, Error> {
        let keys = keys.iter().map(|(pk, sk)| key_item(pk, sk)).collect();
        batch_get(&self.client, &self.table, keys).await
    }
}

/// Takes the item with this key and decodes it.
pub(crate) fn find<T: DeserializeOwned>(
    what: &'static str,
    items: &mut Vec<Item>,
    (pk, sk): &Key,
) -> Result<Option<T>, Error> {
    item::take(items, &key_item(pk, sk)).map(|item| decode(what, item)).transpose()
}

pub(crate) fn shard_count(item: &Item) -> Result<u64, Error> {
    let corrupt = || Error::Corrupt { what: "volume shard", cause: "no count".into() };
    let Some(AttributeValue::N(count)) = item.get("captures") else { return Err(corrupt()) };
    let known = item.get("v").and_then(|v| v.as_n().ok()).is_some_and(|v| v == item::FORMAT);
    count.parse().ok().filter(|_| known).ok_or_else(corrupt)
}
