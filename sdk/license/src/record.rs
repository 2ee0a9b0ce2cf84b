//! The stored form of a success, which survives restarts.

use serde::{Deserialize, Serialize};

use crate::policy::Policy;

const VERSION: u8 = 1;

/// A stored success. Times are wall clock times in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    v: u8,
    /// The binding to the settings, see [`crate::Settings`].
    binding: String,
    pub(crate) policy: Policy,
    pub(crate) validated_ms: i64,
    /// The first failed attempt after the success.
    pub(crate) failed_ms: Option<i64>,
    /// The latest wall clock time that was stored.
    pub(crate) seen_ms: i64,
    /// Whether the wall clock was changed after the success, in which case no failure is tolerated.
    pub(crate) clock_moved: bool,
}

impl Record {
    pub(crate) fn new(
        binding: &str,
        policy: Policy,
        validated_ms: i64,
        failed_ms: Option<i64>,
        seen_ms: i64,
        clock_moved: bool,
    ) -> Self {
        Self { v: VERSION, binding: binding.into(), policy, validated_ms, failed_ms, seen_ms, clock_moved }
    }

    /// Parses a record of the given settings; `None` if it belongs to other settings, has another version, or is
    /// malformed.
    pub(crate) fn read(bytes: &[u8], binding: &str) -> Option<Self> {
        serde_json::from_slice(bytes).ok().filter(|record: &Self| record.v == VERSION && record.is_of(binding))
    }

    pub(crate) fn is_of(&self, binding: &str) -> bool {
        self.binding == binding
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // A struct of strings, numbers and booleans always has a JSON form. An empty record would count as missing.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;

    fn record() -> Record {
        let policy = json!({
            "environment": "STAGING", "integrity_enforcement": "WARN", "capture_resolution": "FHD", "tsa_required": false,
            "max_captures_per_session": 3, "captures_used": 9, "volume_limit": 10, "expires_at": "2026-11-21T12:00:00Z",
        });
        Record::new("ab", serde_json::from_value(policy).unwrap(), 1, Some(2), 3, true)
    }

    #[test]
    fn reads_records_under_their_binding_only() {
        let bytes = record().to_bytes();
        assert_eq!(Record::read(&bytes, "ab"), Some(record()));
        assert_eq!(Record::read(&bytes, "cd"), None);
        assert_eq!(Record::read(&bytes[1..], "ab"), None);
        assert_eq!(Record::read(b"", "ab"), None);
    }

    #[test]
    fn another_version_is_not_read() {
        let mut value: Value = serde_json::from_slice(&record().to_bytes()).unwrap();
        value["v"] = json!(2);
        assert_eq!(Record::read(value.to_string().as_bytes(), "ab"), None);
    }
}
