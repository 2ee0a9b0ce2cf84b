//! The service while AWS fails, and while everybody comes at once.

mod contention;
mod layer;
