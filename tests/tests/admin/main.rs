//! The integration tests of administration.

mod alerts;
mod api;
mod evidence;
mod faults;
mod lifecycle;
mod signer;
mod webhooks;
