//! Reads a table's stream as Lambda does: shard by shard, in batches. A failed batch is retried from its first failed
//! record and discarded after some attempts.
//!
//! Every start reads the stream from its beginning; the functions tolerate repeated events.

use std::{collections::BTreeMap, future::Future, time::Duration};

use aws_sdk_dynamodbstreams::{
    Client,
    error::DisplayErrorContext,
    types::{Record, ShardIteratorType},
};
use time::OffsetDateTime;
use tokio::time::{MissedTickBehavior, interval};

use crate::{clients::Clients, cloud_watch::CloudWatch, provision, stand_ins::LastWrite};

/// Polling interval of the stream; Lambda also polls four times a second.
const POLLS: Duration = Duration::from_millis(250);
/// Maximum batch size, as in `template.yaml`.
const BATCH: i32 = 100;
/// Maximum attempts per batch. Lambda retries for hours; here a few attempts are enough.
const ATTEMPTS: u32 = 11;

/// The consumer of a stream's records.
pub(super) trait Reader: Send + Sync + 'static {
    /// Logical name of the function in the template.
    const FUNCTION: &str;
    /// Logical name of the dead-letter queue.
    const DEAD_LETTERS: &str;

    /// Metrics in which the stream's invocations are counted.
    fn watch(&self) -> &CloudWatch;

    /// Handles a batch. Returns the index of the first record that must be delivered again, if any.
    fn read(&self, arn: &str, records: &[Record]) -> impl Future<Output = Option<usize>> + Send;
}

/// A stream and the position up to which it was read.
pub(super) struct Stream<R> {
    client: Client,
    arn: String,
    reader: R,
    shards: BTreeMap<String, Shard>,
    last_write: LastWrite,
}

/// The position in a shard.
#[derive(Default)]
struct Shard {
    /// Sequence number of the last record that was handled.
    after: Option<String>,
    /// Iterator of the next read, if the last batch succeeded.
    iterator: Option<String>,
    failures: u32,
    is_over: bool,
}

impl<R: Reader> Stream<R> {
    /// Opens the stream of a table.
    pub(super) async fn of(
        clients: &Clients,
        last_write: &LastWrite,
        table: &str,
        reader: R,
    ) -> Result<Self, provision::Error> {
        const STEP: &str = "finding the stream";
        let described = clients.dynamodb.describe_table().table_name(table).send().await;
        let described = described.map_err(|error| provision::Error::call(STEP, &error))?;
        let arn = described.table.and_then(|table| table.latest_stream_arn);
        let arn = arn.ok_or_else(|| provision::Error::at(STEP)(&format!("{table} has none")))?;
        let (client, last_write) = (clients.streams.clone(), last_write.clone());
        Ok(Self { client, arn, reader, shards: BTreeMap::new(), last_write })
    }

    /// Reads the stream until it is dropped. After reaching the end it polls again only once the database file was
    /// written to. Write times are compared with each other and not with the clock, so setting the clock hides no
    /// write.
    pub(super) async fn follow(mut self) {
        let mut ticks = interval(POLLS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut read_up_to = None;
        loop {
            ticks.tick().await;
            let written = self.last_write.settled();
            if written.is_some() && written == read_up_to {
                continue;
            }
            read_up_to = match self.poll().await {
                Ok(is_at_end) => written.filter(|_| is_at_end),
                Err(cause) => {
                    tracing::warn!(cause, "the stream cannot be read");
                    None
                }
            };
        }
    }

    /// Reads one batch of every shard; returns `true` if there was nothing to read. Shards are listed each time because
    /// they change.
    async fn poll(&mut self) -> Result<bool, String> {
        let described = self.client.describe_stream().stream_arn(&self.arn).send().await;
        let described = described.map_err(|error| DisplayErrorContext(error).to_string())?;
        let shards = described.stream_description.and_then(|stream| stream.shards).unwrap_or_default();
        let mut is_at_end = true;
        for id in shards.into_iter().filter_map(|shard| shard.shard_id) {
            let mut shard = self.shards.remove(&id).unwrap_or_default();
            let advanced = if shard.is_over { Ok(true) } else { self.advance(&id, &mut shard).await };
            self.shards.insert(id, shard);
            is_at_end &= advanced?;
        }
        Ok(is_at_end)
    }

    /// Reads one batch of a shard; returns `true` if there was nothing to read.
    async fn advance(&self, id: &str, shard: &mut Shard) -> Result<bool, String> {
        let iterator = match shard.iterator.take() {
            Some(iterator) => iterator,
            None => self.iterator(id, shard.after.as_deref()).await?,
        };
        let read = self.client.get_records().shard_iterator(iterator).limit(BATCH).send().await;
        let read = read.map_err(|error| DisplayErrorContext(error).to_string())?;
        let (records, next) = (read.records.unwrap_or_default(), read.next_shard_iterator);
        if let Some(created) = records.first().and_then(created) {
            let age = self.reader.watch().now() - created;
            let function = [("FunctionName", R::FUNCTION)];
            self.reader.watch().count("AWS/Lambda", "IteratorAge", &function, age.as_seconds_f64() * 1e3);
        }
        let failed = if records.is_empty() { None } else { self.reader.read(&self.arn, &records).await };
        match failed {
            None => {
                shard.after = records.last().and_then(sequence_number).or(shard.after.take());
                (shard.is_over, shard.iterator, shard.failures) = (next.is_none(), next, 0);
            }
            Some(_) if shard.failures + 1 == ATTEMPTS => {
                self.reader.watch().dead_letters(R::DEAD_LETTERS);
                tracing::error!(records = records.len(), "given up: on AWS they go to the dead-letter queue");
                (shard.after, shard.failures) = (records.last().and_then(sequence_number), 0);
            }
            Some(place) => {
                let before = place.checked_sub(1).and_then(|last| sequence_number(&records[last]));
                shard.after = before.or(shard.after.take());
                shard.failures += 1;
            }
        }
        Ok(records.is_empty())
    }

    async fn iterator(&self, shard: &str, after: Option<&str>) -> Result<String, String> {
        let start =
            if after.is_some() { ShardIteratorType::AfterSequenceNumber } else { ShardIteratorType::TrimHorizon };
        let get = self.client.get_shard_iterator().stream_arn(&self.arn).shard_id(shard).shard_iterator_type(start);
        let got = get.set_sequence_number(after.map(str::to_owned)).send().await;
        let got = got.map_err(|error| DisplayErrorContext(error).to_string())?;
        got.shard_iterator.ok_or_else(|| "no iterator was given".to_owned())
    }
}

/// The time at which a record was written.
fn created(record: &Record) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(record.dynamodb()?.approximate_creation_date_time()?.secs()).ok()
}

pub(super) fn sequence_number(record: &Record) -> Option<String> {
    record.dynamodb()?.sequence_number().map(str::to_owned)
}
