//! The eight tables, with their keys, indexes, expiries and streams.

use std::{collections::BTreeSet, time::Duration};

use aws::Tables;
use aws_sdk_dynamodb::{
    Client,
    client::Waiters,
    types::{
        AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
        ScalarAttributeType, StreamSpecification, StreamViewType, TimeToLiveSpecification,
    },
};
use futures_util::future::try_join_all;

use super::Error;

const STEP: &str = "making a table";
const ACTIVE_WITHIN: Duration = Duration::from_secs(60);

struct Shape<'a> {
    name: &'a str,
    key: Key,
    indexes: &'static [Index],
    expiry: Option<&'static str>,
    stream: Option<StreamViewType>,
}

/// Partition key and sort key.
type Key = (&'static str, Option<&'static str>);

struct Index {
    name: &'static str,
    key: Key,
    projection: ProjectionType,
}

const BY_FRAME: Index = Index { name: "by_frame", key: ("frame_hash", None), projection: ProjectionType::KeysOnly };
const BY_REFERENCE: Index =
    Index { name: "by_reference", key: ("reference_id", None), projection: ProjectionType::KeysOnly };
const BY_FAILURE: Index =
    Index { name: "by_failure", key: ("failing", Some("attempt_id")), projection: ProjectionType::KeysOnly };
const BY_MONTH: Index = Index { name: "by_month", key: ("month", Some("at_id")), projection: ProjectionType::All };
const BY_CLIENT: Index =
    Index { name: "by_client", key: ("client_id", Some("at_id")), projection: ProjectionType::All };

/// Makes the tables that are not there yet.
pub(super) async fn create(client: &Client, tables: &Tables) -> Result<(), Error> {
    let by_pk = |name| Shape { name, key: ("pk", None), indexes: &[], expiry: None, stream: None };
    let whole = Some(StreamViewType::NewAndOldImages);
    let shapes = [
        Shape { expiry: Some("ttl"), ..by_pk(&tables.sessions) },
        Shape { key: ("pk", Some("sk")), ..by_pk(&tables.accounts) },
        Shape { expiry: Some("expires_at"), ..by_pk(&tables.frames) },
        Shape { key: ("capture_id", None), indexes: &[BY_FRAME], stream: whole.clone(), ..by_pk(&tables.evidence) },
        Shape { indexes: &[BY_REFERENCE], stream: whole.clone(), ..by_pk(&tables.personal) },
        Shape {
            key: ("client_id", Some("attempt_id")),
            indexes: &[BY_FAILURE],
            expiry: Some("expires_at"),
            stream: Some(StreamViewType::KeysOnly),
            ..by_pk(&tables.webhooks)
        },
        Shape { key: ("pk", Some("sk")), stream: Some(StreamViewType::NewImage), ..by_pk(&tables.log) },
        Shape { key: ("id", None), indexes: &[BY_MONTH, BY_CLIENT], stream: whole, ..by_pk(&tables.audit) },
    ];
    try_join_all(shapes.iter().map(|shape| create_one(client, shape))).await.map(|_| ())
}

async fn create_one(client: &Client, shape: &Shape<'_>) -> Result<(), Error> {
    let mut create = client.create_table().table_name(shape.name).billing_mode(BillingMode::PayPerRequest);
    let keys = shape.indexes.iter().map(|index| index.key).chain([shape.key]);
    for name in keys.flat_map(|(partition, sort)| [Some(partition), sort]).flatten().collect::<BTreeSet<_>>() {
        let definition =
            AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build();
        create = create.attribute_definitions(definition.map_err(|error| Error::call(STEP, &error))?);
    }
    create = create.set_key_schema(Some(schema(shape.key)?));
    for Index { name, key, projection } in shape.indexes {
        let projection = Projection::builder().projection_type(projection.clone()).build();
        let index = GlobalSecondaryIndex::builder()
            .index_name(*name)
            .set_key_schema(Some(schema(*key)?))
            .projection(projection)
            .build();
        create = create.global_secondary_indexes(index.map_err(|error| Error::call(STEP, &error))?);
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

fn schema((partition, sort): Key) -> Result<Vec<KeySchemaElement>, Error> {
    let keys = [(Some(partition), KeyType::Hash), (sort, KeyType::Range)];
    let named = keys.into_iter().filter_map(|(name, role)| Some((name?, role)));
    let elements = named.map(|(name, role)| {
        let element = KeySchemaElement::builder().attribute_name(name).key_type(role).build();
        element.map_err(|error| Error::call(STEP, &error))
    });
    elements.collect()
}

async fn set_expiry(client: &Client, table: &str, attribute: &str) -> Result<(), Error> {
    const STEP: &str = "setting a table's expiry";
    let expiry = TimeToLiveSpecification::builder().attribute_name(attribute).enabled(true).build();
    let expiry = expiry.map_err(|error| Error::call(STEP, &error))?;
    let update = client.update_time_to_live().table_name(table).time_to_live_specification(expiry);
    update.send().await.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
