//! The tally: counts of captures by environment for each day and month, and by license for each month, for operators.
//!
//! The limit of a license is enforced with the exact count that the commit writes. The tally follows that count with a
//! delay of seconds, so that nobody has to add up thousands of licenses. Invariant: an environment's numbers are
//! increased by the difference between a license's exact count and its count in the tally, which is replaced in the
//! same transaction. So captures that are seen twice, late or out of order are counted once.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::TransactWriteItem;
use lacre_domain::{Environment, LicenseId, capture::month_of};
use time::OffsetDateTime;

use crate::{
    Connection, Error,
    account_keys::{Key, key_item},
    accounts::shard_count,
    item::{self, Item, batch_get, number, take},
    transaction::{self, add, update},
};

/// The number of licenses per transaction. DynamoDB allows 100 items; the others are the environments' numbers.
const LICENSES: usize = 80;
/// The maximum number of attempts while another process counts the same licenses.
const ROUNDS: u32 = 6;

/// The exact count of a license in a month, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The license.
    pub license: LicenseId,
    /// Its environment.
    pub environment: Environment,
    /// The month, such as `2026-11`.
    pub month: String,
    /// The day of the month, from 1, to which the captures since the last count belong. `None` if the count was
    /// corrected by an operator; only then may it be lower than the last one.
    pub day: Option<u8>,
    /// The captures in the month.
    pub captures: u64,
}

/// The captures of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturesOf {
    /// The environment.
    pub environment: Environment,
    /// The captures of the current day (UTC).
    pub today: u64,
    /// The captures of the month.
    pub month: u64,
}

/// Reads and writes the tally, in the `Accounts` table.
#[derive(Clone, Debug)]
pub struct Tally {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Tally {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.accounts.read() }
    }

    /// Updates the tally to the given exact counts; each license may occur once.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`]: some may be counted; a repetition counts nothing twice.
    pub async fn follow(&self, seen: &[Seen]) -> Result<(), Error> {
        for seen in seen.chunks(LICENSES) {
            self.follow_chunk(seen).await?;
        }
        Ok(())
    }

    async fn follow_chunk(&self, seen: &[Seen]) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            let keys = seen.iter().map(|seen| item_key(counted_key(&seen.license, &seen.month))).collect();
            let mut counted = batch_get(&self.client, &self.table, keys).await?;
            let writes = self.writes(seen, &mut counted)?;
            if writes.is_empty() || transaction::write(&self.client, writes).await? {
                return Ok(());
            }
        }
        Err(Error::Unavailable(format!("counts changed {ROUNDS} times while they were followed")))
    }

    fn writes(&self, seen: &[Seen], counted: &mut Vec<Item>) -> Result<Vec<TransactWriteItem>, Error> {
        let mut writes = Vec::new();
        let mut differences = BTreeMap::<Key, i128>::new();
        for Seen { license, environment, month, day, captures } in seen {
            let key = item_key(counted_key(license, month));
            let before = take(counted, &key).as_ref().map(shard_count).transpose()?;
            let difference = i128::from(*captures) - i128::from(before.unwrap_or_default());
            // Another process may have counted a later count first.
            if difference == 0 || (difference < 0 && day.is_some()) {
                continue;
            }
            let mut values = vec![(":captures", number(captures)), (":v", number(item::FORMAT))];
            values.extend(before.map(|before| (":before", number(before))));
            let unchanged = if before.is_some() { "captures = :before" } else { "attribute_not_exists(captures)" };
            writes.push(update(&self.table, key, "SET captures = :captures, v = :v", unchanged, &[], &values)?);
            *differences.entry(month_key(month, *environment)).or_default() += difference;
            if let Some(day) = day {
                *differences.entry(day_key(month, *environment, *day)).or_default() += difference;
            }
        }
        for (key, difference) in differences {
            writes.push(add(&self.table, item_key(key), difference)?);
        }
        Ok(writes)
    }

    /// The captures of all environments, production first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_environments(&self, now: OffsetDateTime) -> Result<Vec<CapturesOf>, Error> {
        let now = now.to_offset(time::UtcOffset::UTC);
        let month = month_of(now);
        let keys =
            |environment| [day_key(&month, environment, now.day()), month_key(&month, environment)].map(item_key);
        let all = Environment::ALL.into_iter().flat_map(keys).collect();
        let mut items = batch_get(&self.client, &self.table, all).await?;
        let of = |environment| {
            let [today, month] = keys(environment).map(|key| count_at(&mut items, &key));
            Ok(CapturesOf { environment, today: today?, month: month? })
        };
        Environment::ALL.into_iter().map(of).collect()
    }

    /// The captures of the given licenses in a month, in the order of the licenses.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_licenses(&self, licenses: &[LicenseId], month: &str) -> Result<Vec<u64>, Error> {
        const BATCH: usize = 100;
        let mut counts = Vec::with_capacity(licenses.len());
        for licenses in licenses.chunks(BATCH) {
            let keys: Vec<Item> = licenses.iter().map(|license| item_key(counted_key(license, month))).collect();
            let mut items = batch_get(&self.client, &self.table, keys.clone()).await?;
            for key in &keys {
                counts.push(count_at(&mut items, key)?);
            }
        }
        Ok(counts)
    }
}

fn count_at(items: &mut Vec<Item>, key: &Item) -> Result<u64, Error> {
    take(items, key).as_ref().map_or(Ok(0), shard_count)
}

/// The key of a license's count in the tally.
fn counted_key(license: &LicenseId, month: &str) -> Key {
    (format!("counted#{license}"), month.to_owned())
}

fn month_key(month: &str, environment: Environment) -> Key {
    (format!("captures#{month}"), environment.name().to_owned())
}

fn day_key(month: &str, environment: Environment, day: u8) -> Key {
    (format!("captures#{month}"), format!("{}#{day:02}", environment.name()))
}

fn item_key((pk, sk): Key) -> Item {
    key_item(&pk, &sk)
}
