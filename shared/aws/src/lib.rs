//! The service's ports to AWS: DynamoDB tables and their items, S3 objects, KMS keys, secrets; and the client set-up.
//!
//! Values of `domain` go in and come out; no AWS type crosses this boundary. Every write is safe when it failed and when
//! it "failed but persisted" (it happened, the answer was lost): it carries the id of the attempt that makes it, and an
//! attempt that finds its own id goes on.

mod accounts;
mod captures;
mod config;
mod connection;
mod error;
mod frames;
mod item;
mod objects;
mod patience;
mod presign;
mod sessions;
mod signing_keys;

pub use accounts::{Accounts, CreateKeys, IngestLicense, LicenseUse};
pub use captures::{Captures, Commit, CommitOutcome};
pub use config::{Buckets, Config, ConfigError, PresignerConfig, StaticCredentials, Tables};
pub use connection::Connection;
pub use error::{Error, ReadObjectError, SignError};
pub use frames::{Frames, Reservation};
pub use objects::{ProofObjects, Uploads};
pub use patience::{Patience, within};
pub use presign::{Presigner, UPLOAD_CONTENT_TYPE};
pub use sessions::{Counted, OpenedSession, Sessions};
pub use signing_keys::{SignatureAlgorithm, SigningKeys};

/// Random bytes from the operating system.
#[must_use]
pub fn entropy<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // The system's generator does not fail once it works; without it no secret can be made, so nothing may go on.
    #[allow(clippy::expect_used)]
    getrandom::fill(&mut bytes).expect("the system's random generator works");
    bytes
}

/// The id of one attempt at something: 128 random bits in hexadecimal.
#[must_use]
pub fn attempt_id() -> String {
    hex::encode(entropy::<16>())
}
