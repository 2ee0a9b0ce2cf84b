//! The common parts of the service's tests: a client, frames to capture, the verifiers, a gate that counts round trips.
//!
//! The tests talk to the service as its users do: real HTTP on loopback, real presigned URLs. Their service runs in their
//! own process, on free ports, against in-process stand-ins for AWS; with `LACRE_TEST_AWS_ENDPOINT` it runs against an
//! implementation of AWS that is not ours.

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
pub mod openapi;
pub mod openssl;
pub mod operator;
pub mod outbox;
mod prepared;
pub mod receiver;
pub mod records;
pub mod service;
pub mod storage;
pub mod vault;
pub mod verifiers;

pub use authority::{Authority, Behavior};
pub use clock::TestClock;
pub use faults::{Fault, Faults};
pub use service::{Answer, Service};
pub use storage::Storage;
