//! The table of the logs: the last checkpoint of each environment, and the leaf of each capture.
//!
//! The primary key is `pk` and `sk`: `head#ENVIRONMENT` with `head`, and `leaf#CAPTURE_ID` with `leaf`. A leaf waits
//! from the export of its record until it has an index. The table's stream delivers waiting leaves to the sequencer,
//! which therefore needs no access to evidence. Invariant: a checkpoint replaces only the one that it was computed
//! from, so if two sequencers run, one fails. This prevents a log from having two histories.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{CaptureId, Environment, EvidenceRecord, Sha256Digest, WaitingLeaf};
use serde::{Deserialize, Serialize};

use crate::{
    Connection, Error,
    account_keys::key_item,
    budgets::InTime,
    error::{incomplete, unavailable},
    item::{self, BATCH_WRITES, Item, batch_write, decode, encode, text, unless_refused},
};

/// The maximum number of items that DynamoDB reads in one batch.
const READS: usize = 100;
/// The number of concurrent batches. The faster one sequencer finishes, the fewer stream shards find it busy
/// (`lab/scripts/simulate-log`).
const CONCURRENT: usize = 32;
/// The last checkpoint of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHead {
    /// The tree size of the checkpoint that this one was computed from.
    #[serde(rename = "tree_from")]
    pub from: u64,
    /// The tree size.
    #[serde(rename = "tree_size")]
    pub size: u64,
    /// The root hash of the tree.
    #[serde(rename = "tree_root")]
    pub root: Sha256Digest,
    /// The checkpoint as a signed note.
    pub note: String,
    /// Whether everything that belongs to the checkpoint is published. Until then, no leaf is added.
    pub is_published: bool,
}

/// The leaf of a capture in its log, with its inclusion proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLeaf {
    /// The index of the leaf.
    pub index: u64,
    /// The hashes of the inclusion proof, concatenated.
    #[serde(with = "serde_bytes")]
    pub path: Vec<u8>,
    /// The checkpoint with which the leaf was added: a signed note.
    pub note: String,
}

