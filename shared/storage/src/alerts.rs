//! Alerts in the `Accounts` table: each is stored once. An outbox lists the alerts that are not published yet, and
//! another list those that no operator has acknowledged.
//!
//! Invariant: an alert, its copy under its month and its entries in outbox and list are written in one transaction, on
//! the condition that the license has no alert of this kind in the month. So an alert is raised once, however often its
//! cause is seen. It leaves the outbox only after it was published: a lost publication is repeated, and the alert stays
//! stored.

use aws_sdk_dynamodb::types::TransactWriteItem;
use lacre_domain::{Alert, AuditEntry, ClientId, License, LicenseId, clock::epoch_millis};
use time::OffsetDateTime;

use crate::{
    Audit, ChangeError, Connection, Error,
    account_keys::{Key, key_item},
    item::{self, Item, batch_get, decode, encode, number, query, take, text},
    paging::{List, Listed, PageError, PageRequest},
    transaction::{self, IS_NEW, delete, put, update},
};

/// The partition of the outbox: alerts that are stored but not published.
const OUTBOX: &str = "alerts#unpublished";
/// The partition that lists unacknowledged alerts, oldest first.
const OPEN: &str = "alerts#open";

/// Stores and lists alerts.
#[derive(Clone, Debug)]
pub struct Alerts {
    client: aws_sdk_dynamodb::Client,
    table: String,
    audit: Audit,
}

impl Alerts {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.accounts.read(),
            audit: Audit::of_port(connection),
        }
    }

    /// Raises an alert. Returns `false`, without a change, if it was raised before.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn raise(&self, alert: &Alert) -> Result<bool, Error> {
        transaction::write(&self.client, raising(&self.table, alert)?).await
    }

    /// Raises the alerts whose thresholds a count of captures has reached, and returns those that are new. Existing
    /// alerts are read first, so that captures beyond a threshold cause no further writes.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`]. Some alerts may have been raised; they are in the outbox.
    pub async fn raise_reached(
        &self,
        license: &License,
        month: &str,
        captures_used: u64,
        now: OffsetDateTime,
    ) -> Result<Vec<Alert>, Error> {
        let reached = lacre_domain::alert::reached(captures_used, license);
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

    /// The alerts in the outbox. One that is corrupt has an error of its own.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn unpublished(&self) -> Result<Vec<Result<Alert, Error>>, Error> {
        let items = query(&self.client, &self.table, OUTBOX, "").await?;
        Ok(items.into_iter().map(|item| decode("alert", item)).collect())
    }

    /// Records that an alert was published, and removes it from the outbox. Idempotent.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn mark_published(&self, alert: &Alert, at: OffsetDateTime) -> Result<(), Error> {
        let keys = Keys::of(alert);
        let mark = |(pk, sk): &Key| {
            let at = number(epoch_millis(at));
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

    /// All alerts of a license, oldest month first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_license(&self, license: &LicenseId) -> Result<Vec<Alert>, Error> {
        self.read(&license_key(license), "").await
    }

    /// All alerts of a month, of one client or of all, ordered by client and license.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_month(&self, month: &str, client: Option<&ClientId>) -> Result<Vec<Alert>, Error> {
        self.read(&month_key(month), &of_client(client)).await
    }

    /// One page of the alerts of a month, in the order of [`Alerts::of_month`].
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn page_of_month(
        &self,
        month: &str,
        client: Option<&ClientId>,
        page: &PageRequest,
    ) -> Result<Listed<Alert>, PageError> {
        let (partition, prefix) = (month_key(month), of_client(client));
        List::of_accounts(&self.table, &partition, &prefix)
            .page(&self.client, page)
            .await?
            .read(|item| decode("alert", item))
    }

    /// The unacknowledged alerts, newest first.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn open(&self, page: &PageRequest) -> Result<Listed<Alert>, PageError> {
        let listed = self.open_list().page(&self.client, page).await?;
        let keys: Vec<Item> = listed.entries.iter().filter_map(alert_of_entry).collect();
        let mut found = match keys.is_empty() {
            true => Vec::new(),
            false => batch_get(&self.client, &self.table, keys.clone()).await?,
        };
        let alerts = keys.iter().filter_map(|key| take(&mut found, key)).map(|item| decode("alert", item));
        let alerts = alerts.collect::<Result<_, _>>()?;
        Ok(listed.with(alerts))
    }

    /// The number of unacknowledged alerts, up to `most`, and whether there are more.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count_open(&self, most: usize) -> Result<(usize, bool), Error> {
        self.open_list().count(&self.client, most).await
    }

    /// Records that an operator acknowledged an alert, with the audit entry. Returns `false` if an operator had already
    /// acknowledged it.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn acknowledge(&self, alert: &Alert, entry: &AuditEntry) -> Result<bool, ChangeError> {
        let keys = Keys::of(alert);
        let mark = |(pk, sk): &Key| {
            let values = [(":at", number(epoch_millis(entry.at))), (":by", text(&entry.principal))];
            let set = "SET acknowledged_at = :at, acknowledged_by = :by";
            let is_open = "attribute_exists(pk) AND attribute_not_exists(acknowledged_at)";
            update(&self.table, key_item(pk, sk), set, is_open, &[], &values)
        };
        let (pk, sk) = &keys.open;
        let items =
            vec![mark(&keys.of_license)?, mark(&keys.of_month)?, delete(&self.table, key_item(pk, sk), None, &[])?];
        self.audit.write(items, entry).await
    }

    fn open_list(&self) -> List<'_> {
        List::of_accounts(&self.table, OPEN, "").descending()
    }

    async fn read(&self, pk: &str, prefix: &str) -> Result<Vec<Alert>, Error> {
        let items = query(&self.client, &self.table, pk, prefix).await?;
        items.into_iter().map(|item| decode("alert", item)).collect()
    }
}

