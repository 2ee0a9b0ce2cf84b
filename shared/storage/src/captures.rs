//! The commit of a capture, and the `Evidence` table that it writes.
//!
//! Invariant: the evidence record, the personal item, the conclusion of the photo in its session, the volume count and, for
//! the last photo of a hosted session, its webhook message are one transaction. A capture is recorded and counted once, or not
//! at all; nothing is delivered before it. The conditional parts name things that are written once (record and personal item of
//! this capture, the capture of this photo), so no retry, of this process or of another, can commit a capture twice. When the outcome is not known, the evidence record decides it: it holds the attempt's id.

use aws_sdk_dynamodb::{
    error::SdkError,
    types::{AttributeValue, TransactWriteItem, Update},
};
use lacre_domain::{CaptureId, EvidenceRecord, PersonalItem, PhotoCapture, SessionToken, limits};

use crate::{
    Connection, Error, OutboxItem, TimeBudgets, account_keys,
    budgets::{InTime, within},
    error::unavailable,
    item::{self, decode, encode, text},
    outbox,
    personal::personal_key,
    sessions,
    transaction::{IS_NEW, WriteError, add, backoff, incomplete, is_conflict, is_refused, put},
};

/// The number of lost responses after which a commit gives up.
const LOST_ANSWERS: u32 = 2;

/// The writes of a commit.
#[derive(Debug)]
pub struct Commit<'a> {
    /// The session's token.
    pub token: &'a SessionToken,
    /// The evidence record.
    pub capture: &'a EvidenceRecord,
    /// What it commits to.
    pub personal: &'a PersonalItem,
    /// The photo in the session.
    pub photo: &'a PhotoCapture,
    /// The webhook message of a hosted session whose last photo this is.
    pub announcement: Option<&'a OutboxItem>,
}

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// This attempt's capture is recorded.
    Committed,
    /// Another attempt captured this photo first; nothing of this one is recorded.
    Lost,
    /// The session is gone, or bound to another license; nothing is recorded.
    SessionChanged,
}

/// The port to the evidence of single captures.
#[derive(Clone, Debug)]
pub struct Captures {
    client: aws_sdk_dynamodb::Client,
    evidence: String,
}

impl Captures {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), evidence: connection.config.tables.evidence.read() }
    }

    /// Reads the evidence of a capture.
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

/// The port to the tables of a commit.
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
    /// The port over a connection.
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

    /// Commits a capture, with a budget of time of its own: a capture that is signed is not given up because signing it
    /// took long.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the evidence could not be written, or it is not known whether it was.
    pub async fn commit(&self, commit: &Commit<'_>) -> Result<CommitOutcome, Error> {
        match within(self.budgets.commit, self.write_until_known(commit)).await {
            Ok(()) => Ok(CommitOutcome::Committed),
            Err(error) => within(self.budgets.settle, self.settle(commit, &error)).await,
        }
    }

    /// Tries for as long as there is time when the transaction conflicts with another write of the same items.
    async fn write_until_known(&self, commit: &Commit<'_>) -> Result<(), WriteError> {
        let (mut round, mut lost_answers) = (0, 0);
        loop {
            let Err(error) = self.write(commit).await else { return Ok(()) };
            // Sent again while the lost one may still be under way: whichever comes second meets the conditions.
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

    /// Whether a refused or ambiguous transaction is this attempt's own, committed by an earlier try.
    async fn settle(&self, commit: &Commit<'_>, error: &WriteError) -> Result<CommitOutcome, Error> {
        let recorded = self.captures.read(&commit.capture.capture_id).await?;
        match recorded {
            Some(capture) if capture.attempt == commit.capture.attempt => Ok(CommitOutcome::Committed),
            Some(_) => Ok(CommitOutcome::Lost),
            // What was written once is written for good: without evidence, no try of this attempt took effect.
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
        let photo = format!("photos[{}].#capture", commit.capture.photo_order - 1);
        let update = Update::builder()
            .table_name(&self.sessions)
            .key("pk", text(sessions::session_key(&commit.token.hash())))
            .update_expression(format!("SET {photo} = :capture"))
            .condition_expression(format!("license_id = :license AND attribute_not_exists({photo})"))
            .expression_attribute_names("#capture", "capture")
            .expression_attribute_values(":license", text(&commit.capture.license_id.0))
            .expression_attribute_values(":capture", AttributeValue::M(item::value("photo", commit.photo)?));
        Ok(TransactWriteItem::builder().update(update.build().map_err(incomplete)?).build())
    }

    /// Each attempt uses a random shard, so that a retry avoids a busy one.
    fn count(&self, commit: &Commit<'_>) -> Result<TransactWriteItem, Error> {
        let [drawn] = crate::entropy::<1>();
        let shard = drawn % limits::VOLUME_SHARDS;
        let (pk, sk) = account_keys::volume_key(&commit.capture.license_id, &commit.capture.month, shard);
        add(&self.accounts, account_keys::key_item(&pk, &sk), 1)
    }
}

/// Whether a transaction may have been committed although its response was lost.
fn is_lost(error: &WriteError) -> bool {
    match error {
        SdkError::ConstructionFailure(_) => false,
        SdkError::ServiceError(refused) => refused.raw().status().is_server_error(),
        _ => true,
    }
}
