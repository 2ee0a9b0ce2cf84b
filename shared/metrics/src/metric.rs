//! The metrics that more than one function has.

/// The unit of a value, as CloudWatch spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things.
    Count,
    /// Time.
    Milliseconds,
    /// Size.
    Bytes,
}

impl Unit {
    /// The name that CloudWatch knows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "Count",
            Self::Milliseconds => "Milliseconds",
            Self::Bytes => "Bytes",
        }
    }
}

/// A metric of the namespace `Lacre`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: Unit,
}

impl Metric {
    /// A metric.
    #[must_use]
    pub const fn new(name: &'static str, unit: Unit) -> Self {
        Self { name, unit }
    }
}

/// From taking a request to its answer.
pub const DURATION: Metric = Metric::new("Duration", Unit::Milliseconds);
/// Calls to AWS, first attempts only.
pub const AWS_CALLS: Metric = Metric::new("AwsCalls", Unit::Count);
/// Further attempts at calls to AWS.
pub const AWS_RETRIES: Metric = Metric::new("AwsRetries", Unit::Count);
/// The body of the request.
pub const REQUEST_BYTES: Metric = Metric::new("RequestBytes", Unit::Bytes);
/// The body of the answer.
pub const RESPONSE_BYTES: Metric = Metric::new("ResponseBytes", Unit::Bytes);
/// Requests that were refused, by `BlockReason`.
pub const REFUSALS: Metric = Metric::new("Refusals", Unit::Count);
/// Responses with a status of 500 or more: of a function, and of all functions of the stack.
pub const SERVER_ERRORS: Metric = Metric::new("ServerErrors", Unit::Count);
/// From the first line of `main` until the function is ready for requests.
pub const INIT_DURATION: Metric = Metric::new("InitDuration", Unit::Milliseconds);
/// The part of it that goes to connections, and to what is fetched ahead of the first request.
pub const INIT_CONNECT: Metric = Metric::new("InitConnect", Unit::Milliseconds);
