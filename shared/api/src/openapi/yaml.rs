//! Serializes a document as YAML, with its keys in an order that suits readers.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

/// The keys that come first, in this order. All others follow alphabetically.
const FIRST: &str = "openapi info title version servers name in operationId summary description required type \
                     security parameters requestBody responses headers paths webhooks schema components";

/// The YAML text of a document.
///
/// # Errors
/// Fails for values that YAML cannot represent, which no document contains.
pub fn yaml(document: &Value) -> Result<String, serde_saphyr::ser::Error> {
    serde_saphyr::to_string(&Ordered(document))
}

struct Ordered<'a>(&'a Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(fields) => {
                let rank = |name: &str| FIRST.split(' ').position(|first| first == name).unwrap_or(FIRST.len());
                let mut names: Vec<_> = fields.keys().collect();
                names.sort_by_key(|name| (rank(name), *name));
                let mut map = serializer.serialize_map(Some(names.len()))?;
                for name in names {
                    map.serialize_entry(name, &Ordered(&fields[name]))?;
                }
                map.end()
            }
            Value::Array(values) => serializer.collect_seq(values.iter().map(Ordered)),
            other => other.serialize(serializer),
        }
    }
}
