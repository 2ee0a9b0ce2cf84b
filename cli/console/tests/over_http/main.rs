//! The console as a browser, and as an attacker, reaches it: requests byte by byte, before a server that plays API Gateway.
#![allow(clippy::unwrap_used, clippy::panic)]

mod access;
mod browser;
mod failures;
mod forwarding;
mod gateway;
mod operator;
mod page;
mod session;
