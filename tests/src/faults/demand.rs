//! Measures the capacity that calls consume: DynamoDB units by partition, signatures, objects. The DynamoDB stand-in
//! reports consumed capacity.

use bytes::Bytes;
use hyper::{header, http::request::Parts};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    answers::Answer,
    call::{Call, Protocol, transaction},
};

/// What a call consumes of one partition, key or bucket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Demand {
    /// The function, from the SDK's application name; `None` for a browser.
    pub function: Option<String>,
    /// The operation, such as `BatchGetItem`.
    pub operation: String,
    /// The consumed resource and amount.
    #[serde(flatten)]
    pub asked: Asked,
}

/// Consumption by service.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "service", rename_all = "lowercase")]
pub enum Asked {
    /// Capacity units of one partition.
    DynamoDb {
        /// The table, such as `accounts`, or its index, such as `evidence/by_frame`.
        table: String,
        /// The partition key's value.
        partition: String,
        /// Read units of 4 KB, strongly consistent.
        reads: f64,
        /// Write units of 1 KB; transactions consume twice as many.
        writes: f64,
    },
    /// A cryptographic operation.
    Kms {
        /// `claim` or `seal`; empty for other keys.
        key: String,
    },
    /// One request for an object.
    S3 {
        /// `uploads`, `proofs` or `export`.
        bucket: String,
    },
}

/// Adds the option to return consumed capacity to a request. The stand-in does not verify signatures, so the body may
/// change.
pub(super) fn metered(mut head: Parts, body: Bytes, call: &Call) -> (Parts, Bytes) {
    if call.protocol != Protocol::DynamoDb || !is_about_items(call) {
        return (head, body);
    }
    let mut input = call.input.clone();
    input["ReturnConsumedCapacity"] = json!("INDEXES");
    let body = Bytes::from(input.to_string());
    head.headers.insert(header::CONTENT_LENGTH, body.len().into());
    (head, body)
}

/// What a call consumed; empty if it failed.
pub(super) fn of(head: &Parts, call: &Call, answer: &Answer) -> Vec<Demand> {
    if !answer.status().is_success() {
        return Vec::new();
    }
    let asked = match call.protocol {
        Protocol::DynamoDb if is_about_items(call) => of_items(call, answer.body()),
        Protocol::Kms => vec![Asked::Kms { key: about(call) }],
        Protocol::S3 => vec![Asked::S3 { bucket: about(call) }],
        _ => Vec::new(),
    };
    let agents =
        ["x-amz-user-agent", "user-agent"].into_iter().filter_map(|name| head.headers.get(name)?.to_str().ok());
    let function = agents.flat_map(|agent| agent.split(' ')).find_map(|word| word.strip_prefix("app/"));
    let demand = |asked| Demand { function: function.map(str::to_owned), operation: call.operation.clone(), asked };
    asked.into_iter().map(demand).collect()
}

/// The first word of a call's subject: a key's purpose, a bucket or a table.
fn about(call: &Call) -> String {
    call.name.split(' ').nth(1).unwrap_or_default().to_owned()
}

fn is_about_items(call: &Call) -> bool {
    const OPERATIONS: [&str; 8] = [
        "GetItem",
        "BatchGetItem",
        "Query",
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "BatchWriteItem",
        "TransactWriteItems",
    ];
    OPERATIONS.contains(&call.operation.as_str())
}

fn of_items(call: &Call, answer: &[u8]) -> Vec<Asked> {
    let answer: Value = serde_json::from_slice(answer).unwrap();
    let consumed = match &answer["ConsumedCapacity"] {
        // A proxy answered a stale read itself, so nothing was consumed.
        Value::Null => Vec::new(),
        Value::Array(tables) => tables.clone(),
        one => vec![one.clone()],
    };
    consumed.iter().flat_map(|consumed| of_table(call, &answer, consumed)).collect()
}

