//! The six tables, with their keys, expiries and streams.

use std::time::Duration;

use aws::Tables;
use aws_sdk_dynamodb::{
    Client,
    client::Waiters,
    types::{
        AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, StreamSpecification,
        StreamViewType, TimeToLiveSpecification,
    },
};
use futures_util::future::try_join_all;

use super::Error;

const STEP: &str = "making a table";
const ACTIVE_WITHIN: Duration = Duration::from_secs(60);

struct Shape<'a> {
    name: &'a str,
    partition_key: &'static str,
    sort_key: Option<&'static str>,
    expiry: Option<&'static str>,
    stream: Option<StreamViewType>,
}

/// Makes the tables that are not there yet.
pub(super) async fn create(client: &Client, tables: &Tables) -> Result<(), Error> {
    let by_pk = |name| Shape { name, partition_key: "pk", sort_key: None, expiry: None, stream: None };
    let shapes = [
        Shape { expiry: Some("ttl"), ..by_pk(&tables.sessions) },
        Shape { sort_key: Some("sk"), ..by_pk(&tables.accounts) },
        Shape { expiry: Some("expires_at"), ..by_pk(&tables.frames) },
        Shape { partition_key: "capture_id", stream: Some(StreamViewType::NewAndOldImages), ..by_pk(&tables.evidence) },
        Shape { stream: Some(StreamViewType::NewAndOldImages), ..by_pk(&tables.personal) },
        Shape {
            partition_key: "client_id",
            sort_key: Some("attempt_id"),
            expiry: Some("expires_at"),
            stream: Some(StreamViewType::KeysOnly),
            ..by_pk(&tables.webhooks)
        },
    ];
    try_join_all(shapes.iter().map(|shape| create_one(client, shape))).await.map(|_| ())
}

async fn create_one(client: &Client, shape: &Shape<'_>) -> Result<(), Error> {
    let mut create = client.create_table().table_name(shape.name).billing_mode(BillingMode::PayPerRequest);
    let keys = [(Some(shape.partition_key), KeyType::Hash), (shape.sort_key, KeyType::Range)];
    for (name, role) in keys.into_iter().filter_map(|(name, role)| Some((name?, role))) {
        let definition =
            AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build();
        let element = KeySchemaElement::builder().attribute_name(name).key_type(role).build();
        create = create
            .attribute_definitions(definition.map_err(|error| Error::call(STEP, &error))?)
            .key_schema(element.map_err(|error| Error::call(STEP, &error))?);
    }
    if let Some(view) = shape.stream.clone() {
        let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(view).build();
        create = create.stream_specification(stream.map_err(|error| Error::call(STEP, &error))?);
    }
    match create.send().await {
        Ok(_) => {}
        Err(error) if error.as_service_error().is_some_and(|refused| refused.is_resource_in_use_exception()) => {
            return Ok(());
        }
        Err(error) => return Err(Error::call(STEP, &error)),
    }
    let active = client.wait_until_table_exists().table_name(shape.name).wait(ACTIVE_WITHIN).await;
    active.map_err(|error| Error::call(STEP, &error))?;
    match shape.expiry {
        Some(attribute) => set_expiry(client, shape.name, attribute).await,
        None => Ok(()),
    }
}

async fn set_expiry(client: &Client, table: &str, attribute: &str) -> Result<(), Error> {
    const STEP: &str = "setting a table's expiry";
    let expiry = TimeToLiveSpecification::builder().attribute_name(attribute).enabled(true).build();
    let expiry = expiry.map_err(|error| Error::call(STEP, &error))?;
    let update = client.update_time_to_live().table_name(table).time_to_live_specification(expiry);
    update.send().await.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
