//! The schema of a photo in the session results, as mutually exclusive shapes, which cannot be derived.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{HOSTED, absent_instead_of_null};
use crate::{CapturedPhoto, Url};

/// [`SessionPhoto`](crate::SessionPhoto) as a choice of shapes. The derived schema would allow the fields of all shapes
/// at once.
pub struct PhotoShapes;

impl JsonSchema for PhotoShapes {
    fn schema_name() -> Cow<'static, str> {
        "SessionPhoto".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut captured = CapturedPhoto::json_schema(generator).to_value();
        absent_instead_of_null(&mut captured);
        let url = generator.subschema_for::<Url>().to_value();
        let properties = captured["properties"].as_object().cloned().unwrap_or_default();
        let required = captured["required"].as_array().cloned().unwrap_or_default();
        let with = |changes: &[(&str, Value)]| {
            let mut changed = properties.clone();
            changed.extend(changes.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())));
            changed
        };
        let described = |field: &str| properties[field]["description"].clone();
        let available = with(&[("manifest_url", json!({ "allOf": [url], "description": described("manifest_url") }))]);
        let mut withheld =
            with(&["authenticated_jpeg_url", "manifest_url"].map(|field| (field, json!({ "type": "null" }))));
        withheld.remove("transparency_proof");
        let label = json!({ "type": "string", "description": "As sent at the ingest, or empty." });
        let empty = || json!({ "const": "" });
        json_schema!({
            "description": "A photo of a session.",
            "oneOf": [
                shape("It is still to be taken.", "pending", None, empty(), Map::new(), &[]),
                shape("It was captured and is available.", "captured", Some("held"), label.clone(), available, &required),
                shape(
                    "The operator withholds it, or its client is suspended.",
                    "captured", Some("withheld"), label, withheld, &required,
                ),
                shape(
                    "Its photo, manifest and personal data are erased, for good.",
                    "captured", Some("erased"), empty(), Map::new(), &[],
                ),
            ],
        })
    }
}

fn shape(
    description: &str,
    status: &str,
    custody: Option<&str>,
    label: Value,
    mut properties: Map<String, Value>,
    required: &[Value],
) -> Value {
    let order = json!({ "type": "integer", "minimum": 1, "description": "Its position in the session, from 1." });
    let mut fields = vec![("order", order), ("label", label), ("status", json!({ "const": status }))];
    fields.extend(custody.map(|custody| ("custody", json!({ "const": custody }))));
    let required: Vec<_> = fields.iter().map(|(name, _)| json!(name)).chain(required.iter().cloned()).collect();
    properties.extend(fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)));
    let step = "The step that the photo was asked for as, if the session was created with a kit or for single steps.";
    properties.insert("step".into(), json!({ "type": "string", "description": step, (HOSTED): true }));
    json!({
        "description": description,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
