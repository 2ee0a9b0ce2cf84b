//! Timestamp authorities: genuine ones, and ones whose responses are false; and decoders beside those of others.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod authority_lies;
mod decoders;
mod openssl_authority;
