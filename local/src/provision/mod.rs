//! What `template.yaml` declares, made by plain SDK calls against any endpoint: tables, buckets, keys, signer profiles,
//! the topic.
//!
//! Only what a function can observe is created. Backups, encryption and access policies are AWS's own.

mod buckets;
mod certificates;
mod keys;
mod signers;
mod tables;
mod template;
mod topic;

use std::sync::Arc;

use lacre_domain::{Clock, Timestamping};
use lacre_storage::{Config, Connection};

pub(crate) use certificates::Hierarchies;

use crate::clients::Clients;

/// A step of the provisioning failed.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub struct Error {
    step: &'static str,
    cause: String,
}

impl Error {
    pub(crate) fn at(step: &'static str) -> impl Fn(&dyn std::fmt::Display) -> Self {
        move |cause| Self { step, cause: cause.to_string() }
    }

    /// A failed SDK call, with the causes behind it.
    pub(crate) fn call<E: std::error::Error>(step: &'static str, error: &E) -> Self {
        Self { step, cause: aws_sdk_dynamodb::error::DisplayErrorContext(error).to_string() }
    }
}

/// The attributes that are the key of a table, by the variable that holds its name: `ACCOUNTS_TABLE`.
///
/// # Errors
/// When the template declares no such table.
pub fn key_of(variable: &str) -> Result<Vec<String>, Error> {
    let table: template::Table = template::resource(variable)?;
    Ok(table.key_schema.into_iter().map(|key| key.attribute_name).collect())
}

/// Makes the tables, buckets and the key that are not there yet.
pub(crate) async fn storage(clients: &Clients, config: &Config) -> Result<(), Error> {
    tokio::try_join!(
        tables::create(&clients.dynamodb, &config.tables),
        buckets::create(&clients.s3, config),
        keys::create(&clients.kms, config),
    )
    .map(|_| ())
}

/// Makes the topic of alerts if it is not there yet.
pub(crate) async fn topic(clients: &Clients, config: &Config) -> Result<(), Error> {
    topic::create(&clients.sns, &config.alerts_topic_arn.read()).await
}

/// Makes keys and certificates, and puts a development profile in force for every environment, with these timestamps.
/// Answers with the trust anchors in PEM: the roots of all hierarchies.
pub(crate) async fn signers(
    connection: &Connection,
    clock: &Arc<dyn Clock>,
    timestamps: &Timestamping,
) -> Result<String, Error> {
    signers::create(connection, clock, timestamps).await
}

/// Replaces the authority's old address in every profile that names it.
pub(crate) async fn authority_moved(
    connection: &Connection,
    clock: &Arc<dyn Clock>,
    from: &str,
    to: &str,
) -> Result<(), Error> {
    signers::authority_moved(connection, clock, from, to).await
}
