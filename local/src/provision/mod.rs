//! Creates what `template.yaml` declares, with SDK calls to any endpoint: tables, buckets, keys, signer profiles and
//! the topic.
//!
//! Only what a function can observe is created; backups, encryption and access policies are left out.

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

/// A failed step of the provisioning.
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

    /// Wraps a failed SDK call with its causes.
    pub(crate) fn call<E: std::error::Error>(step: &'static str, error: &E) -> Self {
        Self { step, cause: aws_sdk_dynamodb::error::DisplayErrorContext(error).to_string() }
    }
}

/// The names of the key attributes of a table, identified by the variable that holds its name, such as
/// `ACCOUNTS_TABLE`.
///
/// # Errors
/// If the template declares no such table.
pub fn key_of(variable: &str) -> Result<Vec<String>, Error> {
    let table: template::Table = template::resource(variable)?;
    Ok(table.key_schema.into_iter().map(|key| key.attribute_name).collect())
}

/// Creates the tables, buckets and keys that do not exist yet.
pub(crate) async fn storage(clients: &Clients, config: &Config) -> Result<(), Error> {
    tokio::try_join!(
        tables::create(&clients.dynamodb, &config.tables),
        buckets::create(&clients.s3, config),
        keys::create(&clients.kms, config),
    )
    .map(|_| ())
}

/// Creates the topic of alerts if it does not exist yet.
pub(crate) async fn topic(clients: &Clients, config: &Config) -> Result<(), Error> {
    topic::create(&clients.sns, &config.alerts_topic_arn.read()).await
}

/// Creates keys and certificates, and puts a development signer profile with these timestamps in force for every
/// environment. Returns the root certificates of all hierarchies in PEM.
pub(crate) async fn signers(
    connection: &Connection,
    clock: &Arc<dyn Clock>,
    timestamps: &Timestamping,
) -> Result<String, Error> {
    signers::create(connection, clock, timestamps).await
}

/// Replaces the timestamp authority's old URL in every signer profile that contains it.
pub(crate) async fn authority_moved(
    connection: &Connection,
    clock: &Arc<dyn Clock>,
    from: &str,
    to: &str,
) -> Result<(), Error> {
    signers::authority_moved(connection, clock, from, to).await
}
