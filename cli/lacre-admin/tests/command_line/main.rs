//! Runs the `lacre-admin` binary as operators do and tests its output and exit codes. Each test starts a service of its
//! own.
#![allow(clippy::unwrap_used, clippy::panic)]

mod accounts;
mod connection;
mod evidence;
mod kits;
mod licenses;
mod log;
mod operator;
mod signer;
mod signer_renewal;
mod signer_timestamps;
mod webhooks;
