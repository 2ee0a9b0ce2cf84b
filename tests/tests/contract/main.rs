//! Tests every row of the error tables in `docs/reference`, and `docs/reference/api.md#order-of-checks`.

mod order;
mod rows;
