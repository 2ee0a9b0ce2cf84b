//! Compares the files that are generated from, or written about, the API's types with these types.

#![allow(clippy::expect_used)]

#[cfg(feature = "openapi")]
mod generated;
