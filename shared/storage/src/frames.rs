//! The `Frames` table: the duplicate registry.
//!
//! A frame is reserved before it is signed. The reservation expires at its `expires_at`, after which another attempt may
//! take it, whether TTL removed the item or not. Storing the proof makes it permanent: the item then has no expiry. In the
//! sandbox each client has a registry of its own, so that its test traffic blocks no other client.

use std::collections::HashSet;

use aws_sdk_dynamodb::{operation::put_item::builders::PutItemFluentBuilder, types::AttributeValue};
use lacre_domain::{ClientId, Environment, FrameHash, limits};
use time::OffsetDateTime;

use crate::{
    Connection, Error,
    budgets::InTime,
    item::{self, Item, batch_get, number, text, unless_refused},
};

/// The reservation of a frame by an attempt.
#[derive(Clone, Debug)]
pub struct Reservation {
    pk: String,
    attempt: String,
}

/// DynamoDB reads so many items in one batch.
const FRAMES_A_BATCH: usize = 100;

/// The port to the table.
#[derive(Clone, Debug)]
pub struct Frames {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Frames {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.frames.read() }
    }

    /// A reservation that is not yet made.
    #[must_use]
    pub fn reservation(
        environment: Environment,
        client_id: &ClientId,
        frame: &FrameHash,
        attempt: &str,
    ) -> Reservation {
        let scope = match environment {
            Environment::Sandbox => format!("{}#{client_id}", environment.name()),
            Environment::Production | Environment::Staging => environment.name().to_owned(),
        };
        Reservation { pk: format!("{scope}#{}", frame.hex()), attempt: attempt.to_owned() }
    }

    /// Reserves a frame for its attempt; `false` when it is taken by another one.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: the frame may be reserved, so it is to be released.
    pub async fn reserve(&self, reservation: &Reservation, now: OffsetDateTime) -> Result<bool, Error> {
        let answer = self
            .put(reservation)
            .item("expires_at", number((now + limits::RESERVATION_VALIDITY).unix_timestamp()))
            // A try of this attempt that arrives after its frame was made permanent must not give it an expiry again.
            .condition_expression(
                "attribute_not_exists(pk) OR (attempt = :attempt AND attribute_exists(expires_at)) OR expires_at <= :now",
            )
            .expression_attribute_values(":attempt", text(&reservation.attempt))
            .expression_attribute_values(":now", number(now.unix_timestamp()))
            .send()
            .in_time()
            .await;
        unless_refused("PutItem", answer)
    }

    /// A put of the attributes that every reservation has.
    fn put(&self, reservation: &Reservation) -> PutItemFluentBuilder {
        self.client
            .put_item()
            .table_name(&self.table)
            .item("pk", text(&reservation.pk))
            .item("v", number(item::FORMAT))
            .item("attempt", text(&reservation.attempt))
    }

    /// Makes a reservation permanent. `false` when the frame is no longer this attempt's.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn mark_signed(&self, reservation: &Reservation) -> Result<bool, Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", text(&reservation.pk))
            .update_expression("SET signed = :true REMOVE expires_at")
            .condition_expression("attempt = :attempt")
            .expression_attribute_values(":true", AttributeValue::Bool(true))
            .expression_attribute_values(":attempt", text(&reservation.attempt))
            .send()
            .in_time()
            .await;
        unless_refused("UpdateItem", answer)
    }

    /// Whether each of some frames is not reserved for good, in their order.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn missing(&self, reservations: &[Reservation]) -> Result<Vec<bool>, Error> {
        let mut missing = Vec::with_capacity(reservations.len());
        for reservations in reservations.chunks(FRAMES_A_BATCH) {
            let key = |reservation: &Reservation| Item::from([("pk".to_owned(), text(&reservation.pk))]);
            let keys = reservations.iter().map(key).collect();
            let found = batch_get(&self.client, &self.table, keys).await?;
            let signed: HashSet<&str> = found
                .iter()
                .filter(|item| !item.contains_key("expires_at"))
                .filter_map(|item| item.get("pk")?.as_s().ok().map(String::as_str))
                .collect();
            missing.extend(reservations.iter().map(|reservation| !signed.contains(reservation.pk.as_str())));
        }
        Ok(missing)
    }

    /// Makes a permanent reservation where there is none, as a restore needs it; `false` where there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn restore(&self, reservation: &Reservation) -> Result<bool, Error> {
        let answer = self
            .put(reservation)
            .item("signed", AttributeValue::Bool(true))
            // The reservation of a capture under way, which holds no recorded frame, ends by itself.
            .condition_expression("attribute_not_exists(pk) OR (attempt = :attempt AND attribute_exists(expires_at))")
            .expression_attribute_values(":attempt", text(&reservation.attempt))
            .send()
            .in_time()
            .await;
        unless_refused("PutItem", answer)
    }

    /// Gives a frame back, whether it was marked or not. Only its owner can; for all others nothing happens.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn release(&self, reservation: &Reservation) -> Result<(), Error> {
        let answer = self
            .client
            .delete_item()
            .table_name(&self.table)
            .key("pk", text(&reservation.pk))
            .condition_expression("attempt = :attempt")
            .expression_attribute_values(":attempt", text(&reservation.attempt))
            .send()
            .in_time()
            .await;
        unless_refused("DeleteItem", answer).map(|_| ())
    }
}
