//! Tests of sealing a photo, and of the contents of the seal.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cades;
mod documentation;
mod sealing;
