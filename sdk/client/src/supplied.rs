//! What a platform supplies: a place for one record, HTTP, and two clocks.

use lacre_license::Moment;

/// Keeps one record, for this app only, across restarts.
///
/// What it returns is authenticated, so it may be any storage: a file of the app, or the Keychain. No method may call the
/// [`LicenseClient`](crate::LicenseClient).
#[uniffi::export(rust, foreign)]
pub trait RecordStore: Send + Sync {
    /// The record that was written last; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be read. It counts as none.
    fn read(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Puts a record in the place of the one that is there. Both are whole at any moment: a process that is killed while it
    /// writes leaves one of the two.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the record may be lost when the process ends.
    fn write(&self, record: Vec<u8>) -> Result<(), StoreError>;

    /// Removes the record, if there is one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it may be there again after a restart.
    fn erase(&self) -> Result<(), StoreError>;
}

/// Sends a question to the licensing service.
#[uniffi::export(rust, foreign)]
pub trait Transport: Send + Sync {
    /// Posts JSON, follows no redirect, and returns whatever status and body arrive before `timeout_ms` milliseconds have passed.
    /// The body holds the license key: it belongs in no log. The client calls it on a thread of its own, and does not wait longer.
    ///
    /// # Errors
    ///
    /// [`TransportError`] if the answer is not whole: no network, a time-out, a broken connection.
    fn post(&self, url: String, body: Vec<u8>, timeout_ms: u64) -> Result<Response, TransportError>;
}

/// Reads the clocks of the device.
#[uniffi::export(rust, foreign)]
pub trait Clock: Send + Sync {
    /// The wall clock, and a clock that nobody can set and that goes on while the device sleeps.
    fn now(&self) -> Moment;
}

/// A moment by two clocks, in milliseconds.
#[uniffi::remote(Record)]
pub struct Moment {
    /// The wall clock, since 1970 in UTC. A person can set it.
    pub wall_ms: i64,
    /// A clock that never goes back while the process lives, and goes on while the device sleeps. Its start is arbitrary.
    pub monotonic_ms: u64,
}

/// An answer over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The whole body.
    pub body: Vec<u8>,
}

/// The record could not be read, written or erased.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
pub enum StoreError {
    /// Whatever the reason.
    #[error("storage: {detail}")]
    Failed {
        /// For the SDK's own log.
        detail: String,
    },
}

/// No whole answer arrived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
pub enum TransportError {
    /// Whatever the reason.
    #[error("network: {detail}")]
    Failed {
        /// For the SDK's own log.
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
