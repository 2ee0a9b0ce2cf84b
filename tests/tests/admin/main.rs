//! Integration tests of the administration.

mod alerts;
mod api;
mod audit;
mod comparison;
mod copies;
mod custody;
mod evidence;
mod export;
mod faults;
mod hosting;
mod lifecycle;
mod lists;
mod protection;
mod restore;
mod search;
mod signer;
mod webhooks;
