//! Permissions of requests to DynamoDB and its streams. Each part of a batch or transaction needs its own permission.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::need::{Conditions, KeyNames, Need, logical};

// Words in expressions that are not attribute names.
const FUNCTIONS: [&str; 8] = [
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "if_not_exists",
    "list_append",
    "size",
];
const KEYWORDS: [&str; 9] = ["ADD", "AND", "BETWEEN", "DELETE", "IN", "NOT", "OR", "REMOVE", "SET"];

/// The actions of a request, with their tables and items.
pub(crate) fn needs(operation: &str, input: &Value) -> Vec<Need> {
    match operation {
        "BatchGetItem" => tables(input).map(|(table, read)| of_batch(table, read)).collect(),
        "BatchWriteItem" => tables(input).map(|(table, writes)| of_batch_of_writes(table, writes)).collect(),
        "TransactWriteItems" => parts(input).map(|(action, part)| of_part(operation, &action, part)).collect(),
        _ => vec![of_one(operation, input)],
    }
}

/// The actions on a stream. `GetRecords` names only an iterator, so its permission is attributed to
/// `GetShardIterator`.
pub(crate) fn needs_of_stream(operation: &str, input: &Value) -> Vec<Need> {
    let actions = match operation {
        "GetShardIterator" => vec![operation, "GetRecords"],
        "GetRecords" => Vec::new(),
        _ => vec![operation],
    };
    let table = input["StreamArn"].as_str().and_then(|arn| arn.split('/').nth(1));
    // `ListStreams` has no resource.
    let resource = table.map_or_else(|| "*".to_owned(), |table| format!("stream/{}", logical(table)));
    actions.into_iter().map(|action| (format!("dynamodb:{action}"), resource.clone(), Conditions::new())).collect()
}

/// Records the purposes of signing keys when a signer profile is written.
pub(crate) fn remember_keys(operation: &str, input: &Value, keys: &mut KeyNames) {
    let written = match operation {
        "TransactWriteItems" => parts(input).map(|(_, part)| &part["Item"]).collect(),
        _ => vec![&input["Item"]],
    };
    for item in written {
        let Some(environment) = item["pk"]["S"].as_str().and_then(|pk| pk.strip_prefix("signer#")) else { continue };
        for kind in ["claim", "seal"] {
            if let Some(arn) = item[kind]["M"]["key_arn"]["S"].as_str() {
                // A key keeps its first purpose, whatever a test later writes into a profile.
                keys.entry(arn.to_owned()).or_insert_with(|| format!("{kind}/{environment}"));
            }
        }
    }
}

fn tables(input: &Value) -> impl Iterator<Item = (&String, &Value)> {
    input["RequestItems"].as_object().into_iter().flatten()
}

