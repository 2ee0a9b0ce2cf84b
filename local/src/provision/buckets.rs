//! The four buckets: with versions and Object Lock where evidence is kept, and with the CORS that browsers need.
//!
//! No default retention is set: what a test stores must be removable.

use aws::Config;
use aws_sdk_s3::{
    Client,
    types::{
        BucketLocationConstraint, CorsConfiguration, CorsRule, CreateBucketConfiguration, builders::CorsRuleBuilder,
    },
};

use super::Error;

const STEP: &str = "making a bucket";
/// Browsers ask again after two hours.
const MAX_AGE_SECONDS: i32 = 7200;

/// Makes the buckets that are not there yet.
pub(super) async fn create(client: &Client, config: &Config) -> Result<(), Error> {
    let (buckets, region) = (&config.buckets, &config.region);
    let put = CorsRule::builder().allowed_methods("PUT").allowed_headers("content-type");
    let get = CorsRule::builder().allowed_methods("GET");
    tokio::try_join!(
        async {
            create_one(client, &buckets.uploads, region, false).await?;
            allow(client, &buckets.uploads, put).await
        },
        async {
            create_one(client, &buckets.proofs, region, true).await?;
            allow(client, &buckets.proofs, get).await
        },
        create_one(client, &buckets.export, region, true),
        create_one(client, &buckets.log, region, false),
    )
    .map(|_| ())
}

/// Makes a bucket; with Object Lock, it has versions too.
async fn create_one(client: &Client, bucket: &str, region: &str, has_object_lock: bool) -> Result<(), Error> {
    let place = CreateBucketConfiguration::builder().location_constraint(BucketLocationConstraint::from(region));
    let create = client.create_bucket().bucket(bucket).create_bucket_configuration(place.build());
    match create.set_object_lock_enabled_for_bucket(has_object_lock.then_some(true)).send().await {
        Ok(_) => Ok(()),
        Err(error) if error.as_service_error().is_some_and(|refused| refused.is_bucket_already_owned_by_you()) => {
            Ok(())
        }
        Err(error) => Err(Error::call(STEP, &error)),
    }
}

/// Lets pages of every origin do what a rule says.
async fn allow(client: &Client, bucket: &str, rule: CorsRuleBuilder) -> Result<(), Error> {
    let rule = rule.allowed_origins("*").max_age_seconds(MAX_AGE_SECONDS).build();
    let rule = rule.map_err(|error| Error::call(STEP, &error))?;
    let rules = CorsConfiguration::builder().cors_rules(rule).build().map_err(|error| Error::call(STEP, &error))?;
    let put = client.put_bucket_cors().bucket(bucket).cors_configuration(rules);
    put.send().await.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