/// What was consumed of a table and its indexes. A batch's reads are attributed by item size. A transaction's writes
/// are attributed evenly, because no transaction writes two large items of one table.
fn of_table(call: &Call, answer: &Value, consumed: &Value) -> Vec<Asked> {
    let name = consumed["TableName"].as_str().unwrap();
    let units = |of: &Value| of["CapacityUnits"].as_f64().unwrap_or_default();
    let is_write = !["GetItem", "BatchGetItem", "Query"].contains(&call.operation.as_str());
    let asked = |table: String, partition: String, units: f64| {
        let (reads, writes) = if is_write { (0.0, units) } else { (units, 0.0) };
        Asked::DynamoDb { table, partition, reads, writes }
    };
    let table = super::call::logical(name).to_owned();
    let partitions = partitions(call, name);
    let total = units(&consumed["Table"]);
    let each = match call.operation.as_str() {
        "BatchGetItem" => {
            partitions.iter().map(|partition| read_units(&answer["Responses"][name], partition)).collect()
        }
        _ => vec![total / partitions.len() as f64; partitions.len()],
    };
    assert!((each.iter().sum::<f64>() - total).abs() < 1e-9, "{}: {each:?} are not {total}", call.name);
    let of_indexes = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"].into_iter().flat_map(|kind| {
        let indexes = consumed[kind].as_object().into_iter().flatten();
        indexes.map(|(index, consumed)| asked(format!("{table}/{index}"), String::new(), units(consumed)))
    });
    let of_indexes: Vec<_> = of_indexes.collect();
    let of_items = partitions.into_iter().zip(each).map(|(partition, units)| asked(table.clone(), partition, units));
    of_items.chain(of_indexes).collect()
}

/// Units of a strongly consistent read of one partition's item among the returned ones.
fn read_units(found: &Value, partition: &str) -> f64 {
    const UNIT: usize = 4096;
    let items = found.as_array().into_iter().flatten().filter_map(Value::as_object);
    let item = items
        .filter(|item| item.values().any(|value| value["S"] == partition))
        .map(|item| item.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>());
    item.sum::<usize>().div_ceil(UNIT).max(1) as f64
}

/// The size of an attribute's value by DynamoDB's rules.
fn size(value: &Value) -> usize {
    let (kind, value) = value.as_object().and_then(|value| value.iter().next()).unwrap();
    match (kind.as_str(), value) {
        ("S", Value::String(text)) => text.len(),
        ("N", Value::String(digits)) => digits.len().div_ceil(2) + 1,
        ("B", Value::String(base64)) => base64.len() / 4 * 3,
        ("L", Value::Array(values)) => 3 + values.iter().map(|value| 1 + size(value)).sum::<usize>(),
        ("M", Value::Object(values)) => {
            3 + values.iter().map(|(name, value)| 1 + name.len() + size(value)).sum::<usize>()
        }
        (_, Value::Array(set)) => set.iter().filter_map(Value::as_str).map(str::len).sum(),
        _ => 1,
    }
}

/// The partition of each item of a table that a request names.
fn partitions(call: &Call, table: &str) -> Vec<String> {
    let named = |item: &Value| {
        let names = ["pk", "capture_id", "client_id", "id"];
        names.iter().find_map(|name| item[name]["S"].as_str()).unwrap_or_default().to_owned()
    };
    let of_write = |write: &Value| if write["Key"].is_object() { named(&write["Key"]) } else { named(&write["Item"]) };
    match call.operation.as_str() {
        "BatchGetItem" => {
            call.input["RequestItems"][table]["Keys"].as_array().into_iter().flatten().map(named).collect()
        }
        "BatchWriteItem" => {
            let writes = call.input["RequestItems"][table].as_array().into_iter().flatten();
            writes.map(|write| named(&write["PutRequest"]["Item"])).collect()
        }
        "TransactWriteItems" => {
            let parts = transaction(&call.input).map(|(_, part)| part);
            parts.filter(|part| part["TableName"] == table).map(of_write).collect()
        }
        "Query" => {
            let values = &call.input["ExpressionAttributeValues"];
            let partition = [":pk", ":partition"].into_iter().find_map(|name| values[name]["S"].as_str());
            vec![partition.unwrap_or_default().to_owned()]
        }
        _ => vec![of_write(&call.input)],
    }
}
