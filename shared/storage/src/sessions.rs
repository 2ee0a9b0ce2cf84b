//! The `Sessions` table: sessions, their nonces, the number of loads of each session, and the numbers of sessions that
//! an API key creates and of copies that it looks up per hour.
//!
//! Every item expires by TTL (`ttl`, seconds of the Unix epoch), and counts as deleted from that second on. Loads,
//! creations and lookups are counted as sets of ids instead of numbers: adding an id twice has no further effect, so an
//! attempt that is repeated after a lost response counts once. These counts are items of their own, so that none of them
//! ever conflicts with the transaction that commits a capture.

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{IssuedNonce, KeyHash, LicenseId, Nonce, Session, SessionToken, limits};
use time::{Duration, OffsetDateTime};

use crate::{
    Connection, Error,
    budgets::InTime,
    error::unavailable,
    item::{self, Item, batch_get, decode, encode, number, text, unless_refused},
};

/// Whether a count was below its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The limit was not reached, and the request is counted.
    Within,
    /// The limit was already reached; nothing changed.
    LimitReached,
}

/// A session, and the nonce that an ingest sends.
#[derive(Debug)]
pub struct OpenedSession {
    /// The session, if it exists; its own error if it is corrupt.
    pub session: Result<Option<Session>, Error>,
    /// The nonce's record, if it was issued and has not expired.
    pub nonce: Result<Option<IssuedNonce>, Error>,
}

/// The maximum number of attempts to erase a photo from a session that captures change concurrently.
const ERASE_ROUNDS: u32 = 8;

/// How long the count of an hour is kept.
const HOURLY_COUNT_KEPT: Duration = Duration::hours(2);

