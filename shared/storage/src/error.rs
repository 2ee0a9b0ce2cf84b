//! The errors of ports. Their texts are for the log: they contain the operation, the error code and AWS's request id,
//! but no item's key or contents.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::error::operation::BuildError;
use lacre_api::Refusal;

/// A call to AWS failed, or its result is unusable.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The call failed or its response was lost; whether it took effect is unknown.
    #[error("{0}")]
    Unavailable(String),
    /// The record exists, but cannot be parsed.
    #[error("{what} cannot be read: {cause}")]
    Corrupt {
        /// The kind of record.
        what: &'static str,
        /// The fault, without the record's contents.
        cause: String,
    },
}

impl Error {
    /// The refusal for this error: `corrupt` if a record cannot be parsed, otherwise `unavailable`.
    #[must_use]
    pub fn refusal(&self, corrupt: Refusal, unavailable: Refusal) -> Refusal {
        match self {
            Self::Corrupt { .. } => corrupt,
            Self::Unavailable(_) => unavailable,
        }
    }
}

/// Why a secret was not read, or a URL was not signed.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The deployment lacks something that the call needs.
    #[error("configuration: {0}")]
    Misconfigured(&'static str),
    /// A call to AWS failed.
    #[error(transparent)]
    Aws(#[from] Error),
}

/// Why an uploaded image could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadObjectError {
    /// The object does not exist.
    #[error("the object does not exist")]
    NotFound,
    /// The object exceeds the size limit; its body was not read.
    #[error("the object has {bytes} bytes")]
    TooLarge {
        /// The object's size in bytes.
        bytes: u64,
        /// The limit in bytes.
        max_bytes: u64,
    },
    /// A transient failure.
    #[error("{0}")]
    Unavailable(String),
    /// A permanent failure.
    #[error("{0}")]
    Refused(String),
}

/// Describes a failed call for the log.
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
    // S3 uses another header name for the request id.
    let header = |name| error.raw_response().and_then(|response| response.headers().get(name));
    let request_id = header("x-amzn-requestid").or_else(|| header("x-amz-request-id")).unwrap_or("-");
    format!("{operation} {what} (code {code}, status {status}, request {request_id})")
}

/// Converts a failed call whose cause does not matter to the caller.
pub(crate) fn unavailable<E: ProvideErrorMetadata>(operation: &str, error: &SdkError<E, HttpResponse>) -> Error {
    Error::Unavailable(describe(operation, error))
}

/// Converts the error of a request that lacks a required member, which its text names.
pub(crate) fn incomplete(error: BuildError) -> Error {
    Error::Unavailable(format!("the request could not be built: {error}"))
}

/// Whether AWS refused a call permanently: a client error that is neither throttling nor a conflict.
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
