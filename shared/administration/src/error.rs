//! The errors of an operation. Nothing was changed, unless the text says so.

use std::fmt;

/// An operation was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The client, key, license or capture does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The input is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The state of things does not allow it, or changed meanwhile.
    #[error("{0}")]
    Refused(String),
    /// AWS did not do its part, or it is not known whether it did.
    #[error("AWS: {0}")]
    Unavailable(#[from] aws::Error),
}

impl Error {
    pub(crate) fn not_found(what: &str, id: &dyn fmt::Display) -> Self {
        Self::NotFound(format!("{what} {id} does not exist"))
    }

    pub(crate) fn changed_meanwhile(what: &str) -> Self {
        Self::Refused(format!("the {what} was changed by another request: read it again, then retry"))
    }
}
