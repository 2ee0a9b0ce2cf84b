//! The key that protects webhook messages and secrets, under its alias.

use aws_sdk_kms::{
    Client,
    error::SdkError,
    operation::describe_key::DescribeKeyError,
    types::{KeySpec, KeyUsageType},
};

use super::Error;

const STEP: &str = "making the key of webhooks";

/// Makes the key that the ARN of an alias names, unless there is one.
pub(super) async fn create(client: &Client, alias_arn: &str) -> Result<(), Error> {
    match client.describe_key().key_id(alias_arn).send().await {
        Ok(_) => return Ok(()),
        Err(SdkError::ServiceError(error)) if matches!(error.err(), DescribeKeyError::NotFoundException(_)) => {}
        Err(error) => return Err(Error::call(STEP, &error)),
    }
    let alias = alias_arn.rsplit(':').next().unwrap_or_default();
    let make = client.create_key().key_spec(KeySpec::SymmetricDefault).key_usage(KeyUsageType::EncryptDecrypt);
    let made = make.description("webhooks").send().await.map_err(|error| Error::call(STEP, &error))?;
    let id = made.key_metadata.map(|key| key.key_id).unwrap_or_default();
    let named = client.create_alias().alias_name(alias).target_key_id(id).send().await;
    named.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
