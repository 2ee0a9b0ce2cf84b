//! DynamoDB's rule for transactions: one that overlaps another write of the same item is cancelled, and a single write that
//! overlaps a transaction is refused.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use super::call::{Call, ItemKey, key_of, transaction};

/// The writes that are under way at each AWS, whichever door they came through.
static UNDER_WAY: LazyLock<Mutex<HashMap<String, Vec<Write>>>> = LazyLock::new(Mutex::default);

struct Write {
    keys: Vec<ItemKey>,
    transaction: bool,
    id: u64,
}

/// A write that is under way until this is dropped.
pub(super) struct UnderWay {
    aws: String,
    id: u64,
}

/// What a write met: for each write of a transaction whether it is the one; `None` for a single write.
pub(super) type Conflict = Option<Vec<bool>>;

/// Begins a write, unless it overlaps another one that it must not meet.
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
