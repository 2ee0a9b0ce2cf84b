//! Rebuilds the count of a license's captures in a month from the evidence records.
//!
//! A capture writes its evidence and adds to a shard in one transaction. If all shards are unchanged since they were
//! read before the evidence was counted, no capture was committed in between, and the count is exact. So the shards are
//! replaced on that condition.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::TransactWriteItem;
use futures_util::future::try_join_all;
use lacre_domain::{AuditEntry, LicenseId, limits};

use crate::{
    Audit, ChangeError, Connection, Error,
    account_keys::{Key, key_item, volume_key},
    accounts::shard_count,
    item::{self, Item, batch_get, number, text},
    transaction::update,
};

/// The shards of a license and month, as they were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeShards {
    license: LicenseId,
    month: String,
    /// The count of each shard; `None` for a shard that does not exist yet.
    counts: Vec<Option<u64>>,
}

impl VolumeShards {
    /// The sum of the shards.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    fn keys(license: &LicenseId, month: &str) -> Vec<Key> {
        (0..limits::VOLUME_SHARDS).map(|shard| volume_key(license, month, shard)).collect()
    }
}

/// Reads and replaces volume counts.
#[derive(Clone, Debug)]
pub struct Volume {
    client: aws_sdk_dynamodb::Client,
    table: String,
    audit: Audit,
}

impl Volume {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.accounts.read(),
            audit: Audit::of_port(connection),
        }
    }

    /// Reads the shards with strong consistency.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, license: &LicenseId, month: &str) -> Result<VolumeShards, Error> {
        let keys: Vec<Item> = VolumeShards::keys(license, month).iter().map(|(pk, sk)| key_item(pk, sk)).collect();
        let mut items = batch_get(&self.client, &self.table, keys.clone()).await?;
        let counts = keys.iter().map(|key| item::take(&mut items, key).as_ref().map(shard_count).transpose());
        let counts = counts.collect::<Result<_, _>>()?;
        Ok(VolumeShards { license: license.clone(), month: month.to_owned(), counts })
    }

    /// Sets the shards to a sum of `total`, if they are unchanged since they were read. Returns `false`, without a
    /// change, if a capture was counted in the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn replace(&self, read: &VolumeShards, total: u64, entry: &AuditEntry) -> Result<bool, ChangeError> {
        let keys = VolumeShards::keys(&read.license, &read.month);
        let counts = (0..).map(|shard| if shard == 0 { total } else { 0 });
        let items = keys.iter().zip(&read.counts).zip(counts);
        let items = items.map(|((key, before), count)| self.set_shard(key, *before, count));
        self.audit.write(items.collect::<Result<_, _>>()?, entry).await
    }

    /// The captures of a license in each month since `from`, by month; months without captures are omitted. Makes one
    /// query for each shard, which has one small item per month.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn by_month(&self, license: &LicenseId, from: &str) -> Result<BTreeMap<String, u64>, Error> {
        let queries = VolumeShards::keys(license, from).into_iter().map(|(pk, first)| {
            let query = self
                .client
                .query()
                .table_name(&self.table)
                .consistent_read(true)
                .key_condition_expression("pk = :pk AND sk >= :first")
                .expression_attribute_values(":pk", text(pk))
                .expression_attribute_values(":first", text(first));
            item::found(query, usize::MAX, |_| true)
        });
        let mut months = BTreeMap::new();
        for item in try_join_all(queries).await?.into_iter().flatten() {
            let month = item.get("sk").and_then(|sk| sk.as_s().ok()).and_then(|sk| sk.split('#').nth(1));
            *months.entry(month.unwrap_or_default().to_owned()).or_default() += shard_count(&item)?;
        }
        Ok(months)
    }

    fn set_shard(&self, (pk, sk): &Key, before: Option<u64>, count: u64) -> Result<TransactWriteItem, Error> {
        let (set, mut values) =
            ("SET captures = :count, v = :v", vec![(":count", number(count)), (":v", number(item::FORMAT))]);
        values.extend(before.map(|before| (":before", number(before))));
        let unchanged = if before.is_some() { "captures = :before" } else { "attribute_not_exists(captures)" };
        update(&self.table, key_item(pk, sk), set, unchanged, &[], &values)
    }
}
