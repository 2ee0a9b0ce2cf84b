//! The commit of a capture, and the `Evidence` table that it writes.
//!
//! Invariant: one transaction writes the evidence record, the personal item, the captured photo in its session, the
//! volume count and, for the last photo of a hosted session, its webhook message. A capture is recorded and counted
//! once or not at all, and nothing is delivered before. The conditions concern items that are written once (record and
//! personal item of this capture, the photo's place in the session), so no retry of this or another process can commit
//! a capture twice. If the outcome is unknown, the evidence record decides: it contains the attempt's id.

use aws_sdk_dynamodb::{
    error::SdkError,
    types::{AttributeValue, TransactWriteItem, Update},
};
use lacre_domain::{CaptureId, EvidenceRecord, PersonalItem, PhotoCapture, SessionToken, limits};

use crate::{
    Connection, Error, OutboxItem, TimeBudgets, account_keys,
    budgets::{InTime, within},
    error::{incomplete, unavailable},
    item::{self, decode, encode, text},
    outbox,
    personal::personal_key,
    sessions,
    transaction::{IS_NEW, WriteError, add, backoff, is_conflict, is_refused, put},
};

/// The number of lost responses after which the commit stops retrying.
const LOST_ANSWERS: u32 = 2;

/// What a commit writes.
#[derive(Debug)]
pub struct Commit<'a> {
    /// The session's token.
    pub token: &'a SessionToken,
    /// The evidence record of the capture.
    pub capture: &'a EvidenceRecord,
    /// The personal item that the record commits to.
    pub personal: &'a PersonalItem,
    /// The captured photo as the session stores it.
    pub photo: &'a PhotoCapture,
    /// The webhook message, if this is the last photo of a hosted session.
    pub announcement: Option<&'a OutboxItem>,
}

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// This attempt's capture is recorded.
    Committed,
    /// Another attempt captured this photo first; nothing of this attempt is recorded.
    Lost,
    /// The session no longer exists, is bound to another license, or no longer asks for the photo, which was skipped;
    /// nothing is recorded.
    SessionChanged,
}

/// Reads evidence records one at a time.
#[derive(Clone, Debug)]
pub struct Captures {
    client: aws_sdk_dynamodb::Client,
    evidence: String,
}

impl Captures {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), evidence: connection.config.tables.evidence.read() }
    }

    /// Reads the evidence record of a capture.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, capture_id: &CaptureId) -> Result<Option<EvidenceRecord>, Error> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.evidence)
            .key("capture_id", text(capture_id.as_str()))
            .consistent_read(true)
            .send()
            .in_time()
            .await
            .map_err(|error| unavailable("GetItem", &error))?;
        answer.item.map(|item| decode("evidence", item)).transpose()
    }
}

/// Commits captures.
#[derive(Clone, Debug)]
pub struct Commits {
    client: aws_sdk_dynamodb::Client,
    captures: Captures,
    personal: String,
    sessions: String,
    accounts: String,
    webhooks: String,
    budgets: TimeBudgets,
}

