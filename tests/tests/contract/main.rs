//! The contract, line by line: every row of its tables of errors, and the order of each route's checks.

mod order;
mod rows;
