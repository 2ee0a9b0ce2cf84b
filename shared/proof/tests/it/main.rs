//! Timestamp authorities: genuine ones, and ones whose responses are false.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod authority_lies;
mod openssl_authority;
