//! The metrics that several functions share.

/// The unit of a metric, one of those of CloudWatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Count,
    /// A duration.
    Milliseconds,
    /// A size.
    Bytes,
}

impl Unit {
    /// The unit's name in CloudWatch.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "Count",
            Self::Milliseconds => "Milliseconds",
            Self::Bytes => "Bytes",
        }
    }
}

/// A metric in the CloudWatch namespace `Lacre`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name of the metric.
    pub name: &'static str,
    /// The unit of the values.
    pub unit: Unit,
}

impl Metric {
    /// Defines a metric.
    #[must_use]
    pub const fn new(name: &'static str, unit: Unit) -> Self {
        Self { name, unit }
    }
}

/// Duration from receiving a request to its response.
pub const DURATION: Metric = Metric::new("Duration", Unit::Milliseconds);
/// Number of calls to AWS, without their retries.
pub const AWS_CALLS: Metric = Metric::new("AwsCalls", Unit::Count);
/// Number of retries of calls to AWS.
pub const AWS_RETRIES: Metric = Metric::new("AwsRetries", Unit::Count);
/// Size of the request's body.
pub const REQUEST_BYTES: Metric = Metric::new("RequestBytes", Unit::Bytes);
/// Size of the response's body.
pub const RESPONSE_BYTES: Metric = Metric::new("ResponseBytes", Unit::Bytes);
/// Number of refused requests, with the dimension `BlockReason`.
pub const REFUSALS: Metric = Metric::new("Refusals", Unit::Count);
/// Number of responses with status 500 or more, for each function and for all functions of the stack.
pub const SERVER_ERRORS: Metric = Metric::new("ServerErrors", Unit::Count);
/// Duration from the start of `main` until the function is ready for requests.
pub const INIT_DURATION: Metric = Metric::new("InitDuration", Unit::Milliseconds);
/// The part of [`INIT_DURATION`] that is spent on connections, and on data that is fetched before the first request.
pub const INIT_CONNECT: Metric = Metric::new("InitConnect", Unit::Milliseconds);
