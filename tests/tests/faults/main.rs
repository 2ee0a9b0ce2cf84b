//! The service while AWS fails, and while everybody comes at once.

mod case;
mod contention;
mod expected;
mod layer;
mod matrix;
mod slow;
