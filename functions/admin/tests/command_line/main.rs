//! `lacre-admin` as operators run it: the binary itself, its output and its exit codes, against a service of the test's own.

mod accounts;
mod connection;
mod evidence;
mod licenses;
mod operator;
mod signer;
