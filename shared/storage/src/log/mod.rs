//! The transparency logs, one for each environment: their state in a table, and their files in a bucket.

mod files;
mod renewals;
mod signer;
mod state;

pub use files::{DatedCheckpoint, EnvironmentLog, LogFiles};
pub use renewals::{Covered, MalformedLine, Renewable, StoredRenewal};
pub use signer::LogSigner;
pub use state::{LogHead, LogLeaf, LogState, read_waiting_leaf};