/// The writes that raise an alert, for use in a larger transaction.
pub(crate) fn raising(table: &str, alert: &Alert) -> Result<Vec<TransactWriteItem>, Error> {
    let keys = Keys::of(alert);
    let store = |(pk, sk): Key, condition| {
        put(table, encode("alert", alert, [("pk", text(pk)), ("sk", text(sk))])?, condition, &[])
    };
    let (pk, sk) = keys.open;
    let mut open = key_item(&pk, &sk);
    open.insert("v".into(), number(item::FORMAT));
    Ok(vec![
        store(keys.of_license, IS_NEW)?,
        store(keys.of_month, None)?,
        store(keys.outbox, None)?,
        put(table, open, None, &[])?,
    ])
}

/// The keys of an alert's items: under its license, where it is unique; under its month; in the outbox; in the list of
/// unacknowledged alerts.
struct Keys {
    of_license: Key,
    of_month: Key,
    outbox: Key,
    open: Key,
}

impl Keys {
    fn of(alert: &Alert) -> Self {
        let Alert { license_id, client_id, month, .. } = alert;
        let kind = alert.kind.name();
        Self {
            of_license: (license_key(license_id), format!("{month}#{kind}")),
            of_month: (month_key(month), format!("{client_id}#{license_id}#{kind}")),
            outbox: (OUTBOX.into(), format!("{month}#{license_id}#{kind}")),
            open: (OPEN.into(), format!("{:013}#{month}#{license_id}#{kind}", epoch_millis(alert.raised_at))),
        }
    }
}

/// The key of the alert that an entry in the list of unacknowledged alerts refers to.
fn alert_of_entry(entry: &Item) -> Option<Item> {
    let mut parts = entry.get("sk")?.as_s().ok()?.splitn(4, '#').skip(1);
    let (month, license, kind) = (parts.next()?, parts.next()?, parts.next()?);
    Some(key_item(&license_key(&LicenseId::parse(license).ok()?), &format!("{month}#{kind}")))
}

fn of_client(client: Option<&ClientId>) -> String {
    client.map(|client| format!("{client}#")).unwrap_or_default()
}

/// The partition of a license's alerts. It is separate from the license's, so that a role can write alerts without
/// being able to write licenses.
fn license_key(license: &LicenseId) -> String {
    format!("alerts_of#{license}")
}

fn month_key(month: &str) -> String {
    format!("alerts#{month}")
}
