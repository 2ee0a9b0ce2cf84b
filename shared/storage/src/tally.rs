//! How many captures there are: of each environment by day and month, and of each license by month, for operators.
//!
//! What refuses a capture is the exact count of its license, which the commit adds to. These numbers follow that count, seconds
//! behind, so that nobody has to add up thousands of licenses. Invariant: what is added to an environment's numbers is the
//! difference between a license's count and what was counted of it before, which is replaced in the same transaction. So
//! captures that are seen twice, late or out of order are counted once.

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

/// DynamoDB writes 100 items in one transaction; the others are the environments' numbers.
const LICENSES: usize = 80;
/// The number of attempts while another process counts the same licenses.
const ROUNDS: u32 = 6;

/// A license's exact count of a month, as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The license.
    pub license: LicenseId,
    /// Its environment.
    pub environment: Environment,
    /// The month: `2026-11`.
    pub month: String,
    /// The day of the month, from 1, that the captures since the last count are of. `None` for a count that was corrected: only
    /// such a one may be lower than the last.
    pub day: Option<u8>,
    /// The captures of the month.
    pub captures: u64,
}

/// The captures of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturesOf {
    /// The environment.
    pub environment: Environment,
    /// The captures of the day, UTC.
    pub today: u64,
    /// The captures of the month.
    pub month: u64,
}

/// The port to the numbers, in the `Accounts` table.
#[derive(Clone, Debug)]
pub struct Tally {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Tally {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.accounts.read() }
    }

    /// Brings the numbers up to what was seen of some licenses, each of them once.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`]: some may be counted; to repeat it counts nothing twice.
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
            // Another process may have seen a later count first.
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

    /// The captures of every environment, production first.
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

    /// The captures of some licenses in a month, in their order.
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

/// What was counted of a license in a month.
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
