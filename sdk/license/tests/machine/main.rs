//! Tests of the machine on a simulated device, with the vectors and with random sequences.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod device;
mod questions;
mod sequences;
mod service;
mod vectors;
