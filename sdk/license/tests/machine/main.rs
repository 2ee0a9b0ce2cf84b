//! The machine on a simulated device: by the vectors, and by random sequences.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod device;
mod questions;
mod sequences;
mod service;
mod vectors;
