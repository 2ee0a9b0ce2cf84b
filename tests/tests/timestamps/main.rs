//! Timestamps, through the whole service: a license that demands them gets them or is refused, one that does not gets them
//! where they are quick to be had.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod demanded;
mod later;
mod not_demanded;
mod round_trips;
