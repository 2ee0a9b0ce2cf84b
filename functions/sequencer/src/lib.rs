//! The sequencer: adds captures to the transparency log of their environment, off their path.
//!
//! Its steps are in this order, and each may be the last one that took effect:
//!
//! 1. What a checkpoint before this one left unpublished is published.
//! 2. The captures that have no leaf yet get the next places. What will be published for them is kept.
//! 3. The checkpoint is signed.
//! 4. It replaces the one that it was computed from, in the table: of two sequencers, one fails here. From then on the leaves
//!    are in the log.
//! 5. Tiles and entries are published, the captures' places noted, then the checkpoint is published.
//!
//! Whatever fails fails the whole batch, which comes again. Nothing is done twice, because step 1 comes before the places are
//! looked up, and step 4 fails if another was between.

mod growth;

use std::{
    collections::{BTreeSet, HashMap},
    io::Write,
    sync::Arc,
};

use aws::{Connection, LogFiles, LogHead, LogSigner, LogState, SignError, TimeBudgets, within};
use aws_lambda_events::dynamodb::{Event, EventRecord};
use domain::{Capture, Clock, Environment};
use lacre_metrics::{Metric, Record, Unit};
use serde_json::Value;
use transparency::{Entry, Sha256Digest};

use growth::{Grown, Pending};

const LEAVES: Metric = Metric::new("LogLeaves", Unit::Count);
const DELAY: Metric = Metric::new("LogDelay", Unit::Milliseconds);

/// The function with its ports.
pub struct Sequencer {
    state: LogState,
    files: LogFiles,
    signer: LogSigner,
    clock: Arc<dyn Clock>,
    stack_name: String,
    budgets: TimeBudgets,
}

/// Why an invocation failed: nothing of it was lost, and all of it comes again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The event is not of a kind that this function is for.
    #[error("the event cannot be read: {0}")]
    Event(#[from] serde_json::Error),
    /// The log's table or bucket.
    #[error(transparent)]
    Store(#[from] aws::Error),
    /// The log's key did not sign.
    #[error("the log's key: {0}")]
    Sign(#[from] SignError),
    /// Another sequencer was first.
    #[error("another sequencer added to the log meanwhile")]
    Overtaken,
    /// The metrics could not be written.
    #[error("metrics: {0}")]
    Metrics(#[from] std::io::Error),
}

/// Whether an event is the stream's; else it is the schedule's.
#[must_use]
pub fn is_stream(event: &Value) -> bool {
    event.get("Records").is_some()
}

impl Sequencer {
    /// The function over a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program(env!("CARGO_PKG_NAME"));
        let config = connection.config();
        Self {
            state: LogState::new(connection),
            files: LogFiles::new(connection),
            signer: LogSigner::new(connection),
            clock,
            stack_name: config.stack_name.clone(),
            budgets: config.budgets,
        }
    }

    /// Handles an event of either kind: the stream's brings captures; the schedule's, without any, completes what was
    /// interrupted. Metrics are written to `metrics`, a line for each log that grew.
    ///
    /// # Errors
    /// [`Error`]: the event comes again.
    pub async fn handle(&self, event: Value, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let captures = match is_stream(&event) {
            true => captures(&serde_json::from_value::<Event>(event)?.records),
            false => Environment::ALL.map(|environment| (environment, Vec::new())).into(),
        };
        within(self.budgets.request, async {
            for (environment, captures) in captures {
                self.sequence(environment, captures, metrics).await?;
            }
            Ok(())
        })
        .await
    }

    async fn sequence(
        &self,
        environment: Environment,
        captures: Vec<Capture>,
        metrics: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        let head = self.recovered(environment).await?;
        let leaves = self.without_leaf(captures).await?;
        let Some(oldest) = leaves.iter().map(|(capture, _)| capture.ingested_at).min() else { return Ok(()) };
        let count = leaves.len();
        let (size, root) = head.as_ref().map_or((0, Sha256Digest::of(b"")), |head| (head.size, head.root));
        let edge = self.files.edge(environment, size, root).await?;
        let leaves = leaves.into_iter().map(|(capture, entry)| (capture.capture_id, entry)).collect();
        let grown = Grown::by(&edge, leaves);
        let pending = serde_json::to_vec(&grown.pending)?;
        self.files.stage(environment, grown.size, &grown.root, &pending).await?;
        let next = self.signed(environment, &grown).await?;
        if !self.state.advance(environment, head.as_ref(), &next).await? {
            return Err(Error::Overtaken);
        }
        self.publish(environment, &next, &grown.pending).await?;
        let delay = (self.clock.now() - oldest).as_seconds_f64() * 1e3;
        #[allow(clippy::cast_precision_loss)]
        let metered = [(LEAVES, count as f64), (DELAY, delay)];
        let line = Record::at(self.clock.now().into()).property("Stack", self.stack_name.as_str());
        writeln!(metrics, "{}", line.metrics(&["Stack"], &metered).line())?;
        Ok(())
    }

    /// The last checkpoint, when all that belongs to it is published.
    async fn recovered(&self, environment: Environment) -> Result<Option<LogHead>, Error> {
        let Some(head) = self.state.head(environment).await? else { return Ok(None) };
        if head.is_published {
            return Ok(Some(head));
        }
        let pending = self.files.staged(environment, head.size, &head.root).await?;
        self.publish(environment, &head, &serde_json::from_slice(&pending)?).await?;
        Ok(Some(LogHead { is_published: true, ..head }))
    }

    /// The captures that have no place in the log yet, each once, with their entries.
    async fn without_leaf(&self, captures: Vec<Capture>) -> Result<Vec<(Capture, Entry)>, Error> {
        let mut seen = BTreeSet::new();
        let entry = |capture: Capture| {
            let entry = Entry::from_bytes(*capture.log_entry?.as_bytes());
            seen.insert(capture.capture_id.as_str().to_owned()).then_some((capture, entry))
        };
        let mut leaves: Vec<_> = captures.into_iter().filter_map(entry).collect();
        let known =
            self.state.leaves(&leaves.iter().map(|(capture, _)| &capture.capture_id).collect::<Vec<_>>()).await?;
        leaves.retain(|(capture, _)| !known.contains_key(capture.capture_id.as_str()));
        Ok(leaves)
    }

    async fn signed(&self, environment: Environment, grown: &Grown) -> Result<LogHead, Error> {
        let note = self.signer.sign(environment, grown.size, grown.root).await?;
        Ok(LogHead { size: grown.size, root: grown.root, note: note.to_string(), is_published: false })
    }

    async fn publish(&self, environment: Environment, head: &LogHead, pending: &Pending) -> Result<(), Error> {
        self.files.publish(environment, &pending.files()).await?;
        self.state.add_leaves(&pending.leaves(&head.note)).await?;
        self.files.publish_checkpoint(environment, head.size, &head.note).await?;
        Ok(self.state.published(environment, head).await?)
    }
}

/// The captures among the records of a batch, by environment. What cannot be read is no capture of this service: `export` counts
/// it, and rings.
fn captures(records: &[EventRecord]) -> HashMap<Environment, Vec<Capture>> {
    let mut captures = HashMap::<_, Vec<_>>::new();
    for record in records.iter().filter(|record| record.event_name == "INSERT") {
        match aws::read_record(record.change.new_image.clone()) {
            Ok(capture) => captures.entry(capture.environment).or_default().push(capture),
            Err(cause) => tracing::error!(%cause, "a record is not added to the log"),
        }
    }
    captures
}
