//! The `Webhooks` table: the outbox of webhook messages, with one item for each attempt.
//!
//! Invariants: the first attempt is written in the transaction of the session's last photo, later ones by an operator.
//! An attempt is claimed by a conditional write, and only the claimant makes it. So a stream or queue that delivers it
//! twice, or a process that ends after the claim, leads to at most one request to the receiver. TTL removes items when
//! the message's URLs expire.

use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem};
use lacre_domain::{Attempt, AuditEntry, ClientId, DeliveryResult, MessageId, Outcome, clock::epoch_millis};
use time::OffsetDateTime;

use crate::{
    Audit, ChangeError, Connection, Error,
    budgets::InTime,
    envelope::{DataKey, Encrypted, Envelopes, Purpose},
    error::{incomplete, unavailable},
    item::{self, Item, batch_get, decode, encode, number, take, text, unless_refused},
    paging::{List, Listed, PageError, PageRequest},
    transaction,
};

/// The only value of the attribute `failing`, the partition key of the index `by_failure`.
const FAILING: &str = "yes";
/// The condition that the attempt does not exist yet.
const IS_NEW: &str = "attribute_not_exists(attempt_id)";

/// An attempt with its message's encrypted body.
#[derive(Clone, Debug)]
pub struct OutboxItem {
    /// The attempt.
    pub attempt: Attempt,
    /// The encrypted body of the message.
    pub body: Encrypted,
}

/// The key of an attempt, as the queue carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptKey {
    /// The client that the message concerns.
    pub client_id: ClientId,
    /// The id of the message.
    pub message_id: MessageId,
    /// The number of the attempt, from 1.
    pub number: u32,
}

impl AttemptKey {
    /// Parses the two attributes of an item's key; `None` if they are malformed.
    #[must_use]
    pub fn parse(client_id: &str, attempt_id: &str) -> Option<Self> {
        let (message_id, number) = attempt_id.split_once('#')?;
        let (message_id, number) = (MessageId::parse(message_id)?, number.parse().ok()?);
        Some(Self { client_id: ClientId::parse(client_id).ok()?, message_id, number })
    }

    fn of(attempt: &Attempt) -> Self {
        let Attempt { client_id, message_id, number, .. } = attempt;
        Self { client_id: client_id.clone(), message_id: message_id.clone(), number: *number }
    }

    /// The sort key. Numbers are padded to four digits so that they sort numerically.
    fn attempt_id(&self) -> String {
        format!("{}#{:04}", self.message_id, self.number)
    }

    fn item(&self) -> Item {
        Item::from([
            ("client_id".to_owned(), text(self.client_id.as_str())),
            ("attempt_id".to_owned(), text(self.attempt_id())),
        ])
    }
}

/// Reads and writes the outbox.
#[derive(Clone, Debug)]
pub struct Outbox {
    client: aws_sdk_dynamodb::Client,
    table: String,
    envelopes: Envelopes,
    audit: Audit,
}