/// Reads and writes the logs' state.
#[derive(Clone, Debug)]
pub struct LogState {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl LogState {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.log.read() }
    }

    /// The last checkpoint of an environment's log; `None` before the first one.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn head(&self, environment: Environment) -> Result<Option<LogHead>, Error> {
        let get = self.client.get_item().table_name(&self.table).consistent_read(true);
        let answer = get.set_key(Some(head_key(environment))).send().in_time().await;
        let answer = answer.map_err(|error| unavailable("GetItem", &error))?;
        answer.item.map(|item| decode("log checkpoint", item)).transpose()
    }

    /// Replaces the checkpoint that the new one was computed from. Returns `false` if that is no longer the last:
    /// another sequencer was first, or an earlier try of this one succeeded and its response was lost.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: whether it was replaced is unknown.
    pub async fn advance(
        &self,
        environment: Environment,
        from: Option<&LogHead>,
        head: &LogHead,
    ) -> Result<bool, Error> {
        let mut item = encode("log checkpoint", head, [])?;
        item.extend(head_key(environment));
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = match from {
            None => put.condition_expression("attribute_not_exists(pk)"),
            Some(from) => conditions(from).into_iter().fold(
                put.condition_expression("tree_size = :size AND tree_root = :root AND is_published = :yes"),
                |put, (name, value)| put.expression_attribute_values(name, value),
            ),
        };
        unless_refused("PutItem", put.send().in_time().await)
    }

    /// Records that everything of a checkpoint is published, if it is still the last one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn published(&self, environment: Environment, head: &LogHead) -> Result<(), Error> {
        let update = self.client.update_item().table_name(&self.table).set_key(Some(head_key(environment)));
        let update = update
            .update_expression("SET is_published = :yes")
            .condition_expression("tree_size = :size AND tree_root = :root")
            .set_expression_attribute_values(Some(
                conditions(head).into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            ));
        unless_refused("UpdateItem", update.send().in_time().await).map(|_| ())
    }

    /// Queues a capture for its leaf, unless it is queued or has one. A record without a log entry is ignored.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn offer(&self, capture: &EvidenceRecord) -> Result<(), Error> {
        let Some(waiting) = capture.waiting_leaf() else { return Ok(()) };
        let mut item = encode("log leaf", &waiting, [])?;
        item.extend(leaf_key(&capture.capture_id));
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = put.condition_expression("attribute_not_exists(pk)");
        unless_refused("PutItem", put.send().in_time().await).map(|_| ())
    }

    /// Queues a capture again, so that the stream delivers it once more, unless it has a leaf. The caller has to repeat
    /// this after an error.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn offer_again(&self, capture: &EvidenceRecord) -> Result<(), Error> {
        let delete = self.client.delete_item().table_name(&self.table).set_key(Some(leaf_key(&capture.capture_id)));
        let delete = delete.condition_expression("attribute_not_exists(#index)");
        let delete = delete.expression_attribute_names("#index", INDEX);
        match unless_refused("DeleteItem", delete.send().in_time().await)? {
            true => self.offer(capture).await,
            false => Ok(()),
        }
    }

    /// Records the leaves of captures. Idempotent, because a capture has only one leaf.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some leaves may have been recorded.
    pub async fn add_leaves(&self, leaves: &[(CaptureId, LogLeaf)]) -> Result<(), Error> {
        let batches: Vec<_> = leaves.chunks(BATCH_WRITES).map(|batch| self.write_leaves(batch)).collect();
        stream::iter(batches).buffer_unordered(CONCURRENT).try_collect().await
    }

    async fn write_leaves(&self, leaves: &[(CaptureId, LogLeaf)]) -> Result<(), Error> {
        let write = |(capture, leaf): &(CaptureId, LogLeaf)| {
            let mut item = encode("log leaf", leaf, [])?;
            item.extend(leaf_key(capture));
            let put = PutRequest::builder().set_item(Some(item)).build().map_err(incomplete)?;
            Ok(WriteRequest::builder().put_request(put).build())
        };
        batch_write(&self.client, &self.table, leaves.iter().map(write).collect::<Result<_, Error>>()?).await
    }

    /// The leaves of those captures that are in the log, by capture id.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn leaves(&self, captures: &[&CaptureId]) -> Result<BTreeMap<String, LogLeaf>, Error> {
        let keys = |batch: &[&CaptureId]| batch.iter().map(|capture| leaf_key(capture)).collect();
        let batches = captures.chunks(READS).map(|batch| item::batch_get(&self.client, &self.table, keys(batch)));
        let batches: Vec<_> = batches.collect();
        let found: Vec<Vec<Item>> = stream::iter(batches).buffer_unordered(CONCURRENT).try_collect().await?;
        let leaf = |item: Item| Ok((capture_of(&item).unwrap_or_default(), decode("log leaf", item)?));
        found.into_iter().flatten().filter(|item| item.contains_key(INDEX)).map(leaf).collect()
    }
}

/// Reads a waiting leaf and its capture from an image of the table's stream; `None` for items of another kind, and for
/// leaves that have an index.
///
/// # Errors
/// [`Error::Corrupt`] if the item does not have the form that this service writes.
pub fn read_waiting_leaf(image: serde_dynamo::Item) -> Result<Option<(CaptureId, WaitingLeaf)>, Error> {
    let item: Item = image.into();
    let Some(capture) = capture_of(&item).filter(|_| !item.contains_key(INDEX)) else { return Ok(None) };
    let capture = CaptureId::from_hex(&capture);
    let capture =
        capture.ok_or(Error::Corrupt { what: "log leaf", cause: "its key does not contain a capture ID".into() })?;
    Ok(Some((capture, decode("log leaf", item)?)))
}

fn capture_of(item: &Item) -> Option<String> {
    Some(item.get("pk")?.as_s().ok()?.strip_prefix(LEAF)?.to_owned())
}

const LEAF: &str = "leaf#";
/// The attribute that a leaf has only once it is in the log (see [`LogLeaf`]).
const INDEX: &str = "index";

fn leaf_key(capture: &CaptureId) -> Item {
    key_item(&format!("{LEAF}{}", capture.as_str()), "leaf")
}

fn head_key(environment: Environment) -> Item {
    key_item(&format!("head#{}", environment.name()), "head")
}

fn conditions(head: &LogHead) -> [(&'static str, AttributeValue); 3] {
    [(":size", item::number(head.size)), (":root", text(head.root.hex())), (":yes", AttributeValue::Bool(true))]
}
