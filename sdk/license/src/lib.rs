//! The rules of license validation in native SDKs: when the network is used, how long a result is valid, and what
//! refuses a capture.
//!
//! The crate has no I/O, clock or threads. A [`Machine`] takes an [`Event`] with the [`Moment`] at which it happens,
//! and returns the [`Effect`]s to carry out, in order:
//!
//! ```
//! use lacre_license::{Effect, Event, Machine, Moment, RULES_ANDROID, Settings};
//!
//! let mut machine = Machine::new(&RULES_ANDROID);
//! let settings = Settings {
//!     license_url: "https://license.example.com".into(),
//!     license_key: "svc_live_3pXk…".into(),
//!     app: "com.example.sinistros".into(),
//! };
//! let now = Moment { wall_ms: 1_790_000_000_000, monotonic_ms: 52_000 };
//! let effects = machine.handle(Event::Configure { settings, stored: None }, now);
//! assert!(matches!(effects[..], [Effect::Ask(_)]));
//! ```
//!
//! The platforms differ only in their [`Rules`].

mod answer;
mod integrity;
mod machine;
mod policy;
mod record;
mod rules;
mod settings;
mod success;

pub use integrity::{DeviceIntegrity, Risk};
pub use machine::{Ask, Attempt, Decision, Denial, Effect, Event, Machine, Permit};
pub use policy::{CaptureResolution, Environment, IntegrityEnforcement, Policy, Reason};
pub use rules::{RULES_ANDROID, RULES_IOS, Rules, Tolerance};
pub use settings::Settings;
pub use success::Moment;
