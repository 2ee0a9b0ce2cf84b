//! The integration tests of administration.

mod alerts;
mod api;
mod comparison;
mod custody;
mod evidence;
mod export;
mod faults;
mod lifecycle;
mod restore;
mod signer;
mod webhooks;
