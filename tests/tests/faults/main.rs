//! Tests of the service while AWS fails, and under contention.

mod case;
mod contention;
mod expected;
mod find_proof;
mod layer;
mod matrix;
mod slow;
mod webhooks;
