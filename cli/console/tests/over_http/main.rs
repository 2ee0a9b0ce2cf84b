//! Tests the console over HTTP, with requests written byte by byte and a server in place of API Gateway.
#![allow(clippy::unwrap_used, clippy::panic)]

mod access;
mod browser;
mod failures;
mod forwarding;
mod gateway;
mod operator;
mod page;
mod session;
