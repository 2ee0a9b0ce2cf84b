//! The permissions of a request, and the names in which they are recorded.

use std::collections::{BTreeMap, BTreeSet};

/// The purposes of signing keys by ARN: `claim/PRODUCTION`.
pub(crate) type KeyNames = BTreeMap<String, String>;

/// Condition keys with their values.
pub(crate) type Conditions = BTreeMap<&'static str, BTreeSet<String>>;

/// An action, its resource and its condition keys, without the principal.
pub(crate) type Need = (String, String, Conditions);

/// `sessions` for `lacre-sessions` and for `lacre-sessions-4f0a…`.
pub(crate) fn logical(name: &str) -> &str {
    name.trim_start_matches("lacre-").split('-').next().unwrap_or_default()
}
