//! Reads from `template.yaml` the properties of tables and buckets that a function can observe.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::Error;

/// YAML tags are ignored, so `!Ref X` reads as `X`.
static TEMPLATE: LazyLock<Result<Template, String>> =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("../../../template.yaml")).map_err(|error| error.to_string()));

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Template {
    resources: BTreeMap<String, Resource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resource {
    #[serde(default)]
    properties: Value,
}

/// An `AWS::DynamoDB::Table`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Table {
    pub(super) attribute_definitions: Vec<Attribute>,
    pub(super) key_schema: Vec<Key>,
    #[serde(default)]
    pub(super) global_secondary_indexes: Vec<Index>,
    pub(super) stream_specification: Option<Stream>,
    pub(super) time_to_live_specification: Option<Expiry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Attribute {
    pub(super) attribute_name: String,
    pub(super) attribute_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Key {
    pub(super) attribute_name: String,
    pub(super) key_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Index {
    pub(super) index_name: String,
    pub(super) key_schema: Vec<Key>,
    pub(super) projection: Projection,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Projection {
    pub(super) projection_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Stream {
    pub(super) stream_view_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Expiry {
    pub(super) attribute_name: String,
}

/// An `AWS::S3::Bucket`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Bucket {
    #[serde(default)]
    pub(super) object_lock_enabled: bool,
    #[serde(default)]
    pub(super) cors_configuration: Cors,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Cors {
    pub(super) cors_rules: Vec<CorsRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct CorsRule {
    pub(super) allowed_origins: Vec<String>,
    pub(super) allowed_methods: Vec<String>,
    #[serde(default)]
    pub(super) allowed_headers: Vec<String>,
    /// Lifetime of a cached preflight response, in seconds.
    pub(super) max_age: i32,
}

/// The resource whose name is in a variable: `SESSIONS_TABLE` belongs to `SessionsTable`.
pub(super) fn resource<T: DeserializeOwned>(variable: &str) -> Result<T, Error> {
    let id: String = variable.split('_').map(capitalized).collect();
    let failed = |cause: &dyn std::fmt::Display| Error::at("reading the template")(&format!("{id}: {cause}"));
    let template = TEMPLATE.as_ref().map_err(|error| failed(error))?;
    let resource = template.resources.get(&id).ok_or_else(|| failed(&"is not declared"))?;
    T::deserialize(&resource.properties).map_err(|error| failed(&error))
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or_default();
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}
