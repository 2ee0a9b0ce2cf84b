//! The errors of operations. Nothing was changed, unless the text says so.

use std::fmt;

use lacre_api::admin::{Fault, NOTHING_CHANGED, OUTCOME_UNKNOWN, UNREADABLE};
use lacre_domain::{AuditOutcome, MalformedId, clock::rfc3339};
use lacre_storage::{ChangeError, PageError};
use time::OffsetDateTime;

/// Why an operation was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The client, key, license or capture does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The input is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The current state does not allow the operation, or it was changed concurrently.
    #[error("{0}")]
    Refused(String),
    /// Another operator changed the object since the caller read it.
    #[error("{0}")]
    Stale(String),
    /// An earlier request with the same id was carried out; it is not carried out again.
    #[error("this request was carried out at {}; it is not carried out again", rfc3339(*.at))]
    Repeated {
        /// When the earlier request was carried out.
        at: OffsetDateTime,
    },
    /// A call to AWS failed, and certainly nothing was changed.
    #[error("AWS: nothing was changed: {0}")]
    NothingChanged(String),
    /// A call to AWS failed, or its outcome is unknown.
    #[error("AWS: {0}")]
    Unavailable(#[from] lacre_storage::Error),
}

impl From<MalformedId> for Error {
    fn from(error: MalformedId) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl From<PageError> for Error {
    fn from(error: PageError) -> Self {
        match error {
            PageError::InvalidCursor => Self::Invalid(error.to_string()),
            PageError::Aws(error) => Self::Unavailable(error),
        }
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Repeated { at, outcome: AuditOutcome::Done } => Self::Repeated { at },
            ChangeError::Repeated { .. } => Self::Refused(
                "a request with this id ended before, and nothing was changed: send it again with another id".into(),
            ),
            ChangeError::NothingChanged(cause) => Self::NothingChanged(cause),
            ChangeError::Aws(error) => Self::Unavailable(error),
        }
    }
}

impl Error {
    /// The fault of the admin API, its text for the caller, and the cause if it must appear only in the log.
    #[must_use]
    pub fn fault(&self) -> (Fault, String, Option<String>) {
        let text = self.to_string();
        match self {
            Self::Invalid(_) => (Fault::Invalid, text, None),
            Self::NotFound(_) => (Fault::NotFound, text, None),
            Self::Refused(_) | Self::Repeated { .. } => (Fault::Conflict, text, None),
            Self::Stale(_) => (Fault::Stale, text, None),
            Self::NothingChanged(_) => (Fault::Unavailable, NOTHING_CHANGED.to_owned(), Some(text)),
            Self::Unavailable(cause @ lacre_storage::Error::Corrupt { .. }) => {
                (Fault::Unreadable, UNREADABLE.to_owned(), Some(cause.to_string()))
            }
            Self::Unavailable(cause) => (Fault::Unavailable, OUTCOME_UNKNOWN.to_owned(), Some(cause.to_string())),
        }
    }

    pub(crate) fn not_found(what: &str, id: &dyn fmt::Display) -> Self {
        Self::NotFound(format!("{what} {id} does not exist"))
    }

    pub(crate) fn changed_meanwhile(what: &str) -> Self {
        Self::Refused(format!("the {what} was changed by another request: read it again, then retry"))
    }
}
