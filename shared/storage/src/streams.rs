//! Reads the streams of the tables `Evidence` and `Personal`, which contain all writes of the last 24 hours. A restore
//! recovers from them what the tables have lost. The stream of a deleted table is available for the same time.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use aws_sdk_dynamodbstreams::{
    Client,
    types::{AttributeValue, Record, Shard, ShardIteratorType, StreamRecord},
};
use lacre_domain::{CaptureId, Custody, EvidenceRecord, PersonalItem};

use crate::{
    Connection, Error,
    budgets::InTime,
    error::unavailable,
    evidence::exact,
    item::{Item, decode},
    personal::{CUSTODY, PERSONAL},
};

/// The number of consecutive reads without records after which an open shard counts as read, because an open shard has
/// no end. A closed shard is read to its end.
const EMPTY_READS: u32 = 20;
const BETWEEN_EMPTY_READS: Duration = Duration::from_millis(50);

/// What the streams contain, by capture.
#[derive(Debug, Default)]
pub struct Streamed {
    /// The evidence records in their first version, since they are written once.
    pub records: BTreeMap<String, EvidenceRecord>,
    /// All versions of the personal items.
    pub personal: BTreeMap<String, Vec<PersonalItem>>,
    /// The last custody of captures.
    pub custody: BTreeMap<String, Custody>,
}

/// Reads the streams.
#[derive(Clone, Debug)]
pub struct Streams {
    client: Client,
    evidence: String,
    personal: String,
}

impl Streams {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let tables = &connection.config.tables;
        Self { client: connection.streams(), evidence: tables.evidence.read(), personal: tables.personal.read() }
    }

    /// Reads both streams, deleted items included. Images that cannot be parsed are skipped.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn read(&self) -> Result<Streamed, Error> {
        let mut streamed = Streamed::default();
        for (id, images) in self.images(&self.evidence, "capture_id").await? {
            let first = images.into_iter().next().and_then(|item| exact(item).ok());
            streamed.records.extend(first.filter(|record| record.capture_id.as_str() == id).map(|record| (id, record)));
        }
        for (pk, images) in self.images(&self.personal, "pk").await? {
            let id = |prefix| pk.strip_prefix(prefix).filter(|id| CaptureId::from_hex(id).is_some()).map(str::to_owned);
            if let Some(id) = id(PERSONAL) {
                let items = images.into_iter().filter_map(|item| decode("personal item", item).ok());
                streamed.personal.insert(id, items.collect());
            } else if let Some(id) = id(CUSTODY) {
                let last = images.into_iter().next_back().and_then(|item| decode("custody", item).ok());
                streamed.custody.extend(last.map(|custody| (id, custody)));
            }
        }
        Ok(streamed)
    }

    /// All images of each item, by key, oldest first.
    async fn images(&self, table: &str, key: &str) -> Result<BTreeMap<String, Vec<Item>>, Error> {
        let mut found = BTreeMap::<String, BTreeMap<Place, Item>>::new();
        for (label, arn) in self.streams(table).await? {
            for shard in self.shards(&arn).await? {
                for record in self.records(&arn, &shard).await? {
                    for (place, item) in images(&label, record) {
                        let Some(key) = item.get(key).and_then(|value| value.as_s().ok()).cloned() else { continue };
                        found.entry(key).or_default().insert(place, item);
                    }
                }
            }
        }
        Ok(found.into_iter().map(|(key, images)| (key, images.into_values().collect())).collect())
    }

    /// The streams of all tables that ever had this name: each stream's label, which is its time of creation, and its
    /// ARN.
    async fn streams(&self, table: &str) -> Result<Vec<(String, String)>, Error> {
        let (mut streams, mut from) = (Vec::new(), None);
        loop {
            let list = self.client.list_streams().table_name(table).set_exclusive_start_stream_arn(from);
            let page = list.send().in_time().await.map_err(|error| unavailable("ListStreams", &error))?;
            let found = page.streams.unwrap_or_default().into_iter();
            streams
                .extend(found.filter_map(|stream| Some((stream.stream_label.unwrap_or_default(), stream.stream_arn?))));
            from = page.last_evaluated_stream_arn;
            if from.is_none() {
                return Ok(streams);
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

    async fn records(&self, arn: &str, shard: &Shard) -> Result<Vec<Record>, Error> {
        let ending = shard.sequence_number_range.as_ref().and_then(|range| range.ending_sequence_number.as_deref());
        let get = self.client.get_shard_iterator().stream_arn(arn).set_shard_id(shard.shard_id.clone());
        let get = get.shard_iterator_type(ShardIteratorType::TrimHorizon).send().in_time().await;
        let mut iterator = get.map_err(|error| unavailable("GetShardIterator", &error))?.shard_iterator;
        let (mut records, mut empty) = (Vec::new(), 0);
        while let Some(from) = iterator {
            let read = self.client.get_records().shard_iterator(from).send().in_time().await;
            let page = read.map_err(|error| unavailable("GetRecords", &error))?;
            let found = page.records.unwrap_or_default();
            if found.is_empty() && page.next_shard_iterator.is_some() {
                empty += 1;
                tokio::time::sleep(BETWEEN_EMPTY_READS).await;
            } else {
                empty = 0;
            }
            records.extend(found);
            let is_whole = ending.is_some() && records.last().and_then(sequence_number) == ending;
            iterator = page.next_shard_iterator.filter(|_| !is_whole && (ending.is_some() || empty < EMPTY_READS));
        }
        Ok(records)
    }
}

fn sequence_number(record: &Record) -> Option<&str> {
    record.dynamodb.as_ref()?.sequence_number.as_deref()
}

/// The position of an image among the images of an item: the stream's label; the sequence number as its length and its
/// decimal digits (up to 40), so that it sorts numerically; and whether it is the new image.
type Place = (String, usize, String, bool);

/// The old and the new image of a stream record.
fn images(label: &str, record: Record) -> impl Iterator<Item = (Place, Item)> {
    let change = record.dynamodb.unwrap_or_else(|| StreamRecord::builder().build());
    let number = change.sequence_number.unwrap_or_default().trim_start_matches('0').to_owned();
    let place = move |is_new| (label.to_owned(), number.len(), number.clone(), is_new);
    let item = |image: HashMap<String, AttributeValue>| -> Item { serde_dynamo::Item::from(image).into() };
    let (old, new) = (change.old_image.map(item), change.new_image.map(item));
    let (before, after) = (old.map(|item| (place(false), item)), new.map(|item| (place(true), item)));
    [before, after].into_iter().flatten()
}
