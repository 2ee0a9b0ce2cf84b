//! The interfaces that a platform implements: storage for one record, HTTP, and two clocks.

use lacre_license::Moment;

/// Stores one record across restarts, for this app only.
///
/// The client authenticates the record, so any storage is suitable: a file of the app, or the Keychain. No method may
/// call the [`LicenseClient`](crate::LicenseClient).
#[uniffi::export(rust, foreign)]
pub trait RecordStore: Send + Sync {
    /// Returns the record that was written last; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be read; the record is then treated as missing.
    fn read(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Replaces the record atomically: a process that is killed while writing must leave either the old or the new
    /// record intact.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the record may be lost when the process ends.
    fn write(&self, record: Vec<u8>) -> Result<(), StoreError>;

    /// Removes the record, if there is one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it may exist again after a restart.
    fn erase(&self) -> Result<(), StoreError>;
}

/// Sends requests to the licensing service.
#[uniffi::export(rust, foreign)]
pub trait Transport: Send + Sync {
    /// Posts JSON without following redirects, and returns whatever status and body arrive within `timeout_ms`
    /// milliseconds. The body contains the license key, so it must not be logged. The client calls this in a separate
    /// thread, and does not wait longer than the timeout.
    ///
    /// # Errors
    ///
    /// [`TransportError`] if no complete response arrives: no network, a timeout, a broken connection.
    fn post(&self, url: String, body: Vec<u8>, timeout_ms: u64) -> Result<Response, TransportError>;
}

/// Reads the clocks of the device.
#[uniffi::export(rust, foreign)]
pub trait Clock: Send + Sync {
    /// Reads the wall clock, and a clock that cannot be set and that continues while the device sleeps.
    fn now(&self) -> Moment;
}

/// A point in time on two clocks, in milliseconds.
#[uniffi::remote(Record)]
pub struct Moment {
    /// The wall clock, since 1970 in UTC. The user can change it.
    pub wall_ms: i64,
    /// A monotonic clock, which never goes back while the process lives, and continues while the device sleeps. Its
    /// start is arbitrary.
    pub monotonic_ms: u64,
}

/// An HTTP response.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The complete body.
    pub body: Vec<u8>,
}

/// The record could not be read, written or erased.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
pub enum StoreError {
    /// A failure for any reason.
    #[error("storage: {detail}")]
    Failed {
        /// The cause, for the SDK's own log.
        detail: String,
    },
}

/// No complete response arrived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
pub enum TransportError {
    /// A failure for any reason.
    #[error("network: {detail}")]
    Failed {
        /// The cause, for the SDK's own log.
        detail: String,
    },
}

impl From<uniffi::UnexpectedUniFFICallbackError> for StoreError {
    fn from(error: uniffi::UnexpectedUniFFICallbackError) -> Self {
        Self::Failed { detail: error.reason }
    }
}

impl From<uniffi::UnexpectedUniFFICallbackError> for TransportError {
    fn from(error: uniffi::UnexpectedUniFFICallbackError) -> Self {
        Self::Failed { detail: error.reason }
    }
}
