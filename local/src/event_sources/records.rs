//! The streams of the evidence and audit tables, which invoke `export`.

use std::sync::Arc;

use aws_sdk_dynamodbstreams::types::Record;
use lacre_export::ExportEvidence;
use serde_json::{from_value, json};

use crate::cloud_watch::CloudWatch;

use super::{
    captures::{event, failed},
    stream::Reader,
};

/// Delivers records to `export` in batches.
pub(super) struct Records(pub(super) Arc<ExportEvidence>, pub(super) CloudWatch);

impl Reader for Records {
    const FUNCTION: &str = "ExportFunction";
    const DEAD_LETTERS: &str = "UnexportedCaptures";

    fn watch(&self) -> &CloudWatch {
        &self.1
    }

    async fn read(&self, arn: &str, records: &[Record]) -> Option<usize> {
        let event = json!({ "Records": records.iter().map(|record| event(arn, record)).collect::<Vec<_>>() });
        let (begun, mut log) = (self.1.now(), Vec::new());
        let answer = match from_value(event) {
            Ok(event) => self.0.handle(event, &mut log).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        self.1.read(&log);
        self.1.invoked(Self::FUNCTION, begun, answer.is_err());
        match answer.and_then(|answer| serde_json::to_value(answer).map_err(|error| error.to_string())) {
            Ok(answer) => failed(&answer, records),
            Err(cause) => {
                tracing::error!(cause, "export failed on the stream");
                Some(0)
            }
        }
    }
}
