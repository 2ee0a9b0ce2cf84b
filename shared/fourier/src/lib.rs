//! Fourier transforms of `f32`, for all crates that need them.
//!
//! `rustfft` is generic, so each crate that plans a transform compiles all of its algorithms, optimized, which takes a
//! minute. Here that happens once.

use std::sync::Arc;

use rustfft::FftPlanner;
pub use rustfft::{Fft, num_complex::Complex};

/// The forward transform of a number of values. It is not normalized.
#[must_use]
pub fn forward(length: usize) -> Arc<dyn Fft<f32>> {
    FftPlanner::new().plan_fft_forward(length)
}

/// The inverse transform of a number of values. It is not normalized: after both, a value is `length` times as large.
#[must_use]
pub fn inverse(length: usize) -> Arc<dyn Fft<f32>> {
    FftPlanner::new().plan_fft_inverse(length)
}
