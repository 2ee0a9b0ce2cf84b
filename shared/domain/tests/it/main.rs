//! The refusals, compared with the tables that document them.

#![allow(clippy::expect_used)]

mod contract;
mod refusals;
