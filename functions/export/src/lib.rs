//! The export of evidence and of the audit log: each record and each entry that is written goes into the locked bucket, off the
//! path of captures and operators.
//!
//! Both are written once. So a record or entry that was changed or removed, that this service does not write, or that is not the
//! one in the export, is a fault that an operator must see: an error in the log, and the metric `EvidenceChanged`, on which an
//! alarm rings. The export keeps the first that it was given.
//!
//! A record that was exported waits from then on for its leaf in the transparency log, in the log's table: its stream has one
//! reader, the sequencer, while this one has as many as AWS advises.
//!
//! A record that was not exported comes again, and is no error of Lambda's: the metric `ExportFailures` counts it.

use std::{io::Write, sync::Arc};

use aws_lambda_events::{
    dynamodb::{Event, EventRecord},
    streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse},
};
use futures_util::future::join_all;
use lacre_domain::Clock;
use lacre_metrics::{Metric, Record, Unit};
use lacre_storage::{Connection, Error, Export, Exported, LogState, TimeBudgets, within};

/// Records that are copied at a time.
const CONCURRENT: usize = 8;

const EVIDENCE_CHANGED: Metric = Metric::new("EvidenceChanged", Unit::Count);
const EXPORT_FAILURES: Metric = Metric::new("ExportFailures", Unit::Count);

/// The function with its ports.
pub struct ExportEvidence {
    export: Export,
    log: LogState,
    clock: Arc<dyn Clock>,
    stack_name: String,
    budgets: TimeBudgets,
}

/// What became of one record of the stream.
enum Seen {
    /// It is in the export.
    Exported,
    /// Evidence is not what it was when it was written.
    Changed(&'static str),
    /// It must come again.
    Failed(Error),
}

impl ExportEvidence {
    /// The function over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("export");
        let config = connection.config();
        Self {
            export: Export::new(connection),
            log: LogState::new(connection),
            clock,
            stack_name: config.stack_name.read(),
            budgets: config.budgets,
        }
    }

    /// Exports the records of a batch. Metrics are written to `metrics`, a line each. The answer names the first record that
    /// must come again, if there is one: it and all behind it do.
    ///
    /// # Errors
    /// When the metrics cannot be written: the whole batch comes again.
    pub async fn handle(
        &self,
        event: Event,
        metrics: &mut (dyn Write + Send),
    ) -> Result<DynamoDbEventResponse, std::io::Error> {
        within(self.budgets.request, self.export_batch(&event.records, metrics)).await
    }

    /// One budget is for the whole batch: when it is over, the records at hand fail, and come again with those behind them.
    async fn export_batch(
        &self,
        records: &[EventRecord],
        metrics: &mut (dyn Write + Send),
    ) -> Result<DynamoDbEventResponse, std::io::Error> {
        let mut answer = DynamoDbEventResponse::default();
        let mut rest = records;
        while answer.batch_item_failures.is_empty() && !rest.is_empty() {
            let (group, behind) = rest.split_at(side_by_side(rest));
            rest = behind;
            self.export_group(group, metrics, &mut answer).await?;
        }
        Ok(answer)
    }

    /// Exports records of different items. The answer then has the first that failed: it and all behind it come again, and to
    /// export a record twice changes nothing.
    async fn export_group(
        &self,
        group: &[EventRecord],
        metrics: &mut (dyn Write + Send),
        answer: &mut DynamoDbEventResponse,
    ) -> Result<(), std::io::Error> {
        let seen = join_all(group.iter().map(|record| self.see(record))).await;
        for (record, seen) in group.iter().zip(seen) {
            let sequence_number = record.change.sequence_number.as_deref().unwrap_or_default();
            match seen {
                Seen::Exported => {}
                Seen::Changed(how) => {
                    tracing::error!(
                        id = short_id(record),
                        sequence_number,
                        how,
                        "evidence or the audit log was changed"
                    );
                    writeln!(metrics, "{}", self.counted(EVIDENCE_CHANGED))?;
                }
                Seen::Failed(cause) => {
                    tracing::error!(id = short_id(record), sequence_number, %cause, "a record was not exported");
                    writeln!(metrics, "{}", self.counted(EXPORT_FAILURES))?;
                    let mut failure = DynamoDbBatchItemFailure::default();
                    failure.item_identifier = Some(sequence_number.to_owned());
                    answer.batch_item_failures.push(failure);
                    break;
                }
            }
        }
        Ok(())
    }

    async fn see(&self, record: &EventRecord) -> Seen {
        match record.event_name.as_str() {
            "INSERT" => match self.export(record).await {
                Ok(Exported::Kept) => Seen::Exported,
                Ok(Exported::Differs) => Seen::Changed("the export has another of this id"),
                Err(Error::Corrupt { .. }) => Seen::Changed("the record is not one that the service writes"),
                Err(cause) => Seen::Failed(cause),
            },
            "REMOVE" => Seen::Changed("the record was removed"),
            _ => Seen::Changed("the record was replaced or updated"),
        }
    }

    async fn export(&self, record: &EventRecord) -> Result<Exported, Error> {
        let image = record.change.new_image.clone();
        match is_audit_entry(record) {
            true => self.export.audit_entry(&lacre_storage::read_audit_entry(image)?).await,
            false => {
                let capture = lacre_storage::read_record(image)?;
                let exported = self.export.record(&capture).await?;
                if exported == Exported::Kept {
                    self.log.offer(&capture).await?;
                }
                Ok(exported)
            }
        }
    }

    fn counted(&self, metric: Metric) -> String {
        Record::at(self.clock.now().into())
            .property("Stack", self.stack_name.as_str())
            .metrics(&["Stack"], &[(metric, 1.0)])
            .line()
    }
}

/// How many records, from the first on, are copied at a time. Of one item they follow one another, because the export keeps what
/// comes first.
fn side_by_side(records: &[EventRecord]) -> usize {
    let is_first = |(place, record): &(usize, &EventRecord)| {
        records.iter().take(*place).all(|before| before.change.keys != record.change.keys)
    };
    records.iter().take(CONCURRENT).enumerate().take_while(is_first).count()
}

/// Whether a record of a stream is the audit table's. Of the two tables only that one has this key.
fn is_audit_entry(record: &EventRecord) -> bool {
    record.change.keys.contains_key("id")
}

/// The first characters of the capture's or request's id, for the log.
fn short_id(record: &EventRecord) -> &str {
    let keys = &record.change.keys;
    let id = keys.get("capture_id").or_else(|| keys.get("id")).and_then(|id| match id {
        serde_dynamo::AttributeValue::S(id) => id.get(..8),
        _ => None,
    });
    id.unwrap_or_default()
}
