//! The export of evidence records and audit entries: copies each new record and entry from the tables' streams to the
//! locked bucket, asynchronously to captures and operators' requests.
//!
//! Both are written once. If a record or entry is changed or removed, does not have the form that this service writes,
//! or differs from its copy in the export, operators must know: the function logs an error and emits the metric
//! `EvidenceChanged`, on which an alarm is set. The export keeps the first version that it received.
//!
//! After a record is exported, the function queues its leaf for the transparency log in the Log table. The sequencer
//! reads that table's stream; the Evidence table's stream already has as many readers as AWS recommends.
//!
//! A record that could not be exported is redelivered by Lambda. This does not count as an error of the function; the
//! metric `ExportFailures` counts it.

use std::{io::Write, sync::Arc};

use aws_lambda_events::{
    dynamodb::{Event, EventRecord},
    streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse},
};
use futures_util::future::join_all;
use lacre_domain::Clock;
use lacre_metrics::{Metric, Record, Unit};
use lacre_storage::{Connection, Error, Export, Exported, LogState, TimeBudgets, within};

/// The number of records that are copied concurrently.
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

/// The result for one record of the stream.
enum Seen {
    /// The record is in the export.
    Exported,
    /// Evidence was changed or removed, or differs from its copy.
    Changed(&'static str),
    /// The export failed; Lambda has to redeliver the record.
    Failed(Error),
}

impl ExportEvidence {
    /// The function with its ports on a connection.
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

    /// Exports the records of a batch. Metrics are written to `metrics`, one per line. The response names the first
    /// record that failed; Lambda redelivers it and all records after it.
    ///
    /// # Errors
    /// Fails if the metrics cannot be written; Lambda then redelivers the whole batch.
    pub async fn handle(
        &self,
        event: Event,
        metrics: &mut (dyn Write + Send),
    ) -> Result<DynamoDbEventResponse, std::io::Error> {
        within(self.budgets.request, self.export_batch(&event.records, metrics)).await
    }

    /// Exports a batch within one time budget. When it is exceeded, the records in progress fail, and are redelivered
    /// with those after them.
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

    /// Exports a group of records, each of a different item, concurrently. On a failure the response names the first
    /// failed record: it and all records after it are redelivered, which is safe because exporting a record twice has
    /// no further effect.
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
                Err(Error::Corrupt { .. }) => Seen::Changed("the record differs from what the service writes"),
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

/// The number of leading records that can be copied concurrently: at most [`CONCURRENT`], and no two of the same item.
/// Those must be copied in order, because the export keeps the first version.
fn side_by_side(records: &[EventRecord]) -> usize {
    let is_first = |(place, record): &(usize, &EventRecord)| {
        records.iter().take(*place).all(|before| before.change.keys != record.change.keys)
    };
    records.iter().take(CONCURRENT).enumerate().take_while(is_first).count()
}

/// Whether a stream record belongs to the Audit table, which alone has the key `id`.
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
