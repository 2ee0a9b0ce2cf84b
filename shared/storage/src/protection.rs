//! Reads the policies and settings that protect tables and buckets. Key policies are in `operator_keys`.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_s3::types::{BucketVersioningStatus, ObjectLockEnabled};

use crate::{Connection, Error, budgets::InTime, error::unavailable};

/// Reads policies and settings of DynamoDB and S3.
#[derive(Clone, Debug)]
pub struct Protection {
    dynamodb: aws_sdk_dynamodb::Client,
    s3: aws_sdk_s3::Client,
}

/// The settings that protect a bucket, besides its policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketSettings {
    /// Whether all four settings of the public access block are on.
    pub blocks_public_access: bool,
    /// Whether versioning is enabled.
    pub is_versioned: bool,
    /// Whether Object Lock is enabled.
    pub has_object_lock: bool,
    /// Whether new objects are locked by a default retention period.
    pub locks_new_objects: bool,
}

impl Protection {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { dynamodb: connection.dynamodb(), s3: connection.s3() }
    }

    /// The resource-based policy of a table, by its ARN; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn table_policy(&self, table_arn: &str) -> Result<Option<String>, Error> {
        match self.dynamodb.get_resource_policy().resource_arn(table_arn).send().in_time().await {
            Ok(answer) => Ok(answer.policy),
            Err(error) if error.code() == Some("PolicyNotFoundException") => Ok(None),
            Err(error) => Err(unavailable("GetResourcePolicy", &error)),
        }
    }

    /// The policy of a bucket; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bucket_policy(&self, bucket: &str) -> Result<Option<String>, Error> {
        match self.s3.get_bucket_policy().bucket(bucket).send().in_time().await {
            Ok(answer) => Ok(answer.policy),
            Err(error) if error.code() == Some("NoSuchBucketPolicy") => Ok(None),
            Err(error) => Err(unavailable("GetBucketPolicy", &error)),
        }
    }

    /// The settings of a bucket.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bucket_settings(&self, bucket: &str) -> Result<BucketSettings, Error> {
        let block = match self.s3.get_public_access_block().bucket(bucket).send().in_time().await {
            Ok(answer) => answer.public_access_block_configuration,
            Err(error) if error.code() == Some("NoSuchPublicAccessBlockConfiguration") => None,
            Err(error) => return Err(unavailable("GetPublicAccessBlock", &error)),
        };
        let versioning = self.s3.get_bucket_versioning().bucket(bucket).send().in_time().await;
        let versioning = versioning.map_err(|error| unavailable("GetBucketVersioning", &error))?.status;
        let lock = match self.s3.get_object_lock_configuration().bucket(bucket).send().in_time().await {
            Ok(answer) => answer.object_lock_configuration,
            Err(error) if error.code() == Some("ObjectLockConfigurationNotFoundError") => None,
            Err(error) => return Err(unavailable("GetObjectLockConfiguration", &error)),
        };
        let is_on = |setting: Option<bool>| setting == Some(true);
        Ok(BucketSettings {
            blocks_public_access: block.is_some_and(|block| {
                [
                    block.block_public_acls,
                    block.ignore_public_acls,
                    block.block_public_policy,
                    block.restrict_public_buckets,
                ]
                .into_iter()
                .all(is_on)
            }),
            is_versioned: versioning == Some(BucketVersioningStatus::Enabled),
            has_object_lock: lock
                .as_ref()
                .is_some_and(|lock| lock.object_lock_enabled == Some(ObjectLockEnabled::Enabled)),
            locks_new_objects: lock
                .and_then(|lock| lock.rule)
                .and_then(|rule| rule.default_retention)
                .is_some_and(|retention| retention.days.is_some() || retention.years.is_some()),
        })
    }
}
