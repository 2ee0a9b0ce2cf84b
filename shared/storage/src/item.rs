//! Conversion of records to and from DynamoDB items. Each item has the version of its format in the attribute `v`. An
//! item of another version, or one that cannot be parsed, is reported as corrupt.

use std::{collections::HashMap, time::Duration};

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::query::builders::QueryFluentBuilder,
    types::{AttributeValue, KeysAndAttributes, WriteRequest},
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Error,
    budgets::{InTime, until_deadline},
    error::{incomplete, unavailable},
    transaction::backoff,
};

pub(crate) type Item = HashMap<String, AttributeValue>;

/// The format version of all items that are written today.
pub const FORMAT: &str = "1";

/// The maximum number of requests for the unprocessed keys of a batch.
const BATCH_ROUNDS: u32 = 4;

/// The maximum number of items that DynamoDB writes in one batch.
pub(crate) const BATCH_WRITES: usize = 25;
/// The maximum number of attempts at the items that a batch left unwritten.
const WRITE_ROUNDS: u32 = 6;

pub(crate) fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

pub(crate) fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// Converts a record to an item with its format version and its key.
pub(crate) fn encode<T: Serialize>(
    what: &'static str,
    record: &T,
    key: impl IntoIterator<Item = (&'static str, AttributeValue)>,
) -> Result<Item, Error> {
    let mut item = value(what, record)?;
    item.insert("v".into(), number(FORMAT));
    item.extend(key.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Ok(item)
}

/// Converts a record to the attributes of a map.
pub(crate) fn value<T: Serialize>(what: &'static str, record: &T) -> Result<Item, Error> {
    serde_dynamo::to_item(record).map_err(|error| Error::Corrupt { what, cause: error.to_string() })
}

/// Parses a record; unknown attributes are ignored.
pub(crate) fn decode<T: DeserializeOwned>(what: &'static str, item: Item) -> Result<T, Error> {
    let corrupt = |cause: String| Error::Corrupt { what, cause };
    match item.get("v") {
        Some(AttributeValue::N(version)) if version == FORMAT => {}
        _ => return Err(corrupt("unknown format version".into())),
    }
    // serde's error messages can quote a value, so they are not passed on.
    serde_dynamo::from_item(item).map_err(|_| corrupt("an attribute is missing or not of its type".into()))
}

/// Whether an item's expiry, in seconds of the Unix epoch in `attribute`, has passed. TTL deletes items with a delay.
pub(crate) fn is_past(item: &Item, attribute: &str, now: i64) -> bool {
    let expiry = item.get(attribute).and_then(|value| value.as_n().ok()).and_then(|text| text.parse::<i64>().ok());
    expiry.is_some_and(|expiry| now >= expiry)
}

/// Reads up to 100 items of one table with strong consistency. Takes one round trip unless DynamoDB leaves keys
/// unprocessed. The items are in no particular order.
pub(crate) async fn batch_get(
    client: &aws_sdk_dynamodb::Client,
    table: &str,
    keys: Vec<Item>,
) -> Result<Vec<Item>, Error> {
    let mut found = batch_get_from(client, HashMap::from([(table, keys)])).await?;
    Ok(found.remove(table).unwrap_or_default())
}

/// Like [`batch_get`], for several tables and 100 items in total. Tables without keys are omitted.
pub(crate) async fn batch_get_from(
    client: &aws_sdk_dynamodb::Client,
    wanted: HashMap<&str, Vec<Item>>,
) -> Result<HashMap<String, Vec<Item>>, Error> {
    let request = |keys| KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build();
    let wanted = wanted
        .into_iter()
        .filter(|(_, keys)| !keys.is_empty())
        .map(|(table, keys)| Ok((table.to_owned(), request(keys)?)))
        .collect::<Result<HashMap<_, _>, _>>()
        .map_err(incomplete)?;
    read_batch(client, wanted).await
}

/// Like [`batch_get`], with a projection of attributes.
pub(crate) async fn batch_get_of(
    client: &aws_sdk_dynamodb::Client,
    table: &str,
    wanted: KeysAndAttributes,
) -> Result<Vec<Item>, Error> {
    let mut found = read_batch(client, HashMap::from([(table.to_owned(), wanted)])).await?;
    Ok(found.remove(table).unwrap_or_default())
}

async fn read_batch(
    client: &aws_sdk_dynamodb::Client,
    mut wanted: HashMap<String, KeysAndAttributes>,
) -> Result<HashMap<String, Vec<Item>>, Error> {
    const OPERATION: &str = "BatchGetItem";
    let mut found = HashMap::<String, Vec<Item>>::new();
    for round in 0..BATCH_ROUNDS {
        if round > 0 {
            tokio::time::sleep(Duration::from_millis(50 << round)).await;
        }
        let batch = client.batch_get_item().set_request_items(Some(wanted));
        let answer = batch.send().in_time().await.map_err(|error| unavailable(OPERATION, &error))?;
        for (table, items) in answer.responses.unwrap_or_default() {
            found.entry(table).or_default().extend(items);
        }
        wanted = answer.unprocessed_keys.unwrap_or_default();
        if wanted.is_empty() {
            return Ok(found);
        }
    }
    Err(Error::Unavailable(format!("{OPERATION} left items unread {BATCH_ROUNDS} times")))
}

/// Makes up to [`BATCH_WRITES`] writes to one table, in no particular order and without conditions.
pub(crate) async fn batch_write(
    client: &aws_sdk_dynamodb::Client,
    table: &str,
    mut waiting: Vec<WriteRequest>,
) -> Result<(), Error> {
    const OPERATION: &str = "BatchWriteItem";
    for round in 0..WRITE_ROUNDS {
        if round > 0 {
            tokio::time::sleep(backoff(round)).await;
        }
        let batch = client.batch_write_item().request_items(table, waiting);
        let answer = batch.send().in_time().await.map_err(|error| unavailable(OPERATION, &error))?;
        waiting = answer.unprocessed_items.and_then(|mut left| left.remove(table)).unwrap_or_default();
        if waiting.is_empty() {
            return Ok(());
        }
    }
    Err(Error::Unavailable(format!("{OPERATION} left items unwritten {WRITE_ROUNDS} times")))
}

/// All items of a partition whose sort key begins with `prefix`, strongly consistent, ordered by sort key.
pub(crate) async fn query(
    client: &aws_sdk_dynamodb::Client,
    table: &str,
    pk: &str,
    prefix: &str,
) -> Result<Vec<Item>, Error> {
    // DynamoDB rejects an empty string in a key condition, even as a prefix.
    let (condition, prefix) = match prefix {
        "" => ("pk = :pk", None),
        prefix => ("pk = :pk AND begins_with(sk, :prefix)", Some((":prefix".to_owned(), text(prefix)))),
    };
    let values = prefix.into_iter().chain([(":pk".to_owned(), text(pk))]).collect();
    let query = client
        .query()
        .table_name(table)
        .key_condition_expression(condition)
        .set_expression_attribute_values(Some(values))
        .consistent_read(true);
    found(query, usize::MAX, |_| true).await
}

/// Up to `most` items that a query finds and `wanted` accepts. Follows several result pages if needed, because a page
/// of DynamoDB ends at 1 MB.
pub(crate) async fn found(
    query: QueryFluentBuilder,
    most: usize,
    wanted: impl Fn(&Item) -> bool,
) -> Result<Vec<Item>, Error> {
    let mut pages = query.into_paginator().items().send();
    let mut items = Vec::new();
    while items.len() < most {
        match until_deadline(pages.next()).await {
            Ok(Some(Ok(item))) if wanted(&item) => items.push(item),
            Ok(Some(Ok(_))) => {}
            Ok(Some(Err(error))) => return Err(unavailable("Query", &error)),
            Ok(None) => break,
            Err(up) => return Err(Error::Unavailable(format!("Query: {up}"))),
        }
    }
    Ok(items)
}

/// Removes the item with a given key from the result of a batch.
pub(crate) fn take(items: &mut Vec<Item>, key: &Item) -> Option<Item> {
    let index = items.iter().position(|item| holds(item, key))?;
    Some(items.swap_remove(index))
}

/// Whether an item has the given key.
pub(crate) fn holds(item: &Item, key: &Item) -> bool {
    key.iter().all(|(name, value)| item.get(name) == Some(value))
}

/// Whether a conditional write took effect. A condition that does not hold is not an error.
pub(crate) fn unless_refused<T, E>(operation: &str, answer: Result<T, SdkError<E, HttpResponse>>) -> Result<bool, Error>
where
    E: ProvideErrorMetadata,
{
    match answer {
        Ok(_) => Ok(true),
        Err(error) if error.code() == Some("ConditionalCheckFailedException") => Ok(false),
        Err(error) => Err(unavailable(operation, &error)),
    }
}
