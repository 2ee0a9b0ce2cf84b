//! Alerts in the `Accounts` table: each stored once, and an outbox of those that are not published yet.
//!
//! Invariant: an alert, its copy under its month and its entry in the outbox are written in one transaction, on the condition
//! that there is none of its kind for the license and month. So it is raised once however often its cause is seen, and it
//! leaves the outbox only after it was published: a publication that is lost is made again, and the alert stays stored.

use aws_sdk_dynamodb::types::TransactWriteItem;
use domain::{Alert, AlertKind, ClientId, License, LicenseId};
use time::OffsetDateTime;

use crate::{
    Connection, Error,
    account_keys::{Key, key_item},
    item::{decode, encode, number, query, text},
    transaction::{self, IS_NEW, delete, put, update},
};

/// The partition of what was raised and not published.
const OUTBOX: &str = "alerts#unpublished";

/// The port to the stored alerts.
#[derive(Clone, Debug)]
pub struct Alerts {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Alerts {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.accounts.clone() }
    }

    /// Raises an alert. `false` when it was raised before: then nothing changes.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn raise(&self, alert: &Alert) -> Result<bool, Error> {
        transaction::write(&self.client, raising(&self.table, alert)?).await
    }

    /// Raises what a count of captures has reached under a license and was not raised before; answers with that. What is
    /// there is looked at first: the captures behind a threshold find it raised, and write nothing.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`]: some may have been raised; they are in the outbox.
    pub async fn raise_reached(
        &self,
        license: &License,
        month: &str,
        captures_used: u64,
        now: OffsetDateTime,
    ) -> Result<Vec<Alert>, Error> {
        let reached = AlertKind::reached(captures_used, license);
        if reached.is_empty() {
            return Ok(Vec::new());
        }
        let before = self.of_license(&license.id).await?;
        let is_there = |kind| before.iter().any(|alert| alert.kind == kind && alert.month == month);
        let mut raised = Vec::new();
        for kind in reached.into_iter().filter(|kind| !is_there(*kind)) {
            let alert = Alert::of_volume(kind, license, month, captures_used, now);
            if self.raise(&alert).await? {
                raised.push(alert);
            }
        }
        Ok(raised)
    }

    /// The alerts that are still to be published; one that cannot be read is an error of its own.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn unpublished(&self) -> Result<Vec<Result<Alert, Error>>, Error> {
        let items = query(&self.client, &self.table, OUTBOX, "").await?;
        Ok(items.into_iter().map(|item| decode("alert", item)).collect())
    }

    /// Notes that an alert was published, and takes it out of the outbox. To repeat it changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn mark_published(&self, alert: &Alert, at: OffsetDateTime) -> Result<(), Error> {
        let keys = Keys::of(alert);
        let mark = |(pk, sk): &Key| {
            let at = number(domain::clock::epoch_millis(at));
            let (set, there) = ("SET published_at = if_not_exists(published_at, :at)", "attribute_exists(pk)");
            update(&self.table, key_item(pk, sk), set, there, &[], &[(":at", at)])
        };
        let (pk, sk) = &keys.outbox;
        let items =
            vec![mark(&keys.of_license)?, mark(&keys.of_month)?, delete(&self.table, key_item(pk, sk), None, &[])?];
        match transaction::write(&self.client, items).await? {
            true => Ok(()),
            false => Err(Error::Corrupt { what: "alert", cause: "in the outbox and not stored".into() }),
        }
    }

    /// Every alert of a license, the oldest month first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_license(&self, license: &LicenseId) -> Result<Vec<Alert>, Error> {
        self.read(&license_key(license), "").await
    }

    /// Every alert of a month, of one client or of all.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_month(&self, month: &str, client: Option<&ClientId>) -> Result<Vec<Alert>, Error> {
        let prefix = client.map(|client| format!("{client}#")).unwrap_or_default();
        self.read(&month_key(month), &prefix).await
    }

    async fn read(&self, pk: &str, prefix: &str) -> Result<Vec<Alert>, Error> {
        let items = query(&self.client, &self.table, pk, prefix).await?;
        items.into_iter().map(|item| decode("alert", item)).collect()
    }
}

/// The writes that raise an alert, also for a transaction that has more to write.
pub(crate) fn raising(table: &str, alert: &Alert) -> Result<Vec<TransactWriteItem>, Error> {
    let keys = Keys::of(alert);
    let store = |(pk, sk): Key, condition| {
        put(table, encode("alert", alert, [("pk", text(pk)), ("sk", text(sk))])?, condition, &[])
    };
    Ok(vec![store(keys.of_license, IS_NEW)?, store(keys.of_month, None)?, store(keys.outbox, None)?])
}

/// The keys of an alert: under its license, where it is unique; under its month; and in the outbox.
struct Keys {
    of_license: Key,
    of_month: Key,
    outbox: Key,
}

impl Keys {
    fn of(alert: &Alert) -> Self {
        let Alert { license_id, client_id, month, .. } = alert;
        let kind = alert.kind.name();
        Self {
            of_license: (license_key(license_id), format!("{month}#{kind}")),
            of_month: (month_key(month), format!("{client_id}#{license_id}#{kind}")),
            outbox: (OUTBOX.into(), format!("{month}#{license_id}#{kind}")),
        }
    }
}

/// A partition of its own beside the license's: who may write alerts need not be able to write licenses.
fn license_key(license: &LicenseId) -> String {
    format!("alerts_of#{license}")
}

fn month_key(month: &str) -> String {
    format!("alerts#{month}")
}
