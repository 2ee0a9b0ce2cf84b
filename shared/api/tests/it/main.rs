//! What is generated or written from the types of the API agrees with them.

#![allow(clippy::expect_used)]

#[cfg(feature = "openapi")]
mod generated;
