//! Tests timestamps through the whole service: a license that requires them gets them or is refused; another gets them
//! if authorities respond quickly.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod demanded;
mod later;
mod not_demanded;
mod round_trips;
