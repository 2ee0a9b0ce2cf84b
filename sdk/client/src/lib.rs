//! License validation for native SDKs: the rules of [`lacre_license`], with the storage and network of the platform.
//!
//! An SDK creates one [`LicenseClient`] from its [`RecordStore`], [`Transport`] and [`Clock`], and calls it before and
//! after each capture. UniFFI generates bindings for Kotlin, Swift and Python. Calls block until they are decided, up
//! to the time limit of a network attempt, so an app must make them outside its main thread.
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
