//! The two buckets, with the CORS that browsers need.

use aws::Config;
use aws_sdk_s3::{
    Client,
    types::{BucketLocationConstraint, CorsConfiguration, CorsRule, CreateBucketConfiguration},
};

use super::Error;

/// Browsers ask again after two hours.
const MAX_AGE_SECONDS: i32 = 7200;

/// Makes the buckets that are not there yet.
pub(super) async fn create(client: &Client, config: &Config) -> Result<(), Error> {
    let put = CorsRule::builder().allowed_methods("PUT").allowed_headers("content-type");
    let get = CorsRule::builder().allowed_methods("GET");
    tokio::try_join!(
        create_one(client, &config.buckets.uploads, &config.region, put),
        create_one(client, &config.buckets.proofs, &config.region, get),
    )
    .map(|_| ())
}

async fn create_one(
    client: &Client,
    bucket: &str,
    region: &str,
    cors: aws_sdk_s3::types::builders::CorsRuleBuilder,
) -> Result<(), Error> {
    const STEP: &str = "making a bucket";
    let place = CreateBucketConfiguration::builder().location_constraint(BucketLocationConstraint::from(region));
    match client.create_bucket().bucket(bucket).create_bucket_configuration(place.build()).send().await {
        Ok(_) => {}
        Err(error) if error.as_service_error().is_some_and(|refused| refused.is_bucket_already_owned_by_you()) => {}
        Err(error) => return Err(Error::call(STEP, &error)),
    }
    let rule = cors.allowed_origins("*").max_age_seconds(MAX_AGE_SECONDS).build();
    let rule = rule.map_err(|error| Error::call(STEP, &error))?;
    let rules = CorsConfiguration::builder().cors_rules(rule).build().map_err(|error| Error::call(STEP, &error))?;
    let put = client.put_bucket_cors().bucket(bucket).cors_configuration(rules);
    put.send().await.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