impl Outbox {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            client: connection.dynamodb(),
            table: connection.config.tables.webhooks.read(),
            envelopes: Envelopes::new(connection, &connection.config.webhooks_key_arn),
            audit: Audit::of_port(connection),
        }
    }

    /// Generates the data key for the body of a message.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn data_key(&self, message: &MessageId) -> Result<DataKey, Error> {
        self.envelopes.data_key(Purpose::WebhookMessage, message.as_str()).await
    }

    /// Decrypts the body of a message.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn decrypt(&self, item: &OutboxItem) -> Result<Vec<u8>, Error> {
        let id = item.attempt.message_id.as_str();
        Ok(self.envelopes.decrypt(Purpose::WebhookMessage, id, &item.body).await?.to_vec())
    }

    /// Reads an attempt; `None` if it does not exist or has left the outbox.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, key: &AttemptKey, now: OffsetDateTime) -> Result<Option<OutboxItem>, Error> {
        let get = self.client.get_item().table_name(&self.table).set_key(Some(key.item())).consistent_read(true);
        let found = get.send().in_time().await.map_err(|error| unavailable("GetItem", &error))?.item;
        found.filter(|item| !is_gone(item, now)).map(outbox_item).transpose()
    }

    /// Claims an attempt. Returns `false` if another claimant has it.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: the attempt may be claimed; the same claimant may try again.
    pub async fn claim(&self, attempt: &Attempt, claimant: &str, now: OffsetDateTime) -> Result<bool, Error> {
        let claim = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(AttemptKey::of(attempt).item()))
            .update_expression("SET claim = :claim, claimed_at = :now")
            .condition_expression("attribute_exists(attempt_id) AND (attribute_not_exists(claim) OR claim = :claim)")
            .expression_attribute_values(":claim", text(claimant))
            .expression_attribute_values(":now", number(epoch_millis(now)));
        unless_refused("UpdateItem", claim.send().in_time().await)
    }

    /// Records the outcome of an attempt. Returns `false` if the claimant does not own it.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn conclude(&self, attempt: &Attempt, claimant: &str, outcome: &Outcome) -> Result<bool, Error> {
        let conclude = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(AttemptKey::of(attempt).item()))
            .condition_expression("claim = :claim")
            .expression_attribute_values(":claim", text(claimant))
            .expression_attribute_values(":outcome", AttributeValue::M(item::value("outcome", outcome)?));
        let conclude = match outcome.result {
            DeliveryResult::Delivered => conclude.update_expression("SET outcome = :outcome"),
            _ => conclude
                .update_expression("SET outcome = :outcome, failing = :failing")
                .expression_attribute_values(":failing", text(FAILING)),
        };
        unless_refused("UpdateItem", conclude.send().in_time().await)
    }

    /// A client's attempts, newest first.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn latest(
        &self,
        client: &ClientId,
        page: &PageRequest,
        now: OffsetDateTime,
    ) -> Result<Listed<Attempt>, PageError> {
        let list = List {
            table: &self.table,
            index: None,
            partition: ("client_id", client.as_str()),
            sort: Some(("attempt_id", "")),
            key: &[],
            descending: true,
        };
        let mut found = list.page(&self.client, page).await?;
        found.entries.retain(|item| !is_gone(item, now));
        found.read(|item| decode("webhook", item))
    }

    /// The failed attempts of all clients that were not followed by a redelivery, newest first.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn failing(&self, page: &PageRequest, now: OffsetDateTime) -> Result<Listed<Attempt>, PageError> {
        let listed = self.failing_list().page(&self.client, page).await?;
        let key = |item: &Item| {
            let part = |name: &str| Some((name.to_owned(), item.get(name)?.clone()));
            Some(Item::from([part("client_id")?, part("attempt_id")?]))
        };
        let keys: Vec<Item> = listed.entries.iter().filter_map(key).collect();
        let mut items = match keys.is_empty() {
            true => Vec::new(),
            false => batch_get(&self.client, &self.table, keys.clone()).await?,
        };
        let found = keys.iter().filter_map(|key| take(&mut items, key));
        let attempts = found.filter(|item| item.contains_key("failing") && !is_gone(item, now));
        let attempts = attempts.map(|item| decode("webhook", item)).collect::<Result<_, _>>()?;
        Ok(listed.with(attempts))
    }

    /// The number of attempts in [`Outbox::failing`], up to `most`, and whether there are more.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count_failing(&self, most: usize) -> Result<(usize, bool), Error> {
        self.failing_list().count(&self.client, most).await
    }

    /// The write to an attempt that another one follows.
    fn leaving(&self, before: &Attempt, now: OffsetDateTime) -> Result<TransactWriteItem, Error> {
        let key = AttemptKey::of(before).item();
        if before.claimed_at.is_some() {
            let is_there = "attribute_exists(attempt_id)";
            return transaction::update(&self.table, key, "REMOVE failing", is_there, &[], &[]);
        }
        let outcome =
            Outcome { result: DeliveryResult::Superseded, status: None, duration_ms: 0, detail: String::new() };
        let values = [
            (":claim", text(crate::attempt_id())),
            (":now", number(epoch_millis(now))),
            (":outcome", AttributeValue::M(item::value("outcome", &outcome)?)),
        ];
        let claim = "SET claim = :claim, claimed_at = :now, outcome = :outcome";
        let condition = "attribute_exists(attempt_id) AND attribute_not_exists(claim)";
        transaction::update(&self.table, key, claim, condition, &[], &values)
    }

    fn failing_list(&self) -> List<'_> {
        List {
            table: &self.table,
            index: Some("by_failure"),
            partition: ("failing", FAILING),
            sort: Some(("attempt_id", "")),
            key: &["client_id"],
            descending: true,
        }
    }

    /// The last attempt at a message; `None` if the message does not exist or has left the outbox.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn last(
        &self,
        client: &ClientId,
        message: &MessageId,
        now: OffsetDateTime,
    ) -> Result<Option<OutboxItem>, Error> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .consistent_read(true)
            .scan_index_forward(false)
            .limit(1)
            .key_condition_expression("client_id = :pk AND begins_with(attempt_id, :prefix)")
            .expression_attribute_values(":pk", text(client.as_str()))
            .expression_attribute_values(":prefix", text(format!("{message}#")));
        let last = item::found(query, 1, |item| !is_gone(item, now)).await?.pop();
        last.map(outbox_item).transpose()
    }

    /// Adds an attempt at a message. The previous attempt is marked as superseded if it was not made, and no longer
    /// counts as failing if it failed. Returns `false` if another operator added an attempt, or the previous one was
    /// claimed in the meantime.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add(
        &self,
        item: &OutboxItem,
        before: Option<&Attempt>,
        entry: &AuditEntry,
    ) -> Result<bool, ChangeError> {
        let mut items = vec![announcing(&self.table, item)?];
        if let Some(before) = before {
            items.push(self.leaving(before, item.attempt.requested_at)?);
        }
        self.audit.write(items, entry).await
    }
}

/// The write of a message's first attempt, for the transaction of the capture that it announces.
pub(crate) fn announcing(table: &str, item: &OutboxItem) -> Result<TransactWriteItem, Error> {
    let put = Put::builder().table_name(table).set_item(Some(stored(item)?)).condition_expression(IS_NEW);
    Ok(TransactWriteItem::builder().put(put.build().map_err(incomplete)?).build())
}

fn stored(item: &OutboxItem) -> Result<Item, Error> {
    let id = AttemptKey::of(&item.attempt).attempt_id();
    let mut stored = encode("webhook", &item.attempt, [("attempt_id", text(id))])?;
    stored.extend(item::value("webhook", &item.body)?);
    Ok(stored)
}

fn outbox_item(item: Item) -> Result<OutboxItem, Error> {
    Ok(OutboxItem { attempt: decode("webhook", item.clone())?, body: decode("webhook", item)? })
}

fn is_gone(item: &Item, now: OffsetDateTime) -> bool {
    item::is_past(item, "expires_at", now.unix_timestamp())
}
