//! Creates the KMS keys that a stack creates, with their aliases: for webhooks, for the index of fingerprints and for the transparency log.

use aws_sdk_kms::{
    Client,
    error::SdkError,
    operation::describe_key::DescribeKeyError,
    types::{KeySpec, KeyUsageType},
};
use lacre_storage::Config;

use super::Error;

const STEP: &str = "making a key of the stack";

/// Creates the keys that do not exist yet.
pub(super) async fn create(client: &Client, config: &Config) -> Result<(), Error> {
    let envelopes = || (KeySpec::SymmetricDefault, KeyUsageType::EncryptDecrypt);
    let log = (KeySpec::EccNistEdwards25519, KeyUsageType::SignVerify);
    create_one(client, &config.webhooks_key_arn.read(), "webhooks", envelopes()).await?;
    create_one(client, &config.prints_key_arn.read(), "index of fingerprints", envelopes()).await?;
    create_one(client, &config.log_key_arn.read(), "transparency log", log).await
}

/// Creates a key with the alias in this ARN, unless the alias exists.
async fn create_one(
    client: &Client,
    alias_arn: &str,
    description: &str,
    (spec, usage): (KeySpec, KeyUsageType),
) -> Result<(), Error> {
    match client.describe_key().key_id(alias_arn).send().await {
        Ok(_) => return Ok(()),
        Err(SdkError::ServiceError(error)) if matches!(error.err(), DescribeKeyError::NotFoundException(_)) => {}
        Err(error) => return Err(Error::call(STEP, &error)),
    }
    let alias = alias_arn.rsplit(':').next().unwrap_or_default();
    let make = client.create_key().key_spec(spec).key_usage(usage);
    let made = make.description(description).send().await.map_err(|error| Error::call(STEP, &error))?;
    let id = made.key_metadata.map(|key| key.key_id).unwrap_or_default();
    let named = client.create_alias().alias_name(alias).target_key_id(id).send().await;
    named.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
