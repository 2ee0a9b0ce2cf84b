//! A stand-in for CloudWatch, as far as alarms need it: metrics that AWS itself would count, and metrics from the
//! functions' logs.
//!
//! Where AWS uses a resource id as a dimension, this uses the resource's logical name in `template.yaml`.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use lacre_domain::Clock;
use serde_json::Value;
use time::{Duration, OffsetDateTime};

/// Retention of data points. No alarm evaluates a longer period.
const KEPT: Duration = Duration::hours(26);

/// Dimensions of a metric, by name.
pub type Dimensions = BTreeMap<String, String>;

/// Statistics of a metric over a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// Sum of the values.
    pub sum: f64,
    /// Smallest value.
    pub minimum: f64,
    /// Greatest value.
    pub maximum: f64,
}

/// Namespace, name and dimensions, which identify a metric.
type Metric = (String, String, Dimensions);

/// The metrics of a service. Values are grouped by second of the service's clock.
#[derive(Clone)]
pub struct CloudWatch {
    clock: Arc<dyn Clock>,
    seconds: Arc<Mutex<HashMap<Metric, Seconds>>>,
}

type Seconds = VecDeque<(OffsetDateTime, Statistics)>;

impl fmt::Debug for CloudWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudWatch").finish_non_exhaustive()
    }
}

impl Statistics {
    fn and(self, other: Self) -> Self {
        Self {
            sum: self.sum + other.sum,
            minimum: self.minimum.min(other.minimum),
            maximum: self.maximum.max(other.maximum),
        }
    }
}

impl CloudWatch {
    pub(crate) fn new(clock: &Arc<dyn Clock>) -> Self {
        Self { clock: Arc::clone(clock), seconds: Arc::default() }
    }

    pub(crate) fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Adds a value to a metric.
    pub fn count(&self, namespace: &str, metric: &str, dimensions: &[(&str, &str)], value: f64) {
        let dimensions = dimensions.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.keep(namespace, metric, dimensions.collect(), value);
    }

    fn keep(&self, namespace: &str, metric: &str, dimensions: Dimensions, value: f64) {
        let (now, one) = (self.now(), Statistics { sum: value, minimum: value, maximum: value });
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = seconds.entry((namespace.to_owned(), metric.to_owned(), dimensions)).or_default();
        match counted.back_mut() {
            Some((at, before)) if at.unix_timestamp() == now.unix_timestamp() => *before = before.and(one),
            _ => counted.push_back((now, one)),
        }
        while counted.front().is_some_and(|(at, _)| *at + KEPT < now) {
            counted.pop_front();
        }
    }

    /// Counts a response of a gateway.
    pub(crate) fn answered(&self, api: &str, status: u16) {
        self.count("AWS/ApiGateway", "Count", &[("ApiId", api)], 1.0);
        self.count("AWS/ApiGateway", "4xx", &[("ApiId", api)], f64::from(u8::from((400..500).contains(&status))));
        self.count("AWS/ApiGateway", "5xx", &[("ApiId", api)], f64::from(u8::from(status >= 500)));
    }

    /// Counts a completed invocation of a function.
    pub(crate) fn invoked(&self, function: &str, begun: OffsetDateTime, failed: bool) {
        let count = |metric, value| self.count("AWS/Lambda", metric, &[("FunctionName", function)], value);
        count("Invocations", 1.0);
        count("Errors", f64::from(u8::from(failed)));
        count("Duration", (self.now() - begun).as_seconds_f64() * 1e3);
    }

    /// Counts an invocation that was throttled because no instance of the function was free.
    pub(crate) fn throttled(&self, function: &str) {
        self.count("AWS/Lambda", "Throttles", &[("FunctionName", function)], 1.0);
    }

    /// Counts a batch that was sent to a dead-letter queue. A batch is one message, and nothing here consumes the
    /// queue.
    pub(crate) fn dead_letters(&self, queue: &str) {
        self.count("AWS/SQS", "ApproximateNumberOfMessagesVisible", &[("QueueName", queue)], 1.0);
    }

    /// Reads metrics in the embedded metric format from a log. They are dated by their arrival, because the lines carry
    /// the machine's time instead of the service's.
    pub fn read(&self, log: &[u8]) {
        for line in String::from_utf8_lossy(log).lines() {
            let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
            for directive in record["_aws"]["CloudWatchMetrics"].as_array().into_iter().flatten() {
                for metric in directive["Metrics"].as_array().into_iter().flatten() {
                    self.read_metric(&record, directive, metric["Name"].as_str().unwrap_or_default());
                }
            }
        }
    }

    fn read_metric(&self, record: &Value, directive: &Value, metric: &str) {
        let Some(value) = record[metric].as_f64() else { return };
        for names in directive["Dimensions"].as_array().into_iter().flatten() {
            let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
            let named = |name: &str| (name.to_owned(), record[name].as_str().unwrap_or_default().to_owned());
            self.keep(directive["Namespace"].as_str().unwrap_or_default(), metric, names.map(named).collect(), value);
        }
    }

    /// Statistics of a metric between two times; `None` if it has no values there.
    #[must_use]
    pub fn statistics(
        &self,
        (namespace, metric): (&str, &str),
        dimensions: &Dimensions,
        (after, until): (OffsetDateTime, OffsetDateTime),
    ) -> Option<Statistics> {
        let seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = seconds.get(&(namespace.to_owned(), metric.to_owned(), dimensions.clone()))?;
        let then = counted.iter().filter(|(at, _)| after < *at && *at <= until);
        then.map(|(_, statistics)| *statistics).reduce(Statistics::and)
    }
}
