//! Failures of a command, and their exit statuses.

use std::{io, process::ExitCode};

use lacre_administration::Error;
use lacre_domain::MalformedId;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments are incomplete or contradict each other.
    #[error("{0}")]
    Usage(String),
    /// The operation failed.
    #[error(transparent)]
    Operation(#[from] Error),
    /// The command did not succeed; the message explains why.
    #[error("{0}")]
    Stopped(String),
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl From<MalformedId> for Failure {
    fn from(error: MalformedId) -> Self {
        Self::Operation(error.into())
    }
}

impl Failure {
    /// Prints the message and returns the exit status. A broken pipe counts as success, because the reader of the
    /// output has closed it on purpose.
    pub(crate) fn report(&self) -> ExitCode {
        if matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        eprintln!("lacre-admin: {self}");
        ExitCode::from(match self {
            Self::Operation(Error::NothingChanged(_) | Error::Unavailable(_)) | Self::Stopped(_) | Self::Output(_) => 1,
            Self::Usage(_) => 2,
            Self::Operation(Error::NotFound(_)) => 3,
            Self::Operation(Error::Invalid(_)) => 4,
            Self::Operation(Error::Refused(_) | Error::Stale(_) | Error::Repeated { .. }) => 5,
        })
    }
}
