//! The evidence table's stream, which invokes `alerts`.

use std::sync::Arc;

use aws_sdk_dynamodbstreams::types::{OperationType, Record, StreamRecord};
use lacre_alerts::Alerts;
use serde_json::{Value, json};

use crate::cloud_watch::CloudWatch;

use super::stream::{Reader, sequence_number};

/// Delivers captures to `alerts` in batches.
pub(super) struct Captures(pub(super) Arc<Alerts>, pub(super) CloudWatch);

impl Reader for Captures {
    const FUNCTION: &str = "AlertsFunction";
    const DEAD_LETTERS: &str = "UnreadCaptures";

    fn watch(&self) -> &CloudWatch {
        &self.1
    }

    async fn read(&self, arn: &str, records: &[Record]) -> Option<usize> {
        // On AWS the filter in `template.yaml` drops all other records.
        let captured = records.iter().filter(|record| record.event_name() == Some(&OperationType::Insert));
        let event = json!({ "Records": captured.map(|record| event(arn, record)).collect::<Vec<_>>() });
        let (begun, mut log) = (self.1.now(), Vec::new());
        let outcome = self.0.handle(event, &mut log).await;
        self.1.read(&log);
        self.1.invoked(Self::FUNCTION, begun, outcome.is_err());
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(cause = %error, "alerts failed on the stream");
                return Some(0);
            }
        };
        failed(&answer, records)
    }
}

/// Index of the first record that failed, from a function's partial batch response. It and all later records are
/// delivered again.
pub(super) fn failed(answer: &Value, records: &[Record]) -> Option<usize> {
    let failed = answer["batchItemFailures"][0]["itemIdentifier"].as_str()?;
    records.iter().position(|record| sequence_number(record).as_deref() == Some(failed)).or(Some(0))
}

/// A stream record in the form of a Lambda event.
pub(super) fn event(arn: &str, record: &Record) -> Value {
    let change = record.dynamodb();
    let item = |image: Option<&_>| image.cloned().map(serde_dynamo::Item::from);
    let at = change.and_then(StreamRecord::approximate_creation_date_time);
    json!({
        "eventID": record.event_id(),
        "eventName": record.event_name().map(OperationType::as_str),
        "eventVersion": record.event_version(),
        "eventSource": "aws:dynamodb",
        "awsRegion": record.aws_region(),
        "eventSourceARN": arn,
        "dynamodb": {
            "ApproximateCreationDateTime": at.map(|at| at.secs()),
            "Keys": item(change.and_then(StreamRecord::keys)),
            "NewImage": item(change.and_then(StreamRecord::new_image)),
            "OldImage": item(change.and_then(StreamRecord::old_image)),
            "SequenceNumber": sequence_number(record),
            "SizeBytes": change.and_then(StreamRecord::size_bytes),
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    })
}