impl Commits {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        let tables = &connection.config.tables;
        Self {
            client: connection.dynamodb(),
            captures: Captures::new(connection),
            personal: tables.personal.read(),
            sessions: tables.sessions.read(),
            accounts: tables.accounts.read(),
            webhooks: tables.webhooks.read(),
            budgets: connection.config.budgets,
        }
    }

    /// Commits a capture. The commit has its own time budget: a signed capture is not abandoned because signing took
    /// long.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the evidence could not be written, or if that is unknown.
    pub async fn commit(&self, commit: &Commit<'_>) -> Result<CommitOutcome, Error> {
        match within(self.budgets.commit, self.write_until_known(commit)).await {
            Ok(()) => Ok(CommitOutcome::Committed),
            Err(error) => within(self.budgets.settle, self.settle(commit, &error)).await,
        }
    }

    /// Retries while the transaction conflicts with other writes of the same items, as long as there is time.
    async fn write_until_known(&self, commit: &Commit<'_>) -> Result<(), WriteError> {
        let (mut round, mut lost_answers) = (0, 0);
        loop {
            let Err(error) = self.write(commit).await else { return Ok(()) };
            // The transaction is sent again while the one with the lost response may still be running: its conditions
            // let only one of them take effect.
            lost_answers += u32::from(is_lost(&error));
            if !is_conflict(&error) && (!is_lost(&error) || lost_answers == LOST_ANSWERS) {
                return Err(error);
            }
            round += 1;
            tokio::time::sleep(backoff(round)).await;
        }
    }

    async fn write(&self, commit: &Commit<'_>) -> Result<(), WriteError> {
        let announcement = commit.announcement.map(|item| outbox::announcing(&self.webhooks, item));
        let items = [self.evidence(commit), self.personal(commit), self.conclusion(commit), self.count(commit)];
        let items = items
            .into_iter()
            .chain(announcement)
            .collect::<Result<Vec<_>, _>>()
            .map_err(SdkError::construction_failure)?;
        let write = self.client.transact_write_items().set_transact_items(Some(items));
        write.send().in_time().await.map(|_| ())
    }

    /// Determines whether an earlier try of this attempt committed, after a transaction was refused or its outcome is
    /// unknown.
    async fn settle(&self, commit: &Commit<'_>, error: &WriteError) -> Result<CommitOutcome, Error> {
        let recorded = self.captures.read(&commit.capture.capture_id).await?;
        match recorded {
            Some(capture) if capture.attempt == commit.capture.attempt => Ok(CommitOutcome::Committed),
            Some(_) => Ok(CommitOutcome::Lost),
            // Evidence is never removed, so if the record does not exist, no try of this attempt took effect.
            None if is_refused(error) => Ok(CommitOutcome::SessionChanged),
            None => Err(unavailable("TransactWriteItems", error)),
        }
    }

    fn evidence(&self, commit: &Commit<'_>) -> Result<TransactWriteItem, Error> {
        put(
            &self.captures.evidence,
            encode("evidence", commit.capture, [])?,
            Some("attribute_not_exists(capture_id)"),
            &[],
        )
    }

    fn personal(&self, commit: &Commit<'_>) -> Result<TransactWriteItem, Error> {
        let key = [("pk", text(personal_key(&commit.capture.capture_id)))];
        put(&self.personal, encode("personal item", commit.personal, key)?, IS_NEW, &[])
    }

    fn conclusion(&self, commit: &Commit<'_>) -> Result<TransactWriteItem, Error> {
        let place = format!("photos[{}]", commit.capture.photo_order - 1);
        let photo = format!("{place}.#capture");
        let update = Update::builder()
            .table_name(&self.sessions)
            .key("pk", text(sessions::session_key(&commit.token.hash())))
            .update_expression(format!("SET {photo} = :capture"))
            .condition_expression(format!(
                "license_id = :license AND attribute_not_exists({photo}) AND attribute_not_exists({place}.skipped)"
            ))
            .expression_attribute_names("#capture", "capture")
            .expression_attribute_values(":license", text(commit.capture.license_id.as_str()))
            .expression_attribute_values(":capture", AttributeValue::M(item::value("photo", commit.photo)?));
        Ok(TransactWriteItem::builder().update(update.build().map_err(incomplete)?).build())
    }

    /// Each try uses a random shard, so that a retry avoids a contended one.
    fn count(&self, commit: &Commit<'_>) -> Result<TransactWriteItem, Error> {
        let [drawn] = crate::entropy::<1>();
        let shard = drawn % limits::VOLUME_SHARDS;
        let (pk, sk) = account_keys::volume_key(&commit.capture.license_id, &commit.capture.month, shard);
        add(&self.accounts, account_keys::key_item(&pk, &sk), 1)
    }
}

/// Whether a transaction may have been committed although it returned an error.
fn is_lost(error: &WriteError) -> bool {
    match error {
        SdkError::ConstructionFailure(_) => false,
        SdkError::ServiceError(refused) => refused.raw().status().is_server_error(),
        _ => true,
    }
}
