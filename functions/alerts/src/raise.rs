//! Raises the alerts that captures caused, and counts captures for operators.
//!
//! A record of the stream only says which license and month to check. The decision uses the exact count of the month,
//! from a strongly consistent read. So records that arrive twice, late or out of order lead to the same alerts, and the
//! store keeps each alert once.

use std::{collections::BTreeMap, sync::Arc};

use aws_lambda_events::dynamodb::EventRecord;
use futures_util::future::join_all;
use lacre_domain::{Alert, ClientId, Clock, LicenseId};
use lacre_storage::{Accounts, Connection, ITEM_FORMAT, Seen, Tally};
use serde::Deserialize;
use time::OffsetDateTime;

/// Raises the alerts that new captures cause.
pub(crate) struct RaiseAlerts {
    accounts: Accounts,
    alerts: lacre_storage::Alerts,
    tally: Tally,
    clock: Arc<dyn Clock>,
}

/// The outcome of a batch.
#[derive(Debug, Default)]
pub(crate) struct Raised {
    /// The alerts that this batch raised first.
    pub(crate) alerts: Vec<Alert>,
    /// The sequence number of the first record that Lambda has to redeliver.
    pub(crate) failed: Option<String>,
}

/// The attributes of an evidence record that are read: the license that the capture counts for, and the time.
#[derive(Debug, Deserialize)]
struct Recorded {
    #[serde(flatten)]
    counted: Counted,
    ingested_at: i64,
}

/// The license and month of a count.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    license_id: LicenseId,
    client_id: ClientId,
    month: String,
}

/// The records of one license in a batch.
struct Place {
    /// The index of its first record.
    first: usize,
    /// The day of the month of its last record.
    day: u8,
}

#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

impl RaiseAlerts {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self {
            accounts: Accounts::new(connection),
            alerts: lacre_storage::Alerts::new(connection),
            tally: Tally::new(connection),
            clock,
        }
    }

    /// Raises the alerts that the new captures among the records caused, and counts the captures. All records are
    /// checked, even after one failed: if Lambda finally discards the failed record, the records after it are not lost
    /// with it.
    pub(crate) async fn look_at(&self, records: &[EventRecord]) -> Raised {
        let mut failed = Vec::new();
        let mut places = BTreeMap::<Counted, Place>::new();
        for (place, record) in records.iter().enumerate().filter(|(_, record)| record.event_name == "INSERT") {
            match read(record) {
                Ok((counted, day)) => places.entry(counted).or_insert(Place { first: place, day }).day = day,
                Err(cause) => {
                    tracing::error!(sequence_number = sequence_number(record), cause, "a record cannot be read");
                    failed.push(place);
                }
            }
        }
        let (mut raised, mut seen) = (Raised::default(), Vec::new());
        let looked_at = join_all(places.iter().map(|(counted, place)| self.reached(counted, place.day))).await;
        for ((counted, place), outcome) in places.iter().zip(looked_at) {
            match outcome {
                Ok((alerts, count)) => {
                    raised.alerts.extend(alerts);
                    seen.push(count);
                }
                Err(cause) => {
                    tracing::error!(license = %counted.license_id, cause, "alerts could not be raised");
                    failed.push(place.first);
                }
            }
        }
        if let Err(cause) = self.tally.follow(&seen).await {
            tracing::error!(%cause, "captures were not counted for operators");
            failed.extend(places.values().map(|place| place.first));
        }
        raised.failed = failed.into_iter().min().map(|place| sequence_number(&records[place]).to_owned());
        raised
    }

    /// Raises the alerts that a license has reached in the month. Returns the new alerts and the count.
    async fn reached(&self, counted: &Counted, day: u8) -> Result<(Vec<Alert>, Seen), String> {
        let Counted { license_id, client_id, month } = counted;
        let found = self.accounts.read_license(license_id, client_id, Some(month)).await;
        let found = found.map_err(|error| error.to_string())?;
        let license = found.license.map_err(|error| error.to_string())?.ok_or("the license does not exist")?;
        let (now, captures) = (self.clock.now(), found.captures_used);
        let raised = self.alerts.raise_reached(&license, month, captures, now).await;
        let raised = raised.map_err(|error| error.to_string())?;
        let (month, environment) = (month.clone(), license.environment);
        Ok((raised, Seen { license: license.id, environment, month, day: Some(day), captures }))
    }
}

/// Reads the evidence record of a stream record. An error text contains no value of the record.
fn read(record: &EventRecord) -> Result<(Counted, u8), &'static str> {
    let item = record.change.new_image.clone();
    let version: Result<Versioned, _> = serde_dynamo::from_item(item.clone());
    if !version.is_ok_and(|version| version.v.to_string() == ITEM_FORMAT) {
        return Err("unknown format version");
    }
    let recorded: Recorded = serde_dynamo::from_item(item).map_err(|_| "an attribute is missing or not of its type")?;
    let at = OffsetDateTime::from_unix_timestamp(recorded.ingested_at.div_euclid(1000));
    Ok((recorded.counted, at.map_err(|_| "the time is out of range")?.day()))
}

fn sequence_number(record: &EventRecord) -> &str {
    record.change.sequence_number.as_deref().unwrap_or_default()
}
