//! The metrics of a function, emitted as log lines.
//!
//! CloudWatch extracts metrics from log lines in its embedded metric format, so emitting them needs no API call.
//! [`collect`] gathers what a request measures anywhere in the code; [`Program`] writes it, one line for each request.

mod collector;
mod metric;
mod program;
mod record;

pub use collector::{Measures, add, collect, name_subject, refused, timed};
pub use metric::{
    AWS_CALLS, AWS_RETRIES, DURATION, INIT_CONNECT, INIT_DURATION, Metric, REFUSALS, REQUEST_BYTES, RESPONSE_BYTES,
    SERVER_ERRORS, Unit,
};
pub use program::{Initialization, Program};
pub use record::Record;
