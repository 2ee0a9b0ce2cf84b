//! The sequencer: adds captures to the transparency log of their environment, off their path.
//!
//! Its steps are in this order, and each may be the last one that took effect:
//!
//! 1. What a checkpoint before this one left unpublished is published.
//! 2. The captures that have no place yet get the next ones. What will be published for them is kept.
//! 3. The checkpoint is signed.
//! 4. It replaces the one that it was computed from, in the table: of two sequencers, one fails here. From then on the leaves
//!    are in the log.
//! 5. Tiles and entries are published, then the checkpoint, and the captures' places are noted: no proof is handed out under a
//!    checkpoint that is not public.
//!
//! A log begins with a signed checkpoint of no leaf, so that an empty log differs from a missing one for whoever follows it.
//!
//! On a schedule it begins and dates the logs ([`Sequencer::date`]): once a day, a checkpoint of each gets cosignatures and a
//! timestamp.
//!
//! What may pass fails the whole batch, which comes again. Nothing is done twice, because step 1 comes before the places are
//! looked up, and step 4 fails if another was between. What contradicts a log's checkpoint does not pass: the batch ends, so that
//! the other logs go on, and the leaves wait in the table for `lacre-admin log restore`. A mark in the bucket says so, and is
//! counted each hour until someone takes it away.

mod dating;
mod growth;
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

/// How often a sequencer begins again because another was first.
const ROUNDS: u32 = 5;
/// The wait before the second attempt; before each further one, so much longer.
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
    /// The signatures that were made and are not counted yet.
    signed: AtomicU32,
    profiles: SignerProfiles,
    witnesses: String,
    clock: Arc<dyn Clock>,
    stack_name: String,
    budgets: TimeBudgets,
}

/// What invokes the function.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Invocation {
    /// Leaves that wait, by the stream of the log's table.
    Leaves(Event),
    /// The schedule: EventBridge's event, whose content says nothing more.
    Schedule {
        /// `aws.events`.
        source: String,
    },
}

/// What went wrong: nothing was lost.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is kept for a checkpoint cannot be read or written.
    #[error("what is to be published: {0}")]
    Pending(#[from] serde_json::Error),
    /// The log's table or bucket.
    #[error(transparent)]
    Store(#[from] lacre_storage::Error),
    /// The log's files are not what its checkpoint states, or cannot be read.
    #[error("the log's files: {0}")]
    Files(#[from] FollowError<lacre_storage::Error>),
    /// The proofs of new leaves need a hash that neither the edge nor the new tiles hold.
    #[error("the proofs of the new leaves lack {0:?}")]
    Proofs(Node),
    /// The log's key did not sign.
    #[error("the log's key: {0}")]
    Sign(#[from] SignError),
    /// Another sequencer was first.
    #[error("another sequencer added to the log meanwhile")]
    Overtaken,
    /// The table does not have the log's last checkpoint: what would be signed is another history.
    #[error("the log's table has a checkpoint of {size} leaves, and another of {published} is published")]
    Behind {
        /// The leaves by the table.
        size: u64,
        /// The leaves of the published checkpoint.
        published: u64,
    },
    /// The table's checkpoint is not one that this log signed.
    #[error("the log's table: {0}")]
    Head(String),
    /// Leaves wait since then that no stream brings again.
    #[error("leaves wait for `log restore`: {0}")]
    Marked(String),
    /// The checkpoint of a day has no timestamp.
    #[error("no timestamp for the log: {0}")]
    Timestamp(String),
    /// A witness does not cosign, or is not there.
    #[error("witness {0}: {1}")]
    Uncosigned(String, String),
    /// A witness states that it has seen another history.
    #[error("witness {0} knows another history: {1}")]
    Witness(String, String),
    /// `LOG_WITNESSES` cannot be read.
    #[error("LOG_WITNESSES: {0}")]
    Witnesses(String),
    /// The metrics could not be written.
    #[error("metrics: {0}")]
    Metrics(#[from] std::io::Error),
}

impl Error {
    /// Whether table, files and witnesses do not agree on what the log is. That does not pass by itself.
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
    /// The function over a connection.
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

    /// Does what it is invoked for. Metrics are written to `metrics`.
    ///
    /// # Errors
    /// [`Error`]: a batch comes again, and so does the schedule.
    pub async fn invoke(&self, invocation: Invocation, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        match invocation {
            Invocation::Leaves(event) => self.handle(event, metrics).await,
            Invocation::Schedule { .. } => self.date(metrics).await,
        }
    }

    /// Adds the leaves that wait, as the stream brings them. Metrics are written to `metrics`, a line for each log that grew.
    ///
    /// # Errors
    /// [`Error`]: the batch comes again.
    pub async fn handle(&self, event: Event, metrics: &mut (dyn Write + Send)) -> Result<(), Error> {
        within(self.budgets.request, async {
            let mut outcome = Ok(());
            for (environment, waiting) in waiting_leaves(&event.records) {
                // What keeps one log from growing does not keep the others.
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

    /// Leaves wait that no stream brings again: that is marked, or else the batch comes again.
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
                // From what another made, once more; and an answer may have been wrong.
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

    /// Adds leaves to a log, those that are not in it; answers with them.
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

    /// The last checkpoint of a log. The first is of no leaf: so who follows the log can begin before it has one.
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

    /// The last checkpoint, when all that belongs to it is published. It is one that this log's key signed under its name, and no
    /// later one is published: the table may have been set back, or made anew, and the world knows what it does not.
    async fn recovered(&self, environment: Environment) -> Result<Option<LogHead>, Error> {
        // In this order the table is never behind, whoever adds to the log meanwhile: it has a checkpoint before it is published.
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
            return Err(Error::Head("its checkpoint states another tree".into()));
        }
        if head.is_published {
            return Ok(Some(head));
        }
        let pending = self.files.staged(environment, &head).await?;
        self.publish(environment, &head, &serde_json::from_slice(&pending)?).await?;
        Ok(Some(LogHead { is_published: true, ..head }))
    }

    /// The leaves whose captures have no place in the log yet, each once.
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

/// Size and root of a checkpoint, or of no leaf.
fn tree(head: Option<&LogHead>) -> (u64, Sha256Digest) {
    head.map_or_else(|| (0, Edge::default().root()), |head| (head.size, head.root))
}

/// The leaves that wait among the records of a batch, by environment. What cannot be read is not of this service.
fn waiting_leaves(records: &[EventRecord]) -> HashMap<Environment, Vec<(CaptureId, WaitingLeaf)>> {
    let mut waiting = HashMap::<_, Vec<_>>::new();
    for record in records.iter().filter(|record| record.event_name == "INSERT") {
        match lacre_storage::read_waiting_leaf(record.change.new_image.clone()) {
            Ok(Some((capture, leaf))) => waiting.entry(leaf.environment).or_default().push((capture, leaf)),
            Ok(None) => {}
            Err(cause) => tracing::error!(%cause, "a record is not added to the log"),
        }
    }
    waiting
}
