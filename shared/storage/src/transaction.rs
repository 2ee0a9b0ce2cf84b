//! DynamoDB transactions, which write all of several items or none.

use std::{collections::HashMap, time::Duration};

use aws_sdk_dynamodb::{
    Client,
    error::SdkError,
    operation::transact_write_items::TransactWriteItemsError,
    types::{AttributeValue, CancellationReason, ConditionCheck, Delete, Put, TransactWriteItem, Update},
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use crate::{
    Error,
    budgets::InTime,
    error::{incomplete, unavailable},
    item::{self, Item},
};

pub(crate) type WriteError = SdkError<TransactWriteItemsError, HttpResponse>;

/// The condition that no item with the key exists.
pub(crate) const IS_NEW: Option<&str> = Some("attribute_not_exists(pk)");

/// The maximum number of attempts of a transaction that conflicts with other writes, unless the caller sets a time
/// limit.
const ROUNDS: u32 = 8;

/// The outcome of a transaction.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Everything was written.
    All,
    /// Nothing was written, because the conditions of these items do not hold.
    Refused(Vec<usize>),
}

/// Writes items in one transaction. Returns `false`, with nothing written, if a condition does not hold.
///
/// # Errors
/// [`Error::Unavailable`]: nothing was written, or the response was lost.
pub(crate) async fn write(client: &Client, items: Vec<TransactWriteItem>) -> Result<bool, Error> {
    Ok(try_write(client, items).await? == Written::All)
}

/// Like [`write()`], but returns which conditions do not hold. All attempts use one client request token: an attempt that
/// took effect while its response was lost does not make the next one fail on its own writes.
///
/// # Errors
/// [`Error::Unavailable`]: nothing was written, or the response was lost.
pub(crate) async fn try_write(client: &Client, items: Vec<TransactWriteItem>) -> Result<Written, Error> {
    let (mut round, token) = (0, crate::attempt_id());
    loop {
        let write = client.transact_write_items().client_request_token(&token).set_transact_items(Some(items.clone()));
        match write.send().in_time().await {
            Ok(_) => return Ok(Written::All),
            Err(error) if is_refused(&error) => return Ok(Written::Refused(refused_parts(&error))),
            Err(error) if is_conflict(&error) && round < ROUNDS => {}
            Err(error) => return Err(lost(&error)),
        }
        round += 1;
        tokio::time::sleep(backoff(round)).await;
    }
}

/// Describes a failed transaction for the log, with DynamoDB's reason for each item.
fn lost(error: &WriteError) -> Error {
    let reasons: Vec<&str> = reasons(error).iter().map(|reason| reason.code().unwrap_or("-")).collect();
    match reasons.as_slice() {
        [] => unavailable("TransactWriteItems", error),
        reasons => unavailable(&format!("TransactWriteItems [{}]", reasons.join(", ")), error),
    }
}

/// A random delay from an exponentially growing window (full jitter).
pub(crate) fn backoff(round: u32) -> Duration {
    let window = 20_u64 << round.min(5);
    Duration::from_millis(u64::from(u16::from_be_bytes(crate::entropy())) % window)
}

/// Whether a transaction failed only because it conflicts with another write of the same items, was throttled, or is
/// still running from an earlier attempt.
pub(crate) fn is_conflict(error: &WriteError) -> bool {
    let in_progress =
        matches!(error.as_service_error(), Some(TransactWriteItemsError::TransactionInProgressException(_)));
    let passing =
        |code: &str| matches!(code, "TransactionConflict" | "ThrottlingError" | "ProvisionedThroughputExceeded");
    let mut codes =
        reasons(error).iter().filter_map(CancellationReason::code).filter(|code| *code != "None").peekable();
    in_progress || (codes.peek().is_some() && codes.all(passing))
}

/// Whether a condition of the transaction did not hold.
pub(crate) fn is_refused(error: &WriteError) -> bool {
    !refused_parts(error).is_empty()
}

/// The indexes of the items whose conditions did not hold.
fn refused_parts(error: &WriteError) -> Vec<usize> {
    let parts = reasons(error).iter().enumerate();
    parts.filter(|(_, reason)| reason.code() == Some("ConditionalCheckFailed")).map(|(part, _)| part).collect()
}

fn reasons(error: &WriteError) -> &[CancellationReason] {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => cancelled.cancellation_reasons(),
        _ => &[],
    }
}

/// A put of an item. `condition` applies to the existing item, and `values` are its placeholders.
pub(crate) fn put(
    table: &str,
    item: Item,
    condition: Option<&str>,
    values: &[(&str, AttributeValue)],
) -> Result<TransactWriteItem, Error> {
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(item))
        .set_condition_expression(condition.map(str::to_owned))
        .set_expression_attribute_values(owned(values));
    Ok(TransactWriteItem::builder().put(put.build().map_err(incomplete)?).build())
}

/// An update of an item. `names` are placeholders for attribute names that DynamoDB reserves.
pub(crate) fn update(
    table: &str,
    key: Item,
    expression: &str,
    condition: &str,
    names: &[(&str, &str)],
    values: &[(&str, AttributeValue)],
) -> Result<TransactWriteItem, Error> {
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(key))
        .update_expression(expression)
        .condition_expression(condition)
        .set_expression_attribute_names(named(names))
        .set_expression_attribute_values(owned(values));
    Ok(TransactWriteItem::builder().update(update.build().map_err(incomplete)?).build())
}

/// An addition to a count of captures, which starts at 0.
pub(crate) fn add(table: &str, key: Item, captures: impl ToString) -> Result<TransactWriteItem, Error> {
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(key))
        .update_expression("ADD captures :captures SET v = :v")
        .expression_attribute_values(":captures", item::number(captures))
        .expression_attribute_values(":v", item::number(item::FORMAT));
    Ok(TransactWriteItem::builder().update(update.build().map_err(incomplete)?).build())
}

/// A condition on an item that the transaction does not write.
pub(crate) fn check(
    table: &str,
    key: Item,
    condition: &str,
    names: &[(&str, &str)],
    values: &[(&str, AttributeValue)],
) -> Result<TransactWriteItem, Error> {
    let check = ConditionCheck::builder()
        .table_name(table)
        .set_key(Some(key))
        .condition_expression(condition)
        .set_expression_attribute_names(named(names))
        .set_expression_attribute_values(owned(values));
    Ok(TransactWriteItem::builder().condition_check(check.build().map_err(incomplete)?).build())
}

/// A deletion. Without a condition it succeeds even if the item does not exist.
pub(crate) fn delete(
    table: &str,
    key: Item,
    condition: Option<&str>,
    values: &[(&str, AttributeValue)],
) -> Result<TransactWriteItem, Error> {
    let delete = Delete::builder()
        .table_name(table)
        .set_key(Some(key))
        .set_condition_expression(condition.map(str::to_owned))
        .set_expression_attribute_values(owned(values));
    Ok(TransactWriteItem::builder().delete(delete.build().map_err(incomplete)?).build())
}

fn named(names: &[(&str, &str)]) -> Option<HashMap<String, String>> {
    (!names.is_empty()).then(|| names.iter().map(|(name, of)| ((*name).to_owned(), (*of).to_owned())).collect())
}

fn owned(values: &[(&str, AttributeValue)]) -> Option<Item> {
    (!values.is_empty()).then(|| values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}
