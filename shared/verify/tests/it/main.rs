//! Tests of the verifier with proofs that are intact, tampered with, revoked, logged and timestamped.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod claimant;
mod decades;
mod dossier;
mod log;
mod page;
mod revocation;
mod rewrapping;
mod sentences;
mod staple;
mod tampering;
mod timestamps;
mod vector;
mod vectors;
