//! The permissions of a request, and the resource names under which they are recorded.

use std::collections::{BTreeMap, BTreeSet};

/// The purpose of each signing key by ARN, such as `claim/PRODUCTION`.
pub(crate) type KeyNames = BTreeMap<String, String>;

/// Condition keys with their values.
pub(crate) type Conditions = BTreeMap<&'static str, BTreeSet<String>>;

/// An action, its resource and its condition keys, without the principal.
pub(crate) type Need = (String, String, Conditions);

/// The logical name of a resource: `sessions` for `lacre-sessions` and `lacre-sessions-4f0a…`.
pub(crate) fn logical(name: &str) -> &str {
    name.trim_start_matches("lacre-").split('-').next().unwrap_or_default()
}
