//! Timestamps, through the whole service: a license that demands them gets them or is refused, one that does not gets them
//! where they are quick to be had.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod demanded;
mod later;
mod not_demanded;
mod round_trips;

use base64::{Engine, engine::general_purpose::STANDARD};
use tests::Answer;

/// The signed photo of an ingest's answer.
fn photo_of(answer: Answer) -> Vec<u8> {
    STANDARD.decode(answer.ok()["signed_image_base64"].as_str().unwrap()).unwrap()
}
