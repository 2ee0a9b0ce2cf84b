//! Tests of the client, with its stores, transports and clocks.

#![allow(clippy::panic, clippy::unwrap_used)]

mod client;
#[cfg(feature = "desktop")]
mod desktop;
