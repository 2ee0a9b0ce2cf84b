//! The stream of the table Personal, which invokes `prints`.

use std::sync::Arc;

use aws_sdk_dynamodbstreams::types::{AttributeValue, Record, StreamRecord};
use lacre_prints::IndexPrints;
use serde_json::{from_value, json};

use crate::cloud_watch::CloudWatch;

use super::{captures::event, stream::Reader};

/// Delivers captures with a fingerprint to `prints` in batches.
pub(super) struct Fingerprints(pub(super) Arc<IndexPrints>, pub(super) CloudWatch);

impl Reader for Fingerprints {
    const FUNCTION: &str = "PrintsFunction";
    const DEAD_LETTERS: &str = "UnindexedCaptures";

    fn watch(&self) -> &CloudWatch {
        &self.1
    }

    async fn read(&self, arn: &str, records: &[Record]) -> Option<usize> {
        // On AWS the filter in `template.yaml` drops all other records.
        let images = |record: &Record| {
            let change = record.dynamodb();
            let has = |image: Option<&std::collections::HashMap<String, AttributeValue>>| {
                image.is_some_and(|image| image.contains_key("fingerprint"))
            };
            has(change.and_then(StreamRecord::new_image)) || has(change.and_then(StreamRecord::old_image))
        };
        let printed: Vec<_> = records.iter().filter(|record| images(record)).map(|record| event(arn, record)).collect();
        if printed.is_empty() {
            return None;
        }
        let begun = self.1.now();
        let outcome = match from_value(json!({ "Records": printed })) {
            Ok(event) => self.0.follow(event).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        self.1.invoked(Self::FUNCTION, begun, outcome.is_err());
        outcome.err().map(|cause| {
            tracing::error!(cause, "prints failed on the stream");
            0
        })
    }
}