/// The writes of a transaction as single actions: `Put` becomes `PutItem`, `ConditionCheck` becomes
/// `ConditionCheckItem`.
fn parts(input: &Value) -> impl Iterator<Item = (String, &Value)> {
    let parts = input["TransactItems"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
    parts.map(|(verb, part)| (format!("{verb}Item"), part))
}

fn of_batch(table: &str, read: &Value) -> Need {
    let keys = read["Keys"].as_array().into_iter().flatten().map(leading_key).collect();
    let mut conditions = Conditions::from([("dynamodb:LeadingKeys", keys)]);
    // Without a projection, a read covers all attributes.
    if read["ProjectionExpression"].is_string() {
        conditions.insert("dynamodb:Attributes", attributes(read, &Value::Null));
        conditions.insert("dynamodb:Select", ["SPECIFIC_ATTRIBUTES".to_owned()].into());
    }
    ("dynamodb:BatchGetItem".to_owned(), resource(table), conditions)
}

/// A batch write of puts and deletions.
fn of_batch_of_writes(table: &str, writes: &Value) -> Need {
    let deleted_or_put = |write: &Value| match &write["DeleteRequest"]["Key"] {
        Value::Null => leading_key(&write["PutRequest"]["Item"]),
        key => leading_key(key),
    };
    let keys = writes.as_array().into_iter().flatten().map(deleted_or_put).collect();
    let conditions = Conditions::from([("dynamodb:LeadingKeys", keys)]);
    ("dynamodb:BatchWriteItem".to_owned(), resource(table), conditions)
}

/// A part of a transaction. Permissions can be limited to transactions.
fn of_part(transaction: &str, action: &str, input: &Value) -> Need {
    let (action, resource, mut conditions) = of_one(action, input);
    conditions.insert("dynamodb:EnclosingOperation", [transaction.to_owned()].into());
    (action, resource, conditions)
}

fn of_one(action: &str, input: &Value) -> Need {
    let item = if input["Key"].is_object() { &input["Key"] } else { &input["Item"] };
    let mut conditions = Conditions::new();
    let mut resource = resource(input["TableName"].as_str().unwrap_or_default());
    if let Some(index) = input["IndexName"].as_str() {
        // An index is a separate resource. Its partition keys may identify a capture, so they are left out.
        resource = format!("{resource}/index/{index}");
    } else if action == "Query" {
        // All queries in this code name their partition key like this.
        let values = &input["ExpressionAttributeValues"];
        let partition = [":pk", ":partition"].into_iter().find_map(|name| values[name]["S"].as_str());
        conditions.insert("dynamodb:LeadingKeys", [kind(partition)].into());
    } else if item.is_object() {
        conditions.insert("dynamodb:LeadingKeys", [leading_key(item)].into());
        conditions.insert("dynamodb:Attributes", attributes(input, item));
    }
    (format!("dynamodb:{action}"), resource, conditions)
}

fn resource(table: &str) -> String {
    format!("table/{}", logical(table))
}

fn leading_key(item: &Value) -> String {
    kind(item["pk"]["S"].as_str().or_else(|| item["capture_id"]["S"].as_str()))
}

/// The partition key without identifiers: `license#` for `license#4f0a…`, and `signer#PRODUCTION` for that item and
/// its replicas.
fn kind(key: Option<&str>) -> String {
    let key = key.map(|key| match key.rsplit_once('#') {
        Some((record, replica)) if record.contains('#') && matches!(replica.as_bytes(), [b'0'..=b'9']) => record,
        _ => key,
    });
    let (kind, rest) = key.map_or(("", ""), |key| key.find('#').map_or(("", key), |mark| key.split_at(mark + 1)));
    let is_word = rest.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    format!("{kind}{}", if is_word { rest } else { "" })
}

/// Names of the attributes that a request reads, writes or tests; for nested attributes, the top-level name.
fn attributes(input: &Value, item: &Value) -> BTreeSet<String> {
    let own = item.as_object().into_iter().flatten().map(|(name, _)| name.clone());
    let expressions = ["UpdateExpression", "ConditionExpression", "ProjectionExpression"]
        .into_iter()
        .filter_map(|name| input[name].as_str());
    let tokens = expressions.flat_map(|text| text.split(|c: char| c.is_whitespace() || "(),=<>+-[]".contains(c)));
    let named = tokens.filter_map(|token| {
        // Placeholders of values and list indexes are not names.
        let is_name = |name: &&str| !name.is_empty() && !name.starts_with(|c: char| c == ':' || c.is_ascii_digit());
        let name = token.split('.').next().filter(is_name)?;
        let name = input["ExpressionAttributeNames"][name].as_str().unwrap_or(name);
        (!FUNCTIONS.contains(&name) && !KEYWORDS.contains(&name)).then(|| name.to_owned())
    });
    own.chain(named).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(kinds: &[&str]) -> Conditions {
        [("dynamodb:LeadingKeys", kinds.iter().map(|kind| (*kind).to_owned()).collect())].into()
    }

    #[test]
    fn batches_need_permission_for_each_table() {
        let input = json!({ "RequestItems": {
            "lacre-accounts": { "Keys": [{ "pk": { "S": "client#4f0a1b2c" }, "sk": { "S": "profile" } }] },
            "lacre-personal": { "Keys": [{ "pk": { "S": "custody#1" } }, { "pk": { "S": "personal#1" } }] },
        } });
        let need =
            |table: &str, kinds: &[&str]| ("dynamodb:BatchGetItem".to_owned(), format!("table/{table}"), keys(kinds));
        let wanted = [need("accounts", &["client#"]), need("personal", &["custody#", "personal#"])];
        assert_eq!(needs("BatchGetItem", &input), wanted);
    }

    #[test]
    fn table_operations_have_no_conditions() {
        for operation in ["DescribeTable", "Scan"] {
            let wanted = (format!("dynamodb:{operation}"), "table/evidence".to_owned(), Conditions::new());
            assert_eq!(needs(operation, &json!({ "TableName": "lacre-evidence" })), [wanted]);
        }
        let listing = ("dynamodb:ListStreams".to_owned(), "*".to_owned(), Conditions::new());
        assert_eq!(needs_of_stream("ListStreams", &json!({ "TableName": "lacre-evidence" })), [listing]);
    }
}
