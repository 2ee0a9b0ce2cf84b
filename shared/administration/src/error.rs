//! The errors of an operation. Nothing was changed, unless the text says so.

use std::fmt;

use lacre_domain::{AuditOutcome, clock::rfc3339};
use time::OffsetDateTime;

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
    /// Another operator changed it since the caller looked.
    #[error("{0}")]
    Stale(String),
    /// A request with the same id was carried out before. It is not carried out again.
    #[error("this request was carried out at {}; it is not carried out again", rfc3339(*.at))]
    Repeated {
        /// When.
        at: OffsetDateTime,
    },
    /// AWS did not do its part, or it is not known whether it did.
    #[error("AWS: {0}")]
    Unavailable(#[source] lacre_storage::Error),
}

impl From<lacre_storage::Error> for Error {
    fn from(error: lacre_storage::Error) -> Self {
        match error {
            lacre_storage::Error::InvalidCursor => Self::Invalid(error.to_string()),
            lacre_storage::Error::Repeated { at, outcome: AuditOutcome::Done } => Self::Repeated { at },
            lacre_storage::Error::Repeated { .. } => Self::Refused(
                "a request with this id ended before, and nothing was changed: send it again with another id".into(),
            ),
            error => Self::Unavailable(error),
        }
    }
}

impl Error {
    pub(crate) fn not_found(what: &str, id: &dyn fmt::Display) -> Self {
        Self::NotFound(format!("{what} {id} does not exist"))
    }

    pub(crate) fn changed_meanwhile(what: &str) -> Self {
        Self::Refused(format!("the {what} was changed by another request: read it again, then retry"))
    }
}
