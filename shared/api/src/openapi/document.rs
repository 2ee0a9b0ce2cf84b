//! Generates the JSON Schemas of documents: of a capture kit, and of the index of a dossier.

use schemars::{
    JsonSchema,
    generate::{Contract, SchemaSettings},
};
use serde_json::Value;

use super::{absent_instead_of_null, without_formats_of_numbers};
use crate::{dossier::DossierIndex, kit::Kit};

/// The JSON Schema (2020-12) of a capture kit. It cannot express every rule.
#[must_use]
pub fn kit_schema() -> Value {
    schema_of::<Kit>()
}

/// The JSON Schema (2020-12) of the index of a dossier. It cannot express every rule.
#[must_use]
pub fn dossier_schema() -> Value {
    schema_of::<DossierIndex>()
}

fn schema_of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = Contract::Serialize;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    absent_instead_of_null(&mut schema);
    let definitions = schema["$defs"].as_object_mut();
    definitions.into_iter().flat_map(|definitions| definitions.values_mut()).for_each(absent_instead_of_null);
    without_formats_of_numbers(&mut schema);
    schema
}
