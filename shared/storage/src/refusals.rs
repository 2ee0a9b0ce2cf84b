//! The refused photos of references, in the `Sessions` table: one item for each reference of a client in an environment.
//!
//! The key of an item is a hash, which names neither client nor reference. An item counts what it has of each session, and
//! the numbers are bounded, so that one session alone cannot fill the item.

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{ClientId, Environment, EvidenceRecord, KeyHash, ReferenceId, RefusedPhoto, limits};
use serde::Deserialize;
use time::OffsetDateTime;

use crate::{
    Connection, Error,
    budgets::InTime,
    error::unavailable,
    item::{self, decode, number, text, unless_refused},
};

/// A reference of a client in an environment.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The client.
    pub client: &'a ClientId,
    /// The environment.
    pub environment: Environment,
    /// The client's reference.
    pub reference: &'a ReferenceId,
}

impl<'a> Case<'a> {
    /// The case of a capture with this reference.
    #[must_use]
    pub fn of(record: &'a EvidenceRecord, reference: &'a ReferenceId) -> Self {
        Self { client: &record.client_id, environment: record.environment, reference }
    }

    fn key(self) -> AttributeValue {
        let case = format!("{} {} {}", self.client, self.environment.name(), self.reference.as_str());
        text(format!("refusals#{}", KeyHash::of(&case).as_str()))
    }
}

/// The refused photos of a reference in their stored form.
#[derive(Deserialize)]
struct Recorded {
    refused: Vec<RefusedPhoto>,
}

/// Records and reads refused photos.
#[derive(Clone, Debug)]
pub struct Refusals {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Refusals {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.sessions.read() }
    }

    /// Records a refused photo, unless as many as the limit of its session or its reference are recorded already. Returns
    /// whether it was recorded. If a response is lost and the call repeated, it is stored twice; [`Refusals::read`] returns
    /// it once.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn record(&self, case: Case<'_>, refused: &RefusedPhoto) -> Result<bool, Error> {
        let stored = AttributeValue::M(item::value("refused photo", refused)?);
        let until = refused.at + limits::REFUSALS_KEPT;
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", case.key())
            .update_expression(
                "SET refused = list_append(if_not_exists(refused, :none), :refused), #ttl = :ttl, v = :v ADD #session :one",
            )
            .condition_expression(
                "(attribute_not_exists(refused) OR size(refused) < :per_reference) \
                 AND (attribute_not_exists(#session) OR #session < :per_session)",
            )
            .expression_attribute_names("#session", format!("session#{}", refused.session.as_str()))
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":none", AttributeValue::L(Vec::new()))
            .expression_attribute_values(":refused", AttributeValue::L(vec![stored]))
            .expression_attribute_values(":ttl", number(until.unix_timestamp()))
            .expression_attribute_values(":v", number(item::FORMAT))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":per_session", number(limits::REFUSALS_PER_SESSION))
            .expression_attribute_values(":per_reference", number(limits::REFUSALS_PER_REFERENCE))
            .send()
            .in_time()
            .await;
        unless_refused("UpdateItem", answer)
    }

    /// The recorded refused photos of a reference, by their times.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn read(&self, case: Case<'_>, now: OffsetDateTime) -> Result<Vec<RefusedPhoto>, Error> {
        let get = self.client.get_item().table_name(&self.table).key("pk", case.key()).consistent_read(true);
        let answer = get.send().in_time().await.map_err(|error| unavailable("GetItem", &error))?;
        let item = answer.item.filter(|item| !item::is_past(item, "ttl", now.unix_timestamp()));
        let recorded = item.map(|item| decode::<Recorded>("refused photos", item)).transpose()?;
        let mut refused = recorded.map_or_else(Vec::new, |recorded| recorded.refused);
        refused.sort_by_key(|refused| refused.at);
        refused.dedup();
        Ok(refused)
    }

    /// Deletes what is recorded of a reference, if anything is.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn erase(&self, case: Case<'_>) -> Result<(), Error> {
        let delete = self.client.delete_item().table_name(&self.table).key("pk", case.key());
        delete.send().in_time().await.map(|_| ()).map_err(|error| unavailable("DeleteItem", &error))
    }
}
