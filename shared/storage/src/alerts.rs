//! Alerts in the `Accounts` table: each stored once, an outbox of those that are not published yet, and a list of those that
//! nobody has acknowledged.
//!
//! Invariant: an alert, its copy under its month and its entries in outbox and list are written in one transaction, on the
//! condition that there is none of its kind for the license and month. So it is raised once however often its cause is seen,
//! and it leaves the outbox only after it was published: a publication that is lost is made again, and the alert stays stored.

use aws_sdk_dynamodb::types::TransactWriteItem;
use lacre_domain::{Alert, AuditEntry, ClientId, License, LicenseId, clock::epoch_millis};
use time::OffsetDateTime;

use crate::{
    Audit, Connection, Error,
    account_keys::{Key, key_item},
    item::{self, Item, batch_get, decode, encode, number, query, take, text},
    paging::{List, Listed, PageRequest},
    transaction::{self, IS_NEW, delete, put, update},
};

/// The partition of what was raised and not published.
const OUTBOX: &str = "alerts#unpublished";
/// The partition of what nobody has acknowledged, the oldest first.
const OPEN: &str = "alerts#open";

/// The port to the stored alerts.
#[derive(Clone, Debug)]
pub struct Alerts {
    client: aws_sdk_dynamodb::Client,
    table: String,
    audit: Audit,
}

impl Alerts {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.accounts.read(),
            audit: Audit::of_port(connection),
        }
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

    /// Every alert of a license, the oldest month first.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_license(&self, license: &LicenseId) -> Result<Vec<Alert>, Error> {
        self.read(&license_key(license), "").await
    }

    /// Every alert of a month, of one client or of all, by client and license.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_month(&self, month: &str, client: Option<&ClientId>) -> Result<Vec<Alert>, Error> {
        self.read(&month_key(month), &of_client(client)).await
    }

    /// The same, a page at a time.
    ///
    /// # Errors
    /// [`Error::InvalidCursor`], [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn page_of_month(
        &self,
        month: &str,
        client: Option<&ClientId>,
        page: &PageRequest,
    ) -> Result<Listed<Alert>, Error> {
        let (partition, prefix) = (month_key(month), of_client(client));
        List::of_accounts(&self.table, &partition, &prefix)
            .page(&self.client, page)
            .await?
            .read(|item| decode("alert", item))
    }

    /// The alerts that nobody has acknowledged, the latest first.
    ///
    /// # Errors
    /// [`Error::InvalidCursor`], [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn open(&self, page: &PageRequest) -> Result<Listed<Alert>, Error> {
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

    /// The number of alerts that nobody has acknowledged, as far as `most`; with whether there are more.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count_open(&self, most: usize) -> Result<(usize, bool), Error> {
        self.open_list().count(&self.client, most).await
    }

    /// Notes that an operator acknowledged an alert, with the audit entry of that. `false` when another one did before.
    ///
    /// # Errors
    /// [`Error::Repeated`], [`Error::NothingChanged`], [`Error::Unavailable`].
    pub async fn acknowledge(&self, alert: &Alert, entry: &AuditEntry) -> Result<bool, Error> {
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

/// The writes that raise an alert, also for a transaction that has more to write.
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

/// The keys of an alert: under its license, where it is unique; under its month; in the outbox; and in the list of open ones.
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

/// Where the alert of an entry in the list of open ones is stored.
fn alert_of_entry(entry: &Item) -> Option<Item> {
    let mut parts = entry.get("sk")?.as_s().ok()?.splitn(4, '#').skip(1);
    let (month, license, kind) = (parts.next()?, parts.next()?, parts.next()?);
    Some(key_item(&license_key(&LicenseId(license.to_owned())), &format!("{month}#{kind}")))
}

fn of_client(client: Option<&ClientId>) -> String {
    client.map(|client| format!("{client}#")).unwrap_or_default()
}

/// A partition of its own beside the license's: who may write alerts need not be able to write licenses.
fn license_key(license: &LicenseId) -> String {
    format!("alerts_of#{license}")
}

fn month_key(month: &str) -> String {
    format!("alerts#{month}")
}
