//! The metrics of a function, emitted as log lines.
//!
//! CloudWatch reads metrics from lines in its embedded metric format, so emitting one makes no request. [`collect`] gathers what
//! a request measures while it runs, from wherever in the code it is measured; [`Program`] writes it down, one line a
//! request.

mod collector;
mod metric;
mod program;
mod record;

pub use collector::{Measures, add, collect, name_request, refused, timed};
pub use metric::{
    AWS_CALLS, AWS_RETRIES, DURATION, INIT_CONNECT, INIT_DURATION, Metric, REFUSALS, REQUEST_BYTES, RESPONSE_BYTES,
    SERVER_ERRORS, Unit,
};
pub use program::{Initialization, Program};
pub use record::Record;
