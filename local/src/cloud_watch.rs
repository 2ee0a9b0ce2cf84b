//! CloudWatch, as far as alarms read it: what each part of the service counts where AWS would, and what functions log.
//!
//! Dimensions that AWS gives as an id of a resource are its logical name in `template.yaml` here.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use lacre_domain::Clock;
use serde_json::Value;
use time::{Duration, OffsetDateTime};

/// No alarm looks further back.
const KEPT: Duration = Duration::hours(6);

/// A metric's dimensions.
pub type Dimensions = BTreeMap<String, String>;

/// The values of a metric in some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// Their sum.
    pub sum: f64,
    /// The least of them.
    pub minimum: f64,
    /// The greatest of them.
    pub maximum: f64,
}

/// Namespace, name and dimensions of a metric.
type Metric = (String, String, Dimensions);

/// The metrics of a service: for each, what was counted in a second of the service's time.
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

    /// Counts in a metric.
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

    /// An answer of a gateway.
    pub(crate) fn answered(&self, api: &str, status: u16) {
        self.count("AWS/ApiGateway", "Count", &[("ApiId", api)], 1.0);
        self.count("AWS/ApiGateway", "4xx", &[("ApiId", api)], f64::from(u8::from((400..500).contains(&status))));
        self.count("AWS/ApiGateway", "5xx", &[("ApiId", api)], f64::from(u8::from(status >= 500)));
    }

    /// An invocation of a function that ended.
    pub(crate) fn invoked(&self, function: &str, begun: OffsetDateTime, failed: bool) {
        let count = |metric, value| self.count("AWS/Lambda", metric, &[("FunctionName", function)], value);
        count("Invocations", 1.0);
        count("Errors", f64::from(u8::from(failed)));
        count("Duration", (self.now() - begun).as_seconds_f64() * 1e3);
    }

    /// An invocation that found no free instance of the function.
    pub(crate) fn throttled(&self, function: &str) {
        self.count("AWS/Lambda", "Throttles", &[("FunctionName", function)], 1.0);
    }

    /// Records that were given up: a batch is one message, which nobody takes from its queue here.
    pub(crate) fn dead_letters(&self, queue: &str) {
        self.count("AWS/SQS", "ApproximateNumberOfMessagesVisible", &[("QueueName", queue)], 1.0);
    }

    /// Reads metrics from a log, in the embedded metric format. They count when they arrive: a line has the machine's time.
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

    /// The values of a metric after a time, up to another; `None` without any.
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
