//! Creates the tables with their keys, indexes, TTLs and streams.

use std::time::Duration;

use aws_sdk_dynamodb::{
    Client,
    client::Waiters,
    types::{
        AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, Projection, StreamSpecification,
        TimeToLiveSpecification,
    },
};
use futures_util::future::try_join_all;
use lacre_storage::Tables;

use super::{
    Error,
    template::{self, Attribute, Index, Key, Table},
};

const STEP: &str = "making a table";
const ACTIVE_WITHIN: Duration = Duration::from_secs(60);

/// Creates the tables that do not exist yet.
pub(super) async fn create(client: &Client, tables: &Tables) -> Result<(), Error> {
    let made = tables.by_variable().into_iter().map(async |(variable, name)| {
        let declared = template::resource(variable)?;
        create_one(client, name, &declared).await
    });
    try_join_all(made).await.map(|_| ())
}

async fn create_one(client: &Client, name: &str, declared: &Table) -> Result<(), Error> {
    let Table { attribute_definitions, key_schema, global_secondary_indexes, .. } = declared;
    let stream = declared.stream_specification.as_ref().map(|stream| {
        let view = stream.stream_view_type.as_str().into();
        StreamSpecification::builder().stream_enabled(true).stream_view_type(view).build().map_err(failed)
    });
    let create = client.create_table().table_name(name).billing_mode(BillingMode::PayPerRequest);
    let created = create
        .set_attribute_definitions(Some(attribute_definitions.iter().map(attribute).collect::<Result<_, _>>()?))
        .set_key_schema(Some(schema(key_schema)?))
        .set_global_secondary_indexes(indexes(global_secondary_indexes)?)
        .set_stream_specification(stream.transpose()?);
    match created.send().await {
        Ok(_) => {}
        Err(error) if error.as_service_error().is_some_and(|refused| refused.is_resource_in_use_exception()) => {
            return Ok(());
        }
        Err(error) => return Err(failed(error)),
    }
    client.wait_until_table_exists().table_name(name).wait(ACTIVE_WITHIN).await.map_err(failed)?;
    match &declared.time_to_live_specification {
        Some(expiry) => set_expiry(client, name, &expiry.attribute_name).await,
        None => Ok(()),
    }
}

fn failed<E: std::error::Error>(error: E) -> Error {
    Error::call(STEP, &error)
}

fn attribute(Attribute { attribute_name, attribute_type }: &Attribute) -> Result<AttributeDefinition, Error> {
    let definition = AttributeDefinition::builder().attribute_name(attribute_name);
    definition.attribute_type(attribute_type.as_str().into()).build().map_err(failed)
}

fn schema(keys: &[Key]) -> Result<Vec<KeySchemaElement>, Error> {
    let elements = keys.iter().map(|Key { attribute_name, key_type }| {
        let element = KeySchemaElement::builder().attribute_name(attribute_name).key_type(key_type.as_str().into());
        element.build().map_err(failed)
    });
    elements.collect()
}

/// The global secondary indexes; `None` for a table without indexes, because DynamoDB rejects an empty list.
fn indexes(declared: &[Index]) -> Result<Option<Vec<GlobalSecondaryIndex>>, Error> {
    let indexes = declared.iter().map(|Index { index_name, key_schema, projection }| {
        let projection = Projection::builder().projection_type(projection.projection_type.as_str().into()).build();
        let index = GlobalSecondaryIndex::builder().index_name(index_name).projection(projection);
        index.set_key_schema(Some(schema(key_schema)?)).build().map_err(failed)
    });
    let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
    Ok(Some(indexes).filter(|indexes| !indexes.is_empty()))
}

async fn set_expiry(client: &Client, table: &str, attribute: &str) -> Result<(), Error> {
    const STEP: &str = "setting a table's expiry";
    let expiry = TimeToLiveSpecification::builder().attribute_name(attribute).enabled(true).build();
    let expiry = expiry.map_err(|error| Error::call(STEP, &error))?;
    let update = client.update_time_to_live().table_name(table).time_to_live_specification(expiry);
    update.send().await.map(|_| ()).map_err(|error| Error::call(STEP, &error))
}