/// Reads and writes sessions and nonces.
#[derive(Clone, Debug)]
pub struct Sessions {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Sessions {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.sessions.read() }
    }

    /// Stores a new session. Idempotent: an unconditional put under a random key.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn create(&self, token: &SessionToken, session: &Session) -> Result<(), Error> {
        let ttl = (session.expires_at + limits::SESSION_RETENTION).unix_timestamp();
        let key = [("pk", text(session_key(&token.hash()))), ("ttl", number(ttl))];
        self.put(encode("session", session, key)?).await
    }

    /// Counts a session creation of `api_key` in the clock hour of `now`, unless the hour's limit is reached.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count_creation(
        &self,
        api_key: &KeyHash,
        token: &SessionToken,
        now: OffsetDateTime,
    ) -> Result<Counted, Error> {
        let until = now + HOURLY_COUNT_KEPT;
        self.count(creations_key(api_key, now), limits::CREATIONS_PER_HOUR, &token.hash(), until).await
    }

    /// Counts a lookup of `api_key` in the clock hour of `now`, unless the hour's limit is reached. `lookup` identifies
    /// the request, so that a repetition after a lost response counts once.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count_lookup(
        &self,
        api_key: &KeyHash,
        lookup: &KeyHash,
        now: OffsetDateTime,
    ) -> Result<Counted, Error> {
        let until = now + HOURLY_COUNT_KEPT;
        self.count(hourly_key("lookups", api_key, now), limits::LOOKUPS_PER_HOUR, lookup, until).await
    }

    /// Adds an id to a count that is kept until a time, unless the count has reached the limit.
    async fn count(&self, key: String, limit: u32, id: &KeyHash, until: OffsetDateTime) -> Result<Counted, Error> {
        let id = count_id(id);
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", text(key))
            .update_expression("ADD ids :id SET #ttl = :ttl, v = :v")
            .condition_expression("attribute_not_exists(ids) OR size(ids) < :limit OR contains(ids, :own)")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":ttl", number(until.unix_timestamp()))
            .expression_attribute_values(":v", number(item::FORMAT))
            .expression_attribute_values(":limit", number(limit))
            .expression_attribute_values(":own", text(&id))
            .expression_attribute_values(":id", AttributeValue::Ss(vec![id]))
            .send()
            .in_time()
            .await;
        let is_within = unless_refused("UpdateItem", answer)?;
        Ok(if is_within { Counted::Within } else { Counted::LimitReached })
    }

    /// Removes the count of a creation that failed, whether it was counted or not.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn uncount_creation(
        &self,
        api_key: &KeyHash,
        token: &SessionToken,
        now: OffsetDateTime,
    ) -> Result<(), Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", text(creations_key(api_key, now)))
            .update_expression("DELETE ids :id")
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_values(":id", AttributeValue::Ss(vec![count_id(&token.hash())]))
            .send()
            .in_time()
            .await;
        unless_refused("UpdateItem", answer).map(|_| ())
    }

    /// Removes the personal data of a captured photo from a session, if the session still exists. Writes only `photos`
    /// and `reference_id`, on the condition that they are unchanged, so that concurrent captures are not lost.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn erase_photo(&self, session: &KeyHash, order: u32) -> Result<(), Error> {
        for _ in 0..ERASE_ROUNDS {
            let key = text(session_key(session));
            let get = self.client.get_item().table_name(&self.table).key("pk", key.clone()).consistent_read(true);
            let answer = get.send().in_time().await.map_err(|error| unavailable("GetItem", &error))?;
            let Some(item) = answer.item else { return Ok(()) };
            let Some(before) = item.get("photos").cloned() else { return Err(unreadable()) };
            let mut session: Session = decode("session", item)?;
            if !session.erase(order) {
                return Ok(());
            }
            let mut changed = item::value("session", &session)?;
            let (photos, reference) = (changed.remove("photos"), changed.remove("reference_id"));
            let update = self
                .client
                .update_item()
                .table_name(&self.table)
                .key("pk", key)
                .update_expression("SET photos = :photos, reference_id = :reference")
                .condition_expression("photos = :before")
                .expression_attribute_values(":photos", photos.ok_or_else(unreadable)?)
                .expression_attribute_values(":reference", reference.ok_or_else(unreadable)?)
                .expression_attribute_values(":before", before);
            if unless_refused("UpdateItem", update.send().in_time().await)? {
                return Ok(());
            }
        }
        Err(Error::Unavailable("the session changed every time".into()))
    }

    /// Reads a session.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, token: &SessionToken, now: OffsetDateTime) -> Result<Option<Session>, Error> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.table)
            .key("pk", text(session_key(&token.hash())))
            .consistent_read(true)
            .send()
            .in_time()
            .await
            .map_err(|error| unavailable("GetItem", &error))?;
        current("session", answer.item, now)
    }

    /// Reads a session and the nonce that an ingest sends, in one round trip.
    ///
    /// # Errors
    /// [`Error::Unavailable`]. Session and nonce each have an error of their own in the result if they are corrupt.
    pub async fn open(
        &self,
        token: &SessionToken,
        nonce: Option<&Nonce>,
        now: OffsetDateTime,
    ) -> Result<OpenedSession, Error> {
        let key = |pk: String| Item::from([("pk".to_owned(), text(pk))]);
        let session_key = key(session_key(&token.hash()));
        let nonce_key = nonce.map(|nonce| key(nonce_key(&nonce.hash())));
        let keys = [Some(&session_key), nonce_key.as_ref()].into_iter().flatten().cloned().collect();
        let mut items = batch_get(&self.client, &self.table, keys).await?;
        Ok(OpenedSession {
            session: current("session", item::take(&mut items, &session_key), now),
            nonce: current("nonce", nonce_key.and_then(|key| item::take(&mut items, &key)), now),
        })
    }

    /// Binds a session whose first photo is pending to another license. Returns `false` if that photo was captured or
    /// skipped, or the license is no longer `from`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn rebind(&self, token: &SessionToken, from: &LicenseId, to: &LicenseId) -> Result<bool, Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", text(session_key(&token.hash())))
            .update_expression("SET license_id = :to")
            .condition_expression(
                "license_id IN (:from, :to) AND attribute_not_exists(photos[0].#capture) AND attribute_not_exists(photos[0].skipped)",
            )
            .expression_attribute_names("#capture", "capture")
            .expression_attribute_values(":from", text(from.as_str()))
            .expression_attribute_values(":to", text(to.as_str()))
            .send()
            .in_time()
            .await;
        unless_refused("UpdateItem", answer)
    }

    /// Marks the photo at the 1-based place `order` as skipped. Returns `false` if it is captured, or the session is gone.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn skip_photo(&self, token: &SessionToken, order: u32) -> Result<bool, Error> {
        let photo = format!("photos[{}]", order - 1);
        let is_free = format!(
            "attribute_exists({photo}) AND attribute_not_exists({photo}.#capture) AND attribute_not_exists({photo}.erased)"
        );
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", text(session_key(&token.hash())))
            .update_expression(format!("SET {photo}.skipped = :skipped"))
            .condition_expression(is_free)
            .expression_attribute_names("#capture", "capture")
            .expression_attribute_values(":skipped", AttributeValue::Bool(true))
            .send()
            .in_time()
            .await;
        unless_refused("UpdateItem", answer)
    }

    /// Counts a load of a session, unless the limit is reached. The count is kept until `expires_at`, the session's
    /// end.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count_load(
        &self,
        token: &SessionToken,
        nonce: &Nonce,
        expires_at: OffsetDateTime,
    ) -> Result<Counted, Error> {
        self.count(loads_key(&token.hash()), limits::LOADS_PER_SESSION, &nonce.hash(), expires_at).await
    }

    /// Stores a nonce. It is valid until `expires_at`, the end of its session.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn issue_nonce(
        &self,
        nonce: &Nonce,
        issued: &IssuedNonce,
        expires_at: OffsetDateTime,
    ) -> Result<(), Error> {
        let key = [("pk", text(nonce_key(&nonce.hash()))), ("ttl", number(expires_at.unix_timestamp()))];
        self.put(encode("nonce", issued, key)?).await
    }

    /// Consumes a nonce for an attempt: exactly one attempt succeeds, even if it repeats the call. Returns `false` for
    /// all others.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn consume_nonce(&self, nonce: &Nonce, attempt: &str) -> Result<bool, Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", text(nonce_key(&nonce.hash())))
            .update_expression("SET consumed_by = :attempt")
            .condition_expression(
                "attribute_exists(pk) AND (attribute_not_exists(consumed_by) OR consumed_by = :attempt)",
            )
            .expression_attribute_values(":attempt", text(attempt))
            .send()
            .in_time()
            .await;
        unless_refused("UpdateItem", answer)
    }

    async fn put(&self, item: Item) -> Result<(), Error> {
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        put.send().in_time().await.map(|_| ()).map_err(|error| unavailable("PutItem", &error))
    }
}

