//! Shared parts of the service's tests: a client, frames, verifiers, fault injection, and a proxy that counts round
//! trips.
//!
//! Tests use the service as its users do: HTTP on loopback and presigned URLs. The service runs in the test's process
//! on free ports, against in-process stand-ins for AWS, or with `LACRE_TEST_AWS_ENDPOINT` against an independent
//! implementation.

pub mod admin_api;
pub mod authority;
pub mod clock;
pub mod customer;
pub mod event;
pub mod faults;
pub mod frame;
pub mod gate;
pub mod hosted;
pub mod journal;
pub mod kits;
pub mod log;
pub mod openapi;
pub mod openssl;
pub mod operator;
pub mod outbox;
mod prepared;
pub mod receiver;
pub mod records;
pub mod responder;
pub mod scene;
pub mod service;
pub mod storage;
pub mod vault;
pub mod verifiers;

pub use authority::{Authority, Behavior};
pub use clock::TestClock;
pub use faults::{Fault, Faults};
pub use service::{Answer, Service};
pub use storage::Storage;
