//! The whole `Evidence` table, page by page, for operators: to count, to export, to find what no record names.
//!
//! The table's key is the capture's id, which is all that a capture needs. So these read every record and keep what is asked for:
//! a megabyte a page, strongly consistent, at the price of a full scan.

use std::collections::HashSet;

use aws_sdk_dynamodb::{operation::scan::builders::ScanFluentBuilder, types::Select};
use domain::{Capture, ClientId, LicenseId};

use crate::{
    Connection, Error,
    budgets::InTime,
    error::unavailable,
    item::{Item, decode, text},
};

/// The port to all of the evidence.
#[derive(Clone, Debug)]
pub struct Evidence {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

/// A page of a scan of the evidence.
#[derive(Debug)]
pub struct Page {
    /// The records.
    pub captures: Vec<Capture>,
    /// The start of the next page; `None` after the last.
    pub next: Option<Next>,
}

/// The start of the next page.
#[derive(Clone, Debug)]
pub struct Next(Item);

impl Evidence {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.evidence.clone() }
    }

    /// The captures of a client in a month (`2026-11`), a page at a time, in no order. A page may be empty and not the last.
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

    /// The number of captures of a license in a month, by the evidence.
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

    /// The keys of all objects that a record names.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Corrupt`] for a record without its manifest's key: nothing may be taken for unnamed then.
    pub async fn object_keys(&self) -> Result<HashSet<String>, Error> {
        let (mut keys, mut from) = (HashSet::new(), None);
        loop {
            let scan = self.scan(from).projection_expression("manifest_key, jpeg_key");
            let answer = scan.send().in_time().await.map_err(|error| unavailable("Scan", &error))?;
            for item in answer.items.unwrap_or_default() {
                keys.insert(object_key(&item, "manifest_key").ok_or_else(nameless)?);
                keys.extend(object_key(&item, "jpeg_key"));
            }
            from = answer.last_evaluated_key;
            if from.is_none() {
                return Ok(keys);
            }
        }
    }

    fn scan(&self, from: Option<Item>) -> ScanFluentBuilder {
        self.client.scan().table_name(&self.table).consistent_read(true).set_exclusive_start_key(from)
    }
}

fn object_key(item: &Item, attribute: &str) -> Option<String> {
    item.get(attribute)?.as_s().ok().cloned()
}

fn nameless() -> Error {
    Error::Corrupt { what: "evidence", cause: "a record names no manifest".into() }
}
