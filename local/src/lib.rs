//! Everything on this machine: the functions' handlers behind small gateways, with stand-ins for AWS in one process.
//!
//! [`Service::start`] is the whole of it, for the binary `local` and for tests, which start as many as they like in their
//! own process. The functions never know that they are local: the same SDK calls, other endpoints.

mod clients;
mod gateway;
pub mod provision;
pub mod seed;
mod server;
pub mod service;
pub mod stand_ins;

pub use seed::Keys;
pub use service::{Aws, Elsewhere, Error, Options, Service};
pub use stand_ins::Storage;
