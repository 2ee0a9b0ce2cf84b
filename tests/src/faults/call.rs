//! Names requests to AWS, and lists the items that they write.

use std::collections::{BTreeMap, BTreeSet};

use hyper::{HeaderMap, Method, Uri};
use serde_json::{Value, json};

/// The service of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    DynamoDb,
    Kms,
    S3,
    SecretsManager,
    Sns,
}

/// Identifies an item of a table.
pub(super) type ItemKey = String;

/// A request to AWS.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) protocol: Protocol,
    pub(super) operation: String,
    /// The operation and its subject.
    pub(super) name: String,
    /// The parsed body, if it is JSON or a form.
    pub(super) input: Value,
}

impl Call {
    pub(super) fn read(method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Self {
        let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok());
        let Some((service, operation)) = target.and_then(|target| target.split_once('.')) else {
            let is_form = headers.get("content-type").is_some_and(|kind| kind == "application/x-www-form-urlencoded");
            return if is_form { Self::to_sns(body) } else { Self::to_s3(method, uri) };
        };
        let input: Value = serde_json::from_slice(body).unwrap();
        let (protocol, about) = match service {
            "TrentService" => (Protocol::Kms, about_key(&input)),
            "secretsmanager" => (Protocol::SecretsManager, String::new()),
            _ => (Protocol::DynamoDb, about_items(operation, &input)),
        };
        Self { protocol, operation: operation.to_owned(), name: named(operation, &about), input }
    }

    fn to_s3(method: &Method, uri: &Uri) -> Self {
        let (bucket, key) = uri.path().trim_start_matches('/').split_once('/').unwrap_or((uri.path(), ""));
        let noun = if key.is_empty() { "Bucket" } else { "Object" };
        let verb = format!("{}{}", &method.as_str()[..1], method.as_str()[1..].to_lowercase());
        let operation = format!("{verb}{noun}");
        let bucket = logical(bucket.trim_start_matches('/'));
        let kind = match bucket {
            // Keys such as `production/tile/0/000.p/7`, `production/checkpoint`, `pending/production/7-4f0a…` and
            // `marked/production`.
            "log" if key.starts_with("pending/") => "pending",
            "log" if key.starts_with("marked/") => "mark",
            // `production/dated/2026-11-26/checkpoint`, `production/renewals/1/covered`.
            "log" if key.ends_with("/bundle.p7b") => "bundle",
            "log" if key.ends_with("/covered") => "covered",
            "log" if key.contains("/renewals/") => "renewal",
            "log" if key.ends_with("/timestamp") => "timestamp",
            "log" if key.contains("/dated/") => "dated",
            "log" => key.split('/').nth(1).unwrap_or_default(),
            _ => key.rsplit_once('.').map_or("", |(_, extension)| extension),
        };
        let about = format!("{bucket} {kind}");
        Self { protocol: Protocol::S3, name: named(&operation, about.trim()), operation, input: Value::Null }
    }

    /// The name of a publication contains the first word of its subject.
    fn to_sns(body: &[u8]) -> Self {
        let form: BTreeMap<String, String> = url::form_urlencoded::parse(body).into_owned().collect();
        let operation = form["Action"].clone();
        let about = form.get("Subject").and_then(|subject| subject.split(' ').next()).unwrap_or_default();
        Self { protocol: Protocol::Sns, name: named(&operation, about), operation, input: json!(form) }
    }

    /// The items that this call writes.
    pub(super) fn writes(&self) -> Vec<ItemKey> {
        match self.operation.as_str() {
            "TransactWriteItems" => transaction(&self.input).map(|(_, write)| key_of(write)).collect(),
            "PutItem" | "UpdateItem" | "DeleteItem" => vec![key_of(&self.input)],
            _ => Vec::new(),
        }
    }

    pub(super) fn is_transaction(&self) -> bool {
        self.operation == "TransactWriteItems"
    }

    /// Whether the call reads items without strong consistency, although it could read them with it. No index can be read so.
    pub(super) fn may_be_stale(&self) -> bool {
        let consistent = |read: &Value| read["ConsistentRead"] == true;
        match self.operation.as_str() {
            "GetItem" | "Query" => !consistent(&self.input) && self.input["IndexName"].is_null(),
            "BatchGetItem" => !tables(&self.input).all(|(_, read)| consistent(read)),
            _ => false,
        }
    }
}

fn named(operation: &str, about: &str) -> String {
    if about.is_empty() { operation.to_owned() } else { format!("{operation} {about}") }
}

/// The logical name: `sessions` for `lacre-sessions` and `lacre-sessions-4f0a…`.
pub(super) fn logical(name: &str) -> &str {
    name.trim_start_matches("lacre-").split('-').next().unwrap_or_default()
}

fn about_key(input: &Value) -> String {
    match input["SigningAlgorithm"].as_str() {
        Some(algorithm) if algorithm.starts_with("RSASSA") => "seal".to_owned(),
        Some("ED25519_SHA_512") => "checkpoint".to_owned(),
        Some(_) => "claim".to_owned(),
        None => String::new(),
    }
}

fn about_items(operation: &str, input: &Value) -> String {
    match operation {
        "TransactWriteItems" => String::new(),
        "BatchWriteItem" => {
            let about = tables(input)
                .map(|(table, writes)| format!("{} {}", logical(table), kind(&writes[0]["PutRequest"]["Item"])));
            about.collect::<Vec<_>>().join(" ").trim().to_owned()
        }
        "BatchGetItem" => {
            let about = tables(input).map(|(table, read)| {
                let kinds: BTreeSet<_> = read["Keys"].as_array().unwrap().iter().map(kind).collect();
                format!("{} {}", logical(table), kinds.into_iter().collect::<Vec<_>>().join(" "))
            });
            // The SDK sends tables in any order, so they are sorted.
            about.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
        }
        _ => {
            let item = if input["Key"].is_object() { &input["Key"] } else { &input["Item"] };
            let table = logical(input["TableName"].as_str().unwrap_or_default());
            format!("{table} {}", kind(item)).trim().to_owned()
        }
    }
}

/// The part of a key that names the kind of item: `nonce` of `nonce#4f0a…`. All frames are of one kind, and so is all
/// evidence.
fn kind(item: &Value) -> &str {
    let key = item["pk"]["S"].as_str().unwrap_or_default();
    let kind = item["sk"]["S"].as_str().or_else(|| key.split_once('#').map(|(kind, _)| kind)).unwrap_or_default();
    let kind = kind.split('#').next().unwrap_or_default();
    if kind.chars().all(|c| c.is_ascii_lowercase() || c == '_') { kind } else { "" }
}

fn tables(input: &Value) -> impl Iterator<Item = (&String, &Value)> {
    input["RequestItems"].as_object().into_iter().flatten()
}

/// The writes of a transaction with their index.
pub(super) fn transaction(input: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let items = input["TransactItems"].as_array().into_iter().flatten();
    items.map(|item| item.as_object().and_then(|item| item.values().next()).unwrap()).enumerate()
}

pub(super) fn key_of(write: &Value) -> ItemKey {
    let item = if write["Key"].is_object() { &write["Key"] } else { &write["Item"] };
    let table = write["TableName"].as_str().unwrap_or_default();
    let parts: Vec<_> = key_attributes(table).iter().map(|name| item[name]["S"].as_str().unwrap_or_default()).collect();
    format!("{table}/{}", parts.join("/"))
}

/// The names of a table's key attributes. A put contains other attributes too.
fn key_attributes(table: &str) -> Vec<String> {
    local::provision::key_of(&format!("{}_TABLE", logical(table).to_ascii_uppercase())).unwrap()
}
