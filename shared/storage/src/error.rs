//! What can go wrong behind a port. The causes are for the log: they name the operation, the error code and AWS's request
//! id, never an item's key or contents.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use lacre_api::Refusal;
use lacre_domain::AuditOutcome;
use time::OffsetDateTime;

/// A call to a store or a secret failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The call failed, or its answer was lost: whether it took effect is not known.
    #[error("{0}")]
    Unavailable(String),
    /// The record is there and cannot be read.
    #[error("{what} cannot be read: {cause}")]
    Corrupt {
        /// Which kind of record.
        what: &'static str,
        /// The fault, without the contents.
        cause: String,
    },
    /// The call failed, and for certain nothing was changed.
    #[error("nothing was changed: {0}")]
    NothingChanged(String),
    /// A request with the same id came before.
    #[error("a request with the same id came before")]
    Repeated {
        /// When.
        at: OffsetDateTime,
        /// How it ended.
        outcome: AuditOutcome,
    },
    /// The start of a page is none that was given.
    #[error("the cursor is not one of this list")]
    InvalidCursor,
    /// The deployment lacks something that this call needs.
    #[error("configuration: {0}")]
    Misconfigured(&'static str),
}

impl Error {
    /// The refusal for a record that cannot be read, or else the one for a store that does not answer.
    #[must_use]
    pub fn refusal(&self, corrupt: Refusal, unavailable: Refusal) -> Refusal {
        match self {
            Self::Corrupt { .. } => corrupt,
            _ => unavailable,
        }
    }
}

/// Reading an uploaded image failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadObjectError {
    /// The object does not exist.
    #[error("no such object")]
    NotFound,
    /// The object is larger than allowed; its body was not read.
    #[error("the object has {bytes} bytes")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        max_bytes: u64,
    },
    /// A passing fault.
    #[error("{0}")]
    Unavailable(String),
    /// A fault that stays.
    #[error("{0}")]
    Refused(String),
}

/// Names a failed call for the log.
pub(crate) fn describe<E>(operation: &str, error: &SdkError<E, HttpResponse>) -> String
where
    E: ProvideErrorMetadata,
{
    let what = match error {
        SdkError::ConstructionFailure(_) => "the request could not be built",
        SdkError::TimeoutError(_) => "timed out",
        SdkError::DispatchFailure(failure) if failure.is_timeout() => "timed out while connecting",
        SdkError::DispatchFailure(_) => "could not be sent",
        SdkError::ResponseError(_) => "the response cannot be read",
        SdkError::ServiceError(_) => "was refused",
        _ => "failed",
    };
    let status = error.raw_response().map_or(0, |response| response.status().as_u16());
    let code = error.as_service_error().and_then(ProvideErrorMetadata::code).unwrap_or("-");
    // S3 has a name of its own for the header.
    let header = |name| error.raw_response().and_then(|response| response.headers().get(name));
    let request_id = header("x-amzn-requestid").or_else(|| header("x-amz-request-id")).unwrap_or("-");
    format!("{operation} {what} (code {code}, status {status}, request {request_id})")
}

/// Maps a failed call whose reason does not matter to the caller.
pub(crate) fn unavailable<E: ProvideErrorMetadata>(operation: &str, error: &SdkError<E, HttpResponse>) -> Error {
    Error::Unavailable(describe(operation, error))
}

/// Whether AWS refused permanently: a client error that is neither a throttle nor a conflict.
pub(crate) fn is_final_refusal<E>(error: &SdkError<E, HttpResponse>) -> bool
where
    E: ProvideErrorMetadata,
{
    let Some(service) = error.as_service_error() else { return false };
    let client_fault = error.raw_response().is_some_and(|response| response.status().is_client_error());
    let throttled = error.raw_response().is_some_and(|response| response.status().as_u16() == 429)
        || service.code().is_some_and(|code| {
            matches!(code, "SlowDown" | "LimitExceededException" | "RequestTimeout" | "RequestTimeTooSkewed")
                || code.starts_with("Throttling")
                || code.starts_with("TooManyRequests")
                || code.starts_with("ProvisionedThroughput")
        });
    client_fault && !throttled
}
