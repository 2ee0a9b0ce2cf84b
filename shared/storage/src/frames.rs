//! The `Frames` table: the registry that detects duplicate frames.
//!
//! A frame is reserved before it is signed. The reservation expires at `expires_at`; afterwards another attempt may
//! take the frame, even if TTL has not deleted the item yet. Storing the proof makes the reservation permanent by
//! removing the expiry. In the sandbox each client has a registry of its own, so that test traffic does not block other
//! clients.

use std::collections::HashSet;

use aws_sdk_dynamodb::{operation::put_item::builders::PutItemFluentBuilder, types::AttributeValue};
use lacre_domain::{ClientId, Environment, FrameHash, limits};
use time::OffsetDateTime;

use crate::{
    Connection, Error,
    budgets::InTime,
    item::{self, Item, batch_get, number, text, unless_refused},
};

/// The reservation of a frame for an ingest attempt.
#[derive(Clone, Debug)]
pub struct Reservation {
    pk: String,
    attempt: String,
}

/// The maximum number of items that DynamoDB reads in one batch.
const FRAMES_A_BATCH: usize = 100;

/// Reserves and releases frames.
#[derive(Clone, Debug)]
pub struct Frames {
    client: aws_sdk_dynamodb::Client,
    table: String,
}

impl Frames {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.dynamodb(), table: connection.config.tables.frames.read() }
    }

    /// Describes a reservation, without making it.
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

    /// Reserves a frame for its attempt. Returns `false` if another attempt has it.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: the frame may be reserved, so the caller has to release it.
    pub async fn reserve(&self, reservation: &Reservation, now: OffsetDateTime) -> Result<bool, Error> {
        let answer = self
            .put(reservation)
            .item("expires_at", number((now + limits::RESERVATION_VALIDITY).unix_timestamp()))
            // A delayed retry of this attempt must not give an expiry to a reservation that is already permanent.
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

    /// A put request with the attributes that every reservation has.
    fn put(&self, reservation: &Reservation) -> PutItemFluentBuilder {
        self.client
            .put_item()
            .table_name(&self.table)
            .item("pk", text(&reservation.pk))
            .item("v", number(item::FORMAT))
            .item("attempt", text(&reservation.attempt))
    }

    /// Makes a reservation permanent. Returns `false` if the frame no longer belongs to this attempt.
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

    /// For each of the given frames, in order, whether it has no permanent reservation.
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

    /// Makes a permanent reservation if there is none, for a restore. Returns `false` if there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn restore(&self, reservation: &Reservation) -> Result<bool, Error> {
        let answer = self
            .put(reservation)
            .item("signed", AttributeValue::Bool(true))
            // An unexpired reservation of a capture in progress is left alone: it does not belong to a recorded frame,
            // and expires by itself.
            .condition_expression("attribute_not_exists(pk) OR (attempt = :attempt AND attribute_exists(expires_at))")
            .expression_attribute_values(":attempt", text(&reservation.attempt))
            .send()
            .in_time()
            .await;
        unless_refused("PutItem", answer)
    }

    /// Releases a frame, whether its reservation is permanent or not. Has no effect unless the reservation belongs to
    /// this attempt.
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
