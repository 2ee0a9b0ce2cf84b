//! DynamoDB's rule for concurrent writes: a transaction that overlaps another write of the same item is cancelled,
//! and a single write that overlaps a transaction is rejected.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use super::call::{Call, ItemKey, key_of, transaction};

/// Writes in progress at each AWS, through any proxy.
static UNDER_WAY: LazyLock<Mutex<HashMap<String, Vec<Write>>>> = LazyLock::new(Mutex::default);

struct Write {
    keys: Vec<ItemKey>,
    transaction: bool,
    id: u64,
}

/// A write in progress, until this is dropped.
pub(super) struct UnderWay {
    aws: String,
    id: u64,
}

/// Where a write conflicts: for each write of a transaction, whether it conflicts; `None` for a single write.
pub(super) type Conflict = Option<Vec<bool>>;

/// Begins a write, unless it conflicts with another in progress.
pub(super) fn begin(aws: &str, call: &Call) -> Result<Option<UnderWay>, Conflict> {
    let keys = call.writes();
    if keys.is_empty() {
        return Ok(None);
    }
    let mut under_way = UNDER_WAY.lock().unwrap();
    let others = under_way.entry(aws.to_owned()).or_default();
    let meets = |key: &ItemKey| {
        others.iter().any(|other| (call.is_transaction() || other.transaction) && other.keys.contains(key))
    };
    if keys.iter().any(meets) {
        let places = call.is_transaction().then(|| transaction(&call.input).map(|(_, write)| meets(&key_of(write))));
        return Err(places.map(Iterator::collect));
    }
    let id = others.iter().map(|other| other.id + 1).max().unwrap_or_default();
    others.push(Write { keys, transaction: call.is_transaction(), id });
    Ok(Some(UnderWay { aws: aws.to_owned(), id }))
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(others) = UNDER_WAY.lock().unwrap().get_mut(&self.aws) {
            others.retain(|other| other.id != self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::call::Protocol;
    use serde_json::{Value, json};

    fn call(operation: &str, input: Value) -> Call {
        Call { protocol: Protocol::DynamoDb, operation: operation.into(), name: operation.into(), input }
    }

    fn put(pk: &str) -> Value {
        json!({ "TableName": "lacre-sessions", "Item": { "pk": { "S": pk } } })
    }

    fn update(pk: &str) -> Value {
        json!({ "TableName": "lacre-sessions", "Key": { "pk": { "S": pk } } })
    }

    fn transaction_of(a: &str, b: &str) -> Call {
        call("TransactWriteItems", json!({ "TransactItems": [{ "Put": put(a) }, { "Update": update(b) }] }))
    }

    #[test]
    fn a_transaction_conflicts_with_other_writes() {
        let aws = "a transaction";
        let under_way = begin(aws, &transaction_of("a", "b")).ok().unwrap();
        assert_eq!(begin(aws, &transaction_of("b", "c")).err(), Some(Some(vec![true, false])));
        assert_eq!(begin(aws, &call("UpdateItem", update("a"))).err(), Some(None));
        assert_eq!(begin(aws, &call("DeleteItem", update("b"))).err(), Some(None));
        assert!(begin(aws, &call("PutItem", put("c"))).is_ok());
        assert!(begin(aws, &call("GetItem", update("a"))).is_ok());
        assert!(begin("another AWS", &transaction_of("a", "b")).is_ok());
        drop(under_way);
        assert!(begin(aws, &transaction_of("b", "c")).is_ok());
    }

    #[test]
    fn another_key_is_another_item() {
        let entry = |id: &str| json!({ "TableName": "lacre-audit-4f0a", "Item": { "id": { "S": id } } });
        let aws = "entries of the audit log";
        let under_way = begin(aws, &call("TransactWriteItems", json!({ "TransactItems": [{ "Put": entry("a") }] })));
        assert!(begin(aws, &call("PutItem", entry("b"))).is_ok());
        assert_eq!(begin(aws, &call("PutItem", entry("a"))).err(), Some(None));
        drop(under_way);
        // A put also contains attributes that are not part of the key; an update contains only the key.
        let table = "lacre-sessions-4f0a";
        let put = json!({ "TableName": table, "Item": { "pk": { "S": "a" }, "capture_id": { "S": "c" } } });
        let _under_way = begin(aws, &call("TransactWriteItems", json!({ "TransactItems": [{ "Put": put }] })));
        let update = json!({ "TableName": table, "Key": { "pk": { "S": "a" } } });
        assert_eq!(begin(aws, &call("UpdateItem", update)).err(), Some(None));
    }

    #[test]
    fn single_writes_conflict_only_with_transactions() {
        let aws = "single writes";
        let first = begin(aws, &call("PutItem", put("a"))).ok().unwrap();
        let second = begin(aws, &call("UpdateItem", update("a"))).ok().unwrap();
        assert_eq!(begin(aws, &transaction_of("c", "a")).err(), Some(Some(vec![false, true])));
        drop(first);
        assert_eq!(begin(aws, &transaction_of("c", "a")).err(), Some(Some(vec![false, true])));
        drop(second);
        assert!(begin(aws, &transaction_of("c", "a")).is_ok());
    }
}
