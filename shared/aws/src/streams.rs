//! The streams of the tables `Evidence` and `Personal`: what was written, changed and deleted in the last 24 hours. A restore
//! finds there what the tables have lost. The stream of a table that was deleted is there as long.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodbstreams::{
    Client,
    types::{AttributeValue, Record, Shard, ShardIteratorType},
};
use domain::{Capture, CaptureId, Custody, PersonalItem};

use crate::{
    Connection, Error,
    budgets::InTime,
    error::unavailable,
    evidence::exact,
    item::{Item, decode},
    personal::{CUSTODY, PERSONAL},
};

/// A shard that is still written to never ends; after so many reads without a record it counts as read.
const EMPTY_READS: u32 = 5;

/// The last images of items, by their keys.
#[derive(Debug, Default)]
pub struct Streamed {
    /// Records.
    pub records: BTreeMap<String, Capture>,
    /// Personal items.
    pub personal: BTreeMap<String, PersonalItem>,
    /// What was done with captures.
    pub custody: BTreeMap<String, Custody>,
}

/// The port to the streams.
#[derive(Clone, Debug)]
pub struct Streams {
    client: Client,
    evidence: String,
    personal: String,
}

impl Streams {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let tables = &connection.config.tables;
        Self { client: connection.streams(), evidence: tables.evidence.clone(), personal: tables.personal.clone() }
    }

    /// The last images of all items in both streams, deleted ones included. Unreadable ones are left out.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn last_images(&self) -> Result<Streamed, Error> {
        let mut streamed = Streamed::default();
        for record in self.images(&self.evidence, "capture_id").await?.into_values().filter_map(|item| exact(item).ok()) {
            streamed.records.insert(record.capture_id.as_str().to_owned(), record);
        }
        for (pk, item) in self.images(&self.personal, "pk").await? {
            let id = |prefix| pk.strip_prefix(prefix).filter(|id| CaptureId::from_hex(id).is_some()).map(str::to_owned);
            if let Some(id) = id(PERSONAL) {
                streamed.personal.extend(decode("personal item", item).ok().map(|item| (id, item)));
            } else if let Some(id) = id(CUSTODY) {
                streamed.custody.extend(decode("custody", item).ok().map(|item| (id, item)));
            }
        }
        Ok(streamed)
    }

    /// The last image of each item, by its key.
    async fn images(&self, table: &str, key: &str) -> Result<BTreeMap<String, Item>, Error> {
        let mut last = BTreeMap::<String, (SequenceNumber, Item)>::new();
        for arn in self.streams(table).await? {
            for shard in self.shards(&arn).await? {
                let Some(id) = &shard.shard_id else { continue };
                for record in self.records(&arn, id).await? {
                    let Some((number, item)) = image(record) else { continue };
                    let Some(key) = item.get(key).and_then(|value| value.as_s().ok()).cloned() else { continue };
                    if last.get(&key).is_none_or(|(before, _)| *before < number) {
                        last.insert(key, (number, item));
                    }
                }
            }
        }
        Ok(last.into_iter().map(|(key, (_, item))| (key, item)).collect())
    }

    /// The streams of all tables that had the name.
    async fn streams(&self, table: &str) -> Result<Vec<String>, Error> {
        let (mut arns, mut from) = (Vec::new(), None);
        loop {
            let list = self.client.list_streams().table_name(table).set_exclusive_start_stream_arn(from);
            let page = list.send().in_time().await.map_err(|error| unavailable("ListStreams", &error))?;
            arns.extend(page.streams.unwrap_or_default().into_iter().filter_map(|stream| stream.stream_arn));
            from = page.last_evaluated_stream_arn;
            if from.is_none() {
                return Ok(arns);
            }
        }
    }

    async fn shards(&self, arn: &str) -> Result<Vec<Shard>, Error> {
        let (mut shards, mut from) = (Vec::new(), None);
        loop {
            let describe = self.client.describe_stream().stream_arn(arn).set_exclusive_start_shard_id(from);
            let page = describe.send().in_time().await.map_err(|error| unavailable("DescribeStream", &error))?;
            let Some(stream) = page.stream_description else { return Ok(shards) };
            shards.extend(stream.shards.unwrap_or_default());
            from = stream.last_evaluated_shard_id;
            if from.is_none() {
                return Ok(shards);
            }
        }
    }

    async fn records(&self, arn: &str, shard: &str) -> Result<Vec<Record>, Error> {
        let get = self.client.get_shard_iterator().stream_arn(arn).shard_id(shard);
        let get = get.shard_iterator_type(ShardIteratorType::TrimHorizon).send().in_time().await;
        let mut iterator = get.map_err(|error| unavailable("GetShardIterator", &error))?.shard_iterator;
        let (mut records, mut empty) = (Vec::new(), 0);
        while let Some(from) = iterator {
            let read = self.client.get_records().shard_iterator(from).send().in_time().await;
            let page = read.map_err(|error| unavailable("GetRecords", &error))?;
            let found = page.records.unwrap_or_default();
            empty = if found.is_empty() { empty + 1 } else { 0 };
            records.extend(found);
            iterator = page.next_shard_iterator.filter(|_| empty < EMPTY_READS);
        }
        Ok(records)
    }
}

/// The number of a record in its stream: decimal, of up to 40 digits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SequenceNumber {
    digits: usize,
    text: String,
}

/// What an item was after a change, or before its deletion.
fn image(record: Record) -> Option<(SequenceNumber, Item)> {
    let change = record.dynamodb?;
    let text = change.sequence_number?.trim_start_matches('0').to_owned();
    let image: HashMap<String, AttributeValue> = change.new_image.or(change.old_image)?;
    Some((SequenceNumber { digits: text.len(), text }, serde_dynamo::Item::from(image).into()))
}
