//! Sealing a photo, and what the seal holds.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cades;
mod documentation;
mod sealing;
