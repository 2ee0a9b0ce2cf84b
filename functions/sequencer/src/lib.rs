//! The sequencer: adds captures to the transparency log of their environment, asynchronously to the captures.
//!
//! It works in this order, and may be interrupted after any step:
//!
//! 1. Publish what the previous checkpoint left unpublished.
//! 2. Assign the next indexes to the captures that have none, and store what will be published for them.
//! 3. Sign the checkpoint.
//! 4. Replace the previous checkpoint in the table, on the condition that it is still the one that the new checkpoint
//!    was computed from. If two sequencers run at once, one fails here. From this step on, the leaves are in the log.
//! 5. Publish tiles and entries, then the checkpoint, then note the captures' leaves. So no proof is handed out under a
//!    checkpoint that is not public.
//!
//! A log begins with a signed checkpoint of size 0, so that followers can distinguish an empty log from a missing one.
//!
//! On a schedule the sequencer creates and dates the logs ([`Sequencer::date`]): once a day, a checkpoint of each gets
//! cosignatures and a timestamp. Timestamps whose authority's certificates expire soon are renewed.
//!
//! A transient error fails the batch, and Lambda redelivers it. Nothing is added twice, because step 1 precedes the
//! lookup of indexes, and step 4 fails if another sequencer advanced the log. An error that contradicts the log's
//! checkpoint is permanent: the batch ends, so that the other logs go on, and the leaves wait in the table for
//! `lacre-admin log restore`. A mark in the bucket records this; it is counted every hour until an operator removes it.

mod dating;
mod growth;
mod renewal;
mod witness;

use std::{
    collections::{BTreeSet, HashMap},
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use aws_lambda_events::dynamodb::{Event, EventRecord};
use lacre_domain::{CaptureId, Clock, Environment, SignError, WaitingLeaf};
use lacre_metrics::{Metric, Record, Unit};
use lacre_storage::{Connection, LogFiles, LogHead, LogSigner, LogState, SignerProfiles, TimeBudgets, within};
use lacre_transparency::{Edge, FollowError, MalformedNote, Node, Sha256Digest, SignedNote, read_edge};
use serde::Deserialize;

use growth::{Grown, Pending};

/// Maximum number of attempts to add leaves, when other sequencers advance the log concurrently.
const ROUNDS: u32 = 5;
/// Delay before the first retry; each later retry adds the same again.
const PAUSE: Duration = Duration::from_millis(50);

const LEAVES: Metric = Metric::new("LogLeaves", Unit::Count);
const DELAY: Metric = Metric::new("LogDelay", Unit::Milliseconds);
const CONTRADICTED: Metric = Metric::new("LogContradicted", Unit::Count);
const UNDATED: Metric = Metric::new("LogUndated", Unit::Count);
const SIGNED: Metric = Metric::new("CheckpointSignatures", Unit::Count);

/// The function with its ports.
pub struct Sequencer {
    state: LogState,
    files: LogFiles,
    signer: LogSigner,
    /// The number of signatures that were made but not yet written as a metric.
    signed: AtomicU32,
    profiles: SignerProfiles,
    witnesses: String,
    clock: Arc<dyn Clock>,
    stack_name: String,
    budgets: TimeBudgets,
}

/// The event that invoked the function.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Invocation {
    /// A batch of the Log table's stream, with leaves that wait.
    Leaves(Event),
    /// An event of the EventBridge schedule; only its source is read.
    Schedule {
        /// Always `aws.events`.
        source: String,
    },
    /// An operator asks for a renewal of a log's timestamps now, whether they expire soon or not.
    Renewal {
        /// The environment of the log.
        renew: Environment,
    },
}

