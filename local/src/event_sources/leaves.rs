//! The log table's stream, which invokes `sequencer`.

use std::sync::Arc;

use aws_sdk_dynamodbstreams::types::{OperationType, Record};
use lacre_sequencer::Sequencer;
use serde_json::{from_value, json};

use crate::cloud_watch::CloudWatch;

use super::{captures::event, stream::Reader};

/// Delivers new leaves to `sequencer` in batches.
pub(super) struct Leaves(pub(super) Arc<Sequencer>, pub(super) CloudWatch);

impl Reader for Leaves {
    const FUNCTION: &str = "SequencerFunction";
    const DEAD_LETTERS: &str = "UnsequencedCaptures";

    fn watch(&self) -> &CloudWatch {
        &self.1
    }

    async fn read(&self, arn: &str, records: &[Record]) -> Option<usize> {
        // On AWS the filter in `template.yaml` drops all other records.
        let added = records.iter().filter(|record| record.event_name() == Some(&OperationType::Insert));
        let event = json!({ "Records": added.map(|record| event(arn, record)).collect::<Vec<_>>() });
        let (begun, mut log) = (self.1.now(), Vec::new());
        let outcome = match from_value(event) {
            Ok(event) => self.0.handle(event, &mut log).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        self.1.read(&log);
        self.1.invoked(Self::FUNCTION, begun, outcome.is_err());
        outcome.err().map(|cause| {
            tracing::error!(cause, "sequencer failed on the stream");
            0
        })
    }
}
