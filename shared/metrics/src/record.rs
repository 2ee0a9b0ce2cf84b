//! A log line in CloudWatch's embedded metric format.
//!
//! The format: <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::Metric;

const NAMESPACE: &str = "Lacre";

/// A JSON object from which CloudWatch extracts metrics. Its other properties can be searched in the log.
#[derive(Clone, Debug)]
pub struct Record {
    at: SystemTime,
    fields: Map<String, Value>,
    directives: Vec<Value>,
}

impl Record {
    /// Creates an empty record. CloudWatch accepts times from two weeks ago to two hours ahead.
    #[must_use]
    pub fn at(at: SystemTime) -> Self {
        Self { at, fields: Map::new(), directives: Vec::new() }
    }

    /// Adds a property, which can be a dimension or only serve searches in the log.
    #[must_use]
    pub fn property(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Adds metrics with the given dimensions, which are names of properties. Has no effect without metrics.
    #[must_use]
    pub fn metrics(mut self, dimensions: &[&str], metrics: &[(Metric, f64)]) -> Self {
        if metrics.is_empty() {
            return self;
        }
        let named = metrics.iter().map(|(metric, _)| json!({ "Name": metric.name, "Unit": metric.unit.name() }));
        self.directives.push(json!({
            "Namespace": NAMESPACE, "Dimensions": [dimensions], "Metrics": named.collect::<Vec<_>>(),
        }));
        self.fields.extend(metrics.iter().map(|(metric, value)| (metric.name.to_owned(), number(*value))));
        self
    }

    /// Formats the record as a line.
    #[must_use]
    pub fn line(mut self) -> String {
        let at = self.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let metadata = json!({ "Timestamp": at.as_millis() as u64, "CloudWatchMetrics": self.directives });
        self.fields.insert("_aws".to_owned(), metadata);
        Value::from(self.fields).to_string()
    }
}

/// Formats integers without a fraction.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use super::*;
    use crate::{AWS_CALLS, DURATION, REFUSALS};

    #[test]
    fn writes_the_embedded_metric_format() {
        let record = Record::at(UNIX_EPOCH + Duration::from_millis(1_795_176_000_123))
            .property("Stack", "lacre")
            .property("Function", "ingest")
            .property("BlockReason", "web_duplicate")
            .metrics(&["Stack", "Function"], &[(DURATION, 12.5), (AWS_CALLS, 3.0)])
            .metrics(&["Stack", "Function", "BlockReason"], &[(REFUSALS, 1.0)])
            .metrics(&["Stack"], &[]);
        let line = record.line();
        assert!(!line.contains('\n'));
        assert_eq!(
            serde_json::from_str::<Value>(&line).unwrap(),
            json!({
                "_aws": {
                    "Timestamp": 1_795_176_000_123_u64,
                    "CloudWatchMetrics": [
                        {
                            "Namespace": "Lacre",
                            "Dimensions": [["Stack", "Function"]],
                            "Metrics": [
                                { "Name": "Duration", "Unit": "Milliseconds" }, { "Name": "AwsCalls", "Unit": "Count" },
                            ],
                        },
                        {
                            "Namespace": "Lacre",
                            "Dimensions": [["Stack", "Function", "BlockReason"]],
                            "Metrics": [{ "Name": "Refusals", "Unit": "Count" }],
                        },
                    ],
                },
                "Stack": "lacre", "Function": "ingest", "BlockReason": "web_duplicate",
                "Duration": 12.5, "AwsCalls": 3, "Refusals": 1,
            })
        );
    }
}
