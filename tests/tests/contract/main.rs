//! Every row of the tables of errors in `docs/reference`, and `docs/reference/api.md#order-of-checks`.

mod order;
mod rows;
