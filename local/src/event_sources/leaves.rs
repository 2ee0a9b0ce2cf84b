//! The evidence table's stream, for `sequencer`.

use aws_sdk_dynamodbstreams::types::{OperationType, Record};
use sequencer::Sequencer;
use serde_json::json;

use crate::cloud_watch::CloudWatch;

use super::{captures::event, stream::Reader};

/// Hands captures to `sequencer`, in batches.
pub(super) struct Leaves(pub(super) Sequencer, pub(super) CloudWatch);

impl Reader for Leaves {
    const FUNCTION: &str = "SequencerFunction";
    const DEAD_LETTERS: &str = "UnsequencedCaptures";

    fn watch(&self) -> &CloudWatch {
        &self.1
    }

    async fn read(&self, arn: &str, records: &[Record]) -> Option<usize> {
        // The others are filtered out in `template.yaml`.
        let captured = records.iter().filter(|record| record.event_name() == Some(&OperationType::Insert));
        let event = json!({ "Records": captured.map(|record| event(arn, record)).collect::<Vec<_>>() });
        let (begun, mut log) = (self.1.now(), Vec::new());
        let outcome = self.0.handle(event, &mut log).await;
        self.1.read(&log);
        self.1.invoked(Self::FUNCTION, begun, outcome.is_err());
        outcome.err().map(|error| {
            tracing::error!(cause = %error, "sequencer failed on the stream");
            0
        })
    }
}
