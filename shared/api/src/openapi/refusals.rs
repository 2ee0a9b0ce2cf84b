//! The refusals in OpenAPI documents: the error responses of a route, and the schema of each refusal.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Schemas, operation};
use crate::{Refusal, RefusalBody};

/// A placeholder for values that vary in a refusal's text. It cannot occur in an operator's name or in a number.
const HOLE: &str = "\u{fffc}";

/// The error responses of a route with these refusals, by status.
pub(super) fn responses(refusals: &[Refusal], has_cors: bool, schemas: &mut Schemas) -> Map<String, Value> {
    let mut by_status = BTreeMap::<u16, Vec<Refusal>>::new();
    for refusal in refusals {
        by_status.entry(refusal.status()).or_default().push(*refusal);
    }
    let error = schemas.response::<RefusalBody>();
    let response = |(status, refusals): (u16, Vec<Refusal>)| {
        let rows = refusals.iter().map(|refusal| json!({ "$ref": reference(*refusal) }));
        let mut schema = error.clone();
        schema["oneOf"] = rows.collect();
        // Either all refusals of a status have `Retry-After`, or none has.
        let retry = refusals.iter().copied().find(|refusal| refusal.retry_after().is_some());
        let response = json!({
            "description": description(status),
            "headers": operation::header_references(has_cors, retry),
            "content": { "application/json": { "schema": schema } },
        });
        (status.to_string(), response)
    };
    by_status.into_iter().map(response).collect()
}

/// Defines the schemas of a route's refusals, each of which describes a whole body. `fields` are those that
/// `FieldInvalid` may name.
pub(super) fn define(refusals: &[Refusal], fields: &[&'static str], schemas: &mut Schemas) {
    for refusal in refusals {
        let _ = schemas.define(refusal.name(), schema(*refusal, fields));
    }
}

fn reference(refusal: Refusal) -> String {
    format!("#/components/schemas/{}", refusal.name())
}

fn schema(refusal: Refusal, fields: &[&'static str]) -> Value {
    let body = json!(refusal.body("Lacre"));
    let mut schema = match refusal {
        Refusal::FieldInvalid { .. } => {
            let texts = fields.iter().map(|&field| Refusal::FieldInvalid { field }.text("Lacre"));
            let texts: Vec<_> = texts.collect();
            json!({ "type": "object", "properties": { "error": { "enum": texts } }, "required": ["error"], "maxProperties": 1 })
        }
        Refusal::AssetTooLarge { .. } => {
            let with_holes = refusal.text("Lacre").replace(|c: char| c.is_ascii_digit(), HOLE);
            open(&body, &with_holes, "[0-9]+")
        }
        _ if refusal.text(HOLE).contains(HOLE) => open(&body, &refusal.text(HOLE), ".+"),
        _ => json!({ "const": body }),
    };
    schema["description"] = refusal.cause().into();
    schema
}

/// The schema of a body whose text varies at the placeholders of `with_holes`.
fn open(body: &Value, with_holes: &str, part: &str) -> Value {
    let parts = with_holes.split(HOLE).filter(|text| !text.is_empty()).map(escaped).collect::<Vec<_>>();
    // Sorted, because the iteration order of a map depends on features that differ between builds.
    let mut fields: Vec<_> = body.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    fields.sort();
    let mut properties =
        json!({ "error": { "pattern": format!("^{}$", parts.join(part)), "examples": [body["error"]] } });
    if let Some(reason) = body.get("block_reason") {
        properties["block_reason"] = json!({ "const": reason });
    }
    json!({ "type": "object", "properties": properties, "required": fields, "maxProperties": fields.len() })
}

/// Escapes a text for use in a regular expression.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| r"\.()[]{}*+?^$|".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

fn description(status: u16) -> &'static str {
    match status {
        400 => "The request breaks a rule.",
        401 => "The API key is not accepted.",
        403 => "This is not allowed.",
        404 => "The resource does not exist.",
        409 => "This was done already, or is not possible yet.",
        410 => "The session is over.",
        413 => "The upload is too large.",
        415 => "The media type is not supported.",
        422 => "The photo did not pass a check that the license demands.",
        429 => "Too many requests.",
        500 => "A permanent fault. A retry does not help.",
        502 => "The proof could not be made or kept. Nothing was delivered.",
        _ => "A temporary fault. Retry after `Retry-After`.",
    }
}
