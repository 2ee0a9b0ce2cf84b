//! What a verifier says of proofs: whole, tampered with, revoked, logged, timestamped.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod claimant;
mod log;
mod page;
mod revocation;
mod rewrapping;
mod sentences;
mod tampering;
mod timestamps;
mod vector;
mod vectors;
