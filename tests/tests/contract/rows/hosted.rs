//! Rows of the tables in `docs/reference/hosted-flow.md`.

pub(super) mod create;
pub(super) mod results;
pub(super) mod skip;
pub(super) mod status;
pub(super) mod validate;
