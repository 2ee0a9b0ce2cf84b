//! The outcome of one check.

use serde::Serialize;

/// A check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The name of the check.
    pub name: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl Check {
    /// The check of that name with its outcome: a fault in words where it does not hold.
    #[must_use]
    pub fn of(name: &'static str, outcome: Result<(), String>) -> Self {
        let fault = outcome.err();
        Self { name, holds: fault.is_none(), fault }
    }
}
