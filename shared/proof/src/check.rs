//! The result of one check.

use serde::Serialize;

/// A check with its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The name of the check.
    pub name: &'static str,
    /// Whether the check succeeded.
    pub holds: bool,
    /// The fault, if the check failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl Check {
    /// A check with its name and result. A failed one has a text that describes the fault.
    #[must_use]
    pub fn of(name: &'static str, outcome: Result<(), String>) -> Self {
        let fault = outcome.err();
        Self { name, holds: fault.is_none(), fault }
    }
}
