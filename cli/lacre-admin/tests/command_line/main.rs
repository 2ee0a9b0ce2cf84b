//! `lacre-admin` as operators run it: the binary itself, its output and its exit codes, against a service of the test's own.
#![allow(clippy::unwrap_used, clippy::panic)]

mod accounts;
mod connection;
mod evidence;
mod licenses;
mod log;
mod operator;
mod signer;
mod signer_renewal;
mod signer_timestamps;
mod webhooks;
