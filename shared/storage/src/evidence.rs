//! Scans of the whole `Evidence` table for operators: to count, export and compare records, and to find objects that no
//! record refers to.
//!
//! The table's only key is the capture's id, because captures need no other. So these operations read every record in
//! pages of up to 1 MB, strongly consistent, and filter them; each costs a full scan.

use std::collections::HashSet;

use aws_sdk_dynamodb::{
    operation::scan::builders::ScanFluentBuilder,
    types::{AttributeValue, Select},
};
use lacre_domain::{ClientId, EvidenceRecord, LicenseId};

use crate::{
    Connection, Error,
    budgets::InTime,
    error::unavailable,
    item::{Item, decode, encode, text, unless_refused},
};

/// Scans the evidence records.
#[derive(Clone, Debug)]
pub struct Evidence {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

/// A page of a scan of the evidence.
#[derive(Debug)]
pub struct Page<T = EvidenceRecord> {
    /// The records on this page.
    pub captures: Vec<T>,
    /// The start of the next page; `None` on the last one.
    pub next: Option<Next>,
}

/// The ids of all captures with records, and the keys of the objects that records refer to.
#[derive(Debug, Default)]
pub struct Named {
    /// The ids of the captures.
    pub captures: HashSet<String>,
    /// The keys of the objects.
    pub objects: HashSet<String>,
}

/// A record as it is stored in the table.
#[derive(Debug)]
pub struct FoundRecord {
    /// The item's key, a capture's id.
    pub capture_id: String,
    /// The record; an error if it does not have the form that this service writes.
    pub record: Result<EvidenceRecord, Error>,
}

/// The start of the next page.
#[derive(Clone, Debug)]
pub struct Next(pub(crate) Item);

impl Evidence {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.evidence.read() }
    }

    /// The captures of a client in a month (such as `2026-11`), page by page, in no particular order. A page may be
    /// empty without being the last.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_client(&self, client: &ClientId, month: &str, from: Option<Next>) -> Result<Page, Error> {
        let scan = self
            .scan(from.map(|Next(key)| key))
            .filter_expression("client_id = :client AND #month = :month")
            .expression_attribute_names("#month", "month")
            .expression_attribute_values(":client", text(client.to_string()))
            .expression_attribute_values(":month", text(month));
        let answer = scan.send().in_time().await.map_err(|error| unavailable("Scan", &error))?;
        let captures = answer.items.unwrap_or_default().into_iter().map(|item| decode("evidence", item));
        Ok(Page { captures: captures.collect::<Result<_, _>>()?, next: answer.last_evaluated_key.map(Next) })
    }

    /// The captures of a license, page by page, in no particular order. A page may be empty without being the last.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn of_license(&self, license: &LicenseId, from: Option<Next>) -> Result<Page, Error> {
        let scan = self
            .scan(from.map(|Next(key)| key))
            .filter_expression("license_id = :license")
            .expression_attribute_values(":license", text(license.to_string()));
        let answer = scan.send().in_time().await.map_err(|error| unavailable("Scan", &error))?;
        let captures = answer.items.unwrap_or_default().into_iter().map(|item| decode("evidence", item));
        Ok(Page { captures: captures.collect::<Result<_, _>>()?, next: answer.last_evaluated_key.map(Next) })
    }

    /// All records, page by page, in no particular order.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn all(&self, from: Option<Next>) -> Result<Page<FoundRecord>, Error> {
        let scan = self.scan(from.map(|Next(key)| key));
        let answer = scan.send().in_time().await.map_err(|error| unavailable("Scan", &error))?;
        let captures = answer.items.unwrap_or_default().into_iter().map(|item| FoundRecord {
            capture_id: string(&item, "capture_id").unwrap_or_default(),
            record: exact(item),
        });
        Ok(Page { captures: captures.collect(), next: answer.last_evaluated_key.map(Next) })
    }

    /// Puts a record if there is none yet. Returns `false` if there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn restore(&self, capture: &EvidenceRecord) -> Result<bool, Error> {
        let put = self.client.put_item().table_name(&self.table).set_item(Some(encode("evidence", capture, [])?));
        let put = put.condition_expression("attribute_not_exists(capture_id)");
        unless_refused("PutItem", put.send().in_time().await)
    }

    /// The number of a license's captures in a month, counted from the evidence records.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count(&self, license: &LicenseId, month: &str) -> Result<u64, Error> {
        let (mut count, mut from) = (0, None);
        loop {
            let scan = self
                .scan(from)
                .select(Select::Count)
                .filter_expression("license_id = :license AND #month = :month")
                .expression_attribute_names("#month", "month")
                .expression_attribute_values(":license", text(license.to_string()))
                .expression_attribute_values(":month", text(month));
            let answer = scan.send().in_time().await.map_err(|error| unavailable("Scan", &error))?;
            count += u64::try_from(answer.count).unwrap_or_default();
            from = answer.last_evaluated_key;
            if from.is_none() {
                return Ok(count);
            }
        }
    }

    /// The ids and object keys in all records.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Corrupt`] for a record without its manifest's key, because its objects would
    /// then wrongly count as unreferenced.
    pub async fn named(&self) -> Result<Named, Error> {
        let (mut named, mut from) = (Named::default(), None);
        loop {
            let scan = self.scan(from).projection_expression("capture_id, manifest_key, jpeg_key");
            let answer = scan.send().in_time().await.map_err(|error| unavailable("Scan", &error))?;
            for item in answer.items.unwrap_or_default() {
                named.captures.extend(string(&item, "capture_id"));
                named.objects.insert(string(&item, "manifest_key").ok_or_else(nameless)?);
                named.objects.extend(string(&item, "jpeg_key"));
            }
            from = answer.last_evaluated_key;
            if from.is_none() {
                return Ok(named);
            }
        }
    }

    fn scan(&self, from: Option<Item>) -> ScanFluentBuilder {
        self.client.scan().table_name(&self.table).consistent_read(true).set_exclusive_start_key(from)
    }
}

/// Reads a record from an image of the table's stream, with the checks of [`Evidence::all`].
///
/// # Errors
/// [`Error::Corrupt`] if the item does not have the form that this service writes.
pub fn read_record(image: serde_dynamo::Item) -> Result<EvidenceRecord, Error> {
    exact(image.into())
}

/// Parses a record, and checks that the item has exactly the attributes and values that this service writes.
///
/// # Errors
/// [`Error::Corrupt`].
pub(crate) fn exact(item: Item) -> Result<EvidenceRecord, Error> {
    let capture: EvidenceRecord = decode("evidence", item.clone())?;
    let written = AttributeValue::M(encode("evidence", &capture, [])?);
    match is_same(&written, &AttributeValue::M(item)) {
        true => Ok(capture),
        false => {
            Err(Error::Corrupt { what: "evidence", cause: "an attribute differs from what this service writes".into() })
        }
    }
}

/// Whether two attribute values are equal. DynamoDB may return a number in another notation than it was written.
fn is_same(a: &AttributeValue, b: &AttributeValue) -> bool {
    match (a, b) {
        (AttributeValue::M(a), AttributeValue::M(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| is_same(value, other)))
        }
        (AttributeValue::N(a), AttributeValue::N(b)) => a == b || a.parse::<f64>().ok() == b.parse::<f64>().ok(),
        (a, b) => a == b,
    }
}

fn string(item: &Item, attribute: &str) -> Option<String> {
    item.get(attribute)?.as_s().ok().cloned()
}

fn nameless() -> Error {
    Error::Corrupt { what: "evidence", cause: "a record does not name its manifest".into() }
}
