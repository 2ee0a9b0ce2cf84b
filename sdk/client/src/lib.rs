//! License validation for the native SDKs: the rules of [`lacre_license`], with the storage and the network of the platform.
//!
//! An SDK makes one [`LicenseClient`] from its [`RecordStore`], its [`Transport`] and its [`Clock`], and asks it before and after
//! each capture. UniFFI generates the Kotlin, Swift and Python that call it. Calls block until they are decided, for as long as a
//! network attempt takes: an app makes them outside its main thread.

mod authenticated;
mod client;
#[cfg(feature = "desktop")]
mod desktop;
mod error;
mod policy;
mod supplied;

pub use client::{LicenseClient, Platform};
#[cfg(feature = "desktop")]
pub use desktop::{FileStore, HttpTransport, SystemClock};
pub use error::LicenseError;
pub use lacre_license::Moment;
pub use policy::{CaptureResolution, DeviceIntegrity, Environment, IntegrityEnforcement, Permit, Policy, Reason, Risk};
pub use supplied::{Clock, RecordStore, Response, StoreError, Transport, TransportError};

uniffi::setup_scaffolding!();
