//! The transparency log: its state in a table, its files in a bucket. Each environment has a log of its own.

mod files;
mod signer;
mod state;

pub use files::{DatedCheckpoint, EnvironmentLog, LogFiles};
pub use signer::LogSigner;
pub use state::{LogHead, LogLeaf, LogState, read_waiting_leaf};