/// The key of a session. The commit of a capture uses it too.
pub(crate) fn session_key(token: &KeyHash) -> String {
    format!("session#{}", token.as_str())
}

fn nonce_key(nonce: &KeyHash) -> String {
    format!("nonce#{}", nonce.as_str())
}

fn loads_key(token: &KeyHash) -> String {
    format!("loads#{}", token.as_str())
}

fn creations_key(api_key: &KeyHash, now: OffsetDateTime) -> String {
    hourly_key("creations", api_key, now)
}

fn hourly_key(what: &str, api_key: &KeyHash, now: OffsetDateTime) -> String {
    format!("{what}#{}#{}", api_key.as_str(), now.unix_timestamp().div_euclid(3600))
}

/// A prefix of a hash, long enough to distinguish the ids of one set.
fn count_id(hash: &KeyHash) -> String {
    hash.as_str().chars().take(16).collect()
}

fn current<T: serde::de::DeserializeOwned>(
    what: &'static str,
    item: Option<Item>,
    now: OffsetDateTime,
) -> Result<Option<T>, Error> {
    item.filter(|item| !item::is_past(item, "ttl", now.unix_timestamp())).map(|item| decode(what, item)).transpose()
}

fn unreadable() -> Error {
    Error::Corrupt { what: "session", cause: "it has no photos".into() }
}
