//! Transactions: all writes of several items, or none.

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
    error::unavailable,
    item::{self, Item},
};

pub(crate) type WriteError = SdkError<TransactWriteItemsError, HttpResponse>;

/// The condition that nothing is there yet.
pub(crate) const IS_NEW: Option<&str> = Some("attribute_not_exists(pk)");

/// How often a transaction that conflicts with other writes is tried, where nothing else bounds it.
const ROUNDS: u32 = 8;

/// How a transaction ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Everything was written.
    All,
    /// Nothing was, because the conditions of these parts do not hold.
    Refused(Vec<usize>),
}

/// Makes writes together. `false` when a condition among them does not hold: then nothing was written.
///
/// # Errors
/// [`Error::Unavailable`]: nothing was written, or the answer was lost.
pub(crate) async fn write(client: &Client, items: Vec<TransactWriteItem>) -> Result<bool, Error> {
    Ok(try_write(client, items).await? == Written::All)
}

/// The same, with the parts that were refused. All tries are one request to DynamoDB, so that a try which took effect and whose
/// answer was lost is not refused by what it wrote.
///
/// # Errors
/// [`Error::Unavailable`]: nothing was written, or the answer was lost.
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

/// Names a failed transaction for the log, with what DynamoDB says of each part.
fn lost(error: &WriteError) -> Error {
    let reasons: Vec<&str> = reasons(error).iter().map(|reason| reason.code().unwrap_or("-")).collect();
    match reasons.as_slice() {
        [] => unavailable("TransactWriteItems", error),
        reasons => unavailable(&format!("TransactWriteItems [{}]", reasons.join(", ")), error),
    }
}

/// Full jitter over an exponentially growing window.
pub(crate) fn backoff(round: u32) -> Duration {
    let window = 20_u64 << round.min(5);
    Duration::from_millis(u64::from(u16::from_be_bytes(crate::entropy())) % window)
}

/// Whether a transaction was not carried out for no other reason than a conflict with another write of the same items, or
/// itself, sent before and still under way.
pub(crate) fn is_conflict(error: &WriteError) -> bool {
    let in_progress =
        matches!(error.as_service_error(), Some(TransactWriteItemsError::TransactionInProgressException(_)));
    let passing =
        |code: &str| matches!(code, "TransactionConflict" | "ThrottlingError" | "ProvisionedThroughputExceeded");
    let mut codes =
        reasons(error).iter().filter_map(CancellationReason::code).filter(|code| *code != "None").peekable();
    in_progress || (codes.peek().is_some() && codes.all(passing))
}

/// Whether a condition did not hold.
pub(crate) fn is_refused(error: &WriteError) -> bool {
    !refused_parts(error).is_empty()
}

/// The parts whose conditions do not hold.
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

/// A put of an item. `condition` must hold of what is there, `values` are its.
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

/// An update of an item. `names` are those of its attributes whose own DynamoDB keeps for itself.
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

/// An addition to a count of captures, which begins with nothing.
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

/// A deletion. Without a condition the item may be gone already.
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

pub(crate) fn incomplete(_: aws_smithy_types::error::operation::BuildError) -> Error {
    Error::Misconfigured("a write without a table")
}

fn named(names: &[(&str, &str)]) -> Option<HashMap<String, String>> {
    (!names.is_empty()).then(|| names.iter().map(|(name, of)| ((*name).to_owned(), (*of).to_owned())).collect())
}

fn owned(values: &[(&str, AttributeValue)]) -> Option<Item> {
    (!values.is_empty()).then(|| values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}