/// Why the sequencer failed. No leaf is lost.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The stored copy of the files to publish cannot be serialized or parsed.
    #[error("the stored copy of the files to publish cannot be serialized or parsed: {0}")]
    Pending(#[from] serde_json::Error),
    /// The log's table or bucket could not be read or written.
    #[error(transparent)]
    Store(#[from] lacre_storage::Error),
    /// The log's files contradict its checkpoint, or cannot be read.
    #[error("the log's files cannot be read or contradict its checkpoint: {0}")]
    Files(#[from] FollowError<lacre_storage::Error>),
    /// An inclusion proof of a new leaf needs a hash that neither the edge nor the new tiles contain.
    #[error("the proofs of the new leaves need a hash that is missing: {0:?}")]
    Proofs(Node),
    /// The log's key returned no signature.
    #[error("the log's key: {0}")]
    Sign(#[from] SignError),
    /// Another sequencer advanced the log first.
    #[error("another sequencer advanced the log first")]
    Overtaken,
    /// The table's checkpoint is older than the published one, or contradicts it: signing would fork the log's history.
    #[error(
        "the table's checkpoint of {size} leaves is older than the published one of {published}, or contradicts it"
    )]
    Behind {
        /// The tree size in the table.
        size: u64,
        /// The tree size of the published checkpoint.
        published: u64,
    },
    /// The table's checkpoint has no valid signature of this log, or states another tree.
    #[error("the log's table: {0}")]
    Head(String),
    /// Leaves wait in the table that the stream will not deliver again.
    #[error("leaves wait for `log restore`: {0}")]
    Marked(String),
    /// The day's checkpoint has no timestamp.
    #[error("no timestamp for the log: {0}")]
    Timestamp(String),
    /// An operator asked for a renewal, but every timestamp is renewed, or still waits for its evidence bundle.
    #[error("no timestamp can be renewed yet")]
    NothingToRenew,
    /// A witness did not cosign, or was not reachable.
    #[error("witness {0}: {1}")]
    Uncosigned(String, String),
    /// A witness states that it has seen another history of the log.
    #[error("witness {0} knows another history: {1}")]
    Witness(String, String),
    /// The setting `LOG_WITNESSES` is malformed.
    #[error("LOG_WITNESSES: {0}")]
    Witnesses(String),
    /// The metrics could not be written.
    #[error("metrics: {0}")]
    Metrics(#[from] std::io::Error),
}

impl Error {
    /// Whether table, files and witnesses disagree about the log. Retrying does not resolve that.
    fn contradicts(&self) -> bool {
        match self {
            Self::Pending(_) | Self::Proofs(_) | Self::Behind { .. } | Self::Head(_) | Self::Witness(..) => true,
            Self::Store(error) | Self::Files(FollowError::Read(error)) => {
                matches!(error, lacre_storage::Error::Corrupt { .. })
            }
            Self::Files(_) => true,
            _ => false,
        }
    }
}

impl Sequencer {
    /// The function with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("sequencer");
        let config = connection.config();
        Self {
            state: LogState::new(connection),
            files: LogFiles::new(connection),
            signer: LogSigner::new(connection),
            signed: AtomicU32::new(0),
            profiles: SignerProfiles::new(connection),
            witnesses: config.log_witnesses.read(),
            clock,
            stack_name: config.stack_name.read(),
            budgets: config.budgets,
        }
    }

    /// Handles an invocation. Metrics are written to `metrics`.
    ///
    /// # Errors
    /// [`Error`]: Lambda redelivers the batch, and the schedule runs again.
    pub async fn invoke(&self, invocation: Invocation, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        match invocation {
            Invocation::Leaves(event) => self.handle(event, metrics).await,
            Invocation::Schedule { .. } => self.date(metrics).await,
            Invocation::Renewal { renew } => self.renew_now(renew).await,
        }
    }

    /// Adds the waiting leaves of a stream batch. Metrics are written to `metrics`, one line for each log that grew.
    ///
    /// # Errors
    /// [`Error`]: Lambda redelivers the batch.
    pub async fn handle(&self, event: Event, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        within(self.budgets.request, async {
            let mut outcome = Ok(());
            for (environment, waiting) in waiting_leaves(&event.records) {
                // An error of one log does not stop the others.
                outcome = outcome.and(match self.sequence(environment, &waiting, metrics).await {
                    Err(error) if error.contradicts() => self.give_up(environment, &error, metrics).await,
                    sequenced => sequenced,
                });
            }
            match self.signed.swap(0, Ordering::Relaxed) {
                0 => outcome,
                signed => outcome.and(self.count(&[(SIGNED, f64::from(signed))], metrics)),
            }
        })
        .await
    }

    /// Marks in the bucket that leaves wait which the stream will not deliver again. If the mark cannot be written, the
    /// batch fails and is redelivered.
    async fn give_up(
        &self,
        environment: Environment,
        error: &Error,
        metrics: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        self.count_contradiction(environment, error, metrics)?;
        Ok(self.files.mark(environment, &error.to_string()).await?)
    }

    fn count_contradiction(
        &self,
        environment: Environment,
        error: &Error,
        metrics: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        tracing::error!(environment = environment.name(), cause = %error, "the log is contradicted");
        self.count(&[(CONTRADICTED, 1.0)], metrics)
    }

    fn count(&self, metered: &[(Metric, f64)], metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        let line = Record::at(self.clock.now().into()).property("Stack", self.stack_name.as_str());
        Ok(writeln!(metrics, "{}", line.metrics(&["Stack"], metered).line())?)
    }

    async fn sequence(
        &self,
        environment: Environment,
        waiting: &[(CaptureId, WaitingLeaf)],
        metrics: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        let mut round = 0;
        let added = loop {
            round += 1;
            match self.add(environment, waiting).await {
                // Retry, starting from the checkpoint of the other sequencer. A contradiction is retried too, because a
                // response may have been wrong.
                Err(error) if round < ROUNDS && (matches!(error, Error::Overtaken) || error.contradicts()) => {
                    tokio::time::sleep(PAUSE * round).await;
                }
                added => break added?,
            }
        };
        let Some(oldest) = added.iter().map(|(_, leaf)| leaf.ingested_at).min() else { return Ok(()) };
        let delay = (self.clock.now() - oldest).as_seconds_f64() * 1e3;
        #[allow(clippy::cast_precision_loss)]
        let metered = [(LEAVES, added.len() as f64), (DELAY, delay)];
        self.count(&metered, metrics)
    }

    /// Adds those of the given leaves that are not in the log, and returns them.
    async fn add(
        &self,
        environment: Environment,
        waiting: &[(CaptureId, WaitingLeaf)],
    ) -> Result<Vec<(CaptureId, WaitingLeaf)>, Error> {
        let head = self.begun(environment).await?;
        let leaves = self.without_place(waiting).await?;
        if !leaves.is_empty() {
            let edge = read_edge(&self.files.of(environment), head.size, head.root).await?;
            let grown = Grown::by(&edge, &leaves).map_err(Error::Proofs)?;
            self.advance(environment, Some(&head), &grown).await?;
        }
        Ok(leaves)
    }

    /// The last checkpoint of a log. If there is none, creates the one of size 0, so that followers can start before
    /// the first leaf.
    async fn begun(&self, environment: Environment) -> Result<LogHead, Error> {
        match self.recovered(environment).await? {
            Some(head) => Ok(head),
            None => match self.advance(environment, None, &Grown::nothing()).await {
                Err(Error::Overtaken) => self.recovered(environment).await?.ok_or(Error::Overtaken),
                begun => begun,
            },
        }
    }

    /// Signs and publishes the checkpoint of a tree that grew.
    async fn advance(&self, environment: Environment, head: Option<&LogHead>, grown: &Grown) -> Result<LogHead, Error> {
        let from = head.map_or(0, |head| head.size);
        let pending = serde_json::to_vec(&grown.pending)?;
        self.files.stage(environment, (from, grown.size), &grown.root, &pending).await?;
        let note = self.signer.sign(environment, grown.size, grown.root).await?.to_string();
        self.signed.fetch_add(1, Ordering::Relaxed);
        let next = LogHead { from, size: grown.size, root: grown.root, note, is_published: false };
        if !self.state.advance(environment, head, &next).await? {
            return Err(Error::Overtaken);
        }
        self.publish(environment, &next, &grown.pending).await?;
        Ok(LogHead { is_published: true, ..next })
    }

    /// The last checkpoint of the table, after completing its publication. Checks that this log's key signed it under
    /// the log's name, and that no later checkpoint is published: a table that was restored to an earlier state or
    /// recreated must not fork the published history.
    async fn recovered(&self, environment: Environment) -> Result<Option<LogHead>, Error> {
        // The published checkpoint is read first: checkpoints are stored in the table before they are published, so in
        // this order the table is never behind, even if the log grows in between.
        let published = self.files.published(environment).await?;
        let head = self.state.head(environment).await?;
        let (size, root) = tree(head.as_ref());
        if let Some(published) = published.filter(|it| it.size > size || (it.size == size && it.root != root)) {
            return Err(Error::Behind { size, published: published.size });
        }
        let Some(head) = head else { return Ok(None) };
        let note: SignedNote = head.note.parse().map_err(|fault: MalformedNote| Error::Head(fault.to_string()))?;
        let signed =
            self.signer.key(environment).await?.verify(&note).map_err(|fault| Error::Head(fault.to_string()))?;
        if (signed.size, signed.root) != (size, root) {
            return Err(Error::Head("the size or the root in its checkpoint differs from the stored one".into()));
        }
        if head.is_published {
            return Ok(Some(head));
        }
        let pending = self.files.staged(environment, &head).await?;
        self.publish(environment, &head, &serde_json::from_slice(&pending)?).await?;
        Ok(Some(LogHead { is_published: true, ..head }))
    }

    /// The leaves whose captures have no index in the log yet, without duplicates.
    async fn without_place(
        &self,
        waiting: &[(CaptureId, WaitingLeaf)],
    ) -> Result<Vec<(CaptureId, WaitingLeaf)>, Error> {
        let mut seen = BTreeSet::new();
        let mut leaves: Vec<_> = waiting.iter().filter(|(capture, _)| seen.insert(capture.as_str())).cloned().collect();
        let known = self.state.leaves(&leaves.iter().map(|(capture, _)| capture).collect::<Vec<_>>()).await?;
        leaves.retain(|(capture, _)| !known.contains_key(capture.as_str()));
        Ok(leaves)
    }

    async fn publish(&self, environment: Environment, head: &LogHead, pending: &Pending) -> Result<(), Error> {
        self.files.publish(environment, &pending.files()).await?;
        self.files.publish_checkpoint(environment, head).await?;
        self.state.add_leaves(&pending.leaves(&head.note)).await?;
        Ok(self.state.published(environment, head).await?)
    }
}

/// Size and root of a checkpoint; those of the empty tree if there is none.
fn tree(head: Option<&LogHead>) -> (u64, Sha256Digest) {
    head.map_or_else(|| (0, Edge::default().root()), |head| (head.size, head.root))
}

/// The waiting leaves in a batch, by environment. Unparseable records are skipped: this service did not write them.
fn waiting_leaves(records: &[EventRecord]) -> HashMap<Environment, Vec<(CaptureId, WaitingLeaf)>> {
    let mut waiting = HashMap::<_, Vec<_>>::new();
    for record in records.iter().filter(|record| record.event_name == "INSERT") {
        match lacre_storage::read_waiting_leaf(record.change.new_image.clone()) {
            Ok(Some((capture, leaf))) => waiting.entry(leaf.environment).or_default().push((capture, leaf)),
            Ok(None) => {}
            Err(cause) => tracing::error!(%cause, "failed to add a record to the log"),
        }
    }
    waiting
}
