//! Raising alerts: from the records of captures to what their licenses have reached; and counting the captures for operators.
//!
//! A record only says where to look. What counts is the exact count of the month, read strongly consistent: so a record
//! that comes twice, late or before an earlier one leads to the same alerts, and the store keeps each of them once.

use std::{collections::BTreeMap, sync::Arc};

use aws_lambda_events::dynamodb::EventRecord;
use futures_util::future::join_all;
use lacre_domain::{Alert, ClientId, Clock, LicenseId};
use lacre_storage::{Accounts, Connection, ITEM_FORMAT, Seen, Tally};
use serde::Deserialize;
use time::OffsetDateTime;

/// Raises alerts, with its ports.
pub(crate) struct RaiseAlerts {
    accounts: Accounts,
    alerts: lacre_storage::Alerts,
    tally: Tally,
    clock: Arc<dyn Clock>,
}

/// The outcome of a batch.
#[derive(Debug, Default)]
pub(crate) struct Raised {
    /// The alerts that were raised now, and not before.
    pub(crate) alerts: Vec<Alert>,
    /// The sequence number of the first record that must come again.
    pub(crate) failed: Option<String>,
}

/// The attributes that are read of a record: the license that counts the capture, and when.
#[derive(Debug, Deserialize)]
struct Recorded {
    #[serde(flatten)]
    counted: Counted,
    ingested_at: i64,
}

/// What a count is of.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    license_id: String,
    client_id: String,
    month: String,
}

/// Where a license's records lie in a batch.
struct Place {
    /// The first of them.
    first: usize,
    /// The day of the month of the last one.
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

    /// Raises what the captures among the records made their licenses reach, and counts them. A record that fails does not keep
    /// the others from being looked at: when it is given up at last, nothing behind it is lost with it.
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
                    tracing::error!(license = counted.license_id, cause, "alerts could not be raised");
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

    /// Raises what a license has reached in the month; answers with the alerts that are new, and the count.
    async fn reached(&self, counted: &Counted, day: u8) -> Result<(Vec<Alert>, Seen), String> {
        let (license, client) = (LicenseId(counted.license_id.clone()), ClientId(counted.client_id.clone()));
        let found = self.accounts.read_license(&license, &client, Some(&counted.month)).await;
        let found = found.map_err(|error| error.to_string())?;
        let license = found.license.map_err(|error| error.to_string())?.ok_or("the license does not exist")?;
        let (now, captures) = (self.clock.now(), found.captures_used);
        let raised = self.alerts.raise_reached(&license, &counted.month, captures, now).await;
        let raised = raised.map_err(|error| error.to_string())?;
        let (month, environment) = (counted.month.clone(), license.environment);
        Ok((raised, Seen { license: license.id, environment, month, day: Some(day), captures }))
    }
}

/// Reads the evidence of a record. The cause of a failure quotes nothing of it.
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
