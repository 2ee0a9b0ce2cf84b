//! The whole service on this machine: the functions' handlers behind small gateways, and stand-ins for AWS, in one
//! process.
//!
//! [`Service::start`] starts it, for the binary `local` and for tests, which may start several in one process. The
//! functions make the same SDK calls as on AWS, only to other endpoints.

mod clients;
mod cloud_watch;
mod demo;
mod event_sources;
mod functions;
mod gateway;
mod local_aws;
mod log_server;
mod options;
pub mod provision;
mod public;
mod relay;
mod seed;
mod server;
mod service;
pub mod stand_ins;
mod state;
mod timestamps;
mod verify_page;

pub use cloud_watch::{CloudWatch, Dimensions, Statistics};
pub use event_sources::Rule;
/// Re-exported for tests that start every function.
pub use lacre_capture_page::CapturePage;
pub use lacre_pki::ServerName;
pub use local_aws::start_stand_ins;
pub use options::{Aws, ExternalAws, Options};
pub use public::{Public, TRUST_STEPS, Trust};
pub use seed::Keys;
pub use service::{Error, Service};
pub use stand_ins::Storage;
