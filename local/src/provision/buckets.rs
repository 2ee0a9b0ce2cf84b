//! Creates the buckets: with versioning and Object Lock where evidence is kept, and with the CORS rules that browsers
//! need.
//!
//! No default retention is set, because tests must be able to delete what they store.

use aws_sdk_s3::{
    Client,
    types::{BucketLocationConstraint, CorsConfiguration, CorsRule, CreateBucketConfiguration},
};
use futures_util::future::try_join_all;
use lacre_storage::Config;

use super::{
    Error,
    template::{self, Bucket},
};

const STEP: &str = "making a bucket";

/// Creates the buckets that do not exist yet.
pub(super) async fn create(client: &Client, config: &Config) -> Result<(), Error> {
    let made = config.buckets.by_variable().into_iter().map(async |(variable, name)| {
        let declared = template::resource(variable)?;
        create_one(client, name, &config.region, &declared).await?;
        allow(client, name, declared.cors_configuration.cors_rules).await
    });
    try_join_all(made).await.map(|_| ())
}

/// Creates a bucket. Object Lock implies versioning.
async fn create_one(client: &Client, name: &str, region: &str, declared: &Bucket) -> Result<(), Error> {
    let place = CreateBucketConfiguration::builder().location_constraint(BucketLocationConstraint::from(region));
    let create = client.create_bucket().bucket(name).create_bucket_configuration(place.build());
    match create.set_object_lock_enabled_for_bucket(declared.object_lock_enabled.then_some(true)).send().await {
        Ok(_) => Ok(()),
        Err(error) if error.as_service_error().is_some_and(|refused| refused.is_bucket_already_owned_by_you()) => {
            Ok(())
        }
        Err(error) => Err(Error::call(STEP, &error)),
    }
}

/// Sets the bucket's CORS rules.
async fn allow(client: &Client, bucket: &str, declared: Vec<template::CorsRule>) -> Result<(), Error> {
    if declared.is_empty() {
        return Ok(());
    }
    let rules = declared.into_iter().map(|declared| {
        let headers = Some(declared.allowed_headers).filter(|headers| !headers.is_empty());
        CorsRule::builder()
            .set_allowed_origins(Some(declared.allowed_origins))
            .set_allowed_methods(Some(declared.allowed_methods))
            .set_allowed_headers(headers)
            .max_age_seconds(declared.max_age)
            .build()
    });
    let rules = rules.collect::<Result<_, _>>().map_err(|error| Error::call(STEP, &error))?;
    let rules = CorsConfiguration::builder().set_cors_rules(Some(rules)).build();
    let rules = rules.map_err(|error| Error::call(STEP, &error))?;
    let put = client.put_bucket_cors().bucket(bucket).cors_configuration(rules);
    put.send().await.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
