//! Generators of the OpenAPI 3.1 documents in `openapi/`; of the tables in the reference pages; of the JSON Schema of a
//! capture kit; and of limits and names for other languages.
//!
//! `schemars` derives the JSON schemas and takes the descriptions from doc comments. Refusals come from their table.

mod admin;
mod admin_examples;
mod console;
mod document;
mod examples;
mod field;
mod figures;
mod languages;
mod operation;
mod pages;
mod photo;
mod proofs;
mod refusals;
mod yaml;

pub use admin::admin;
pub use console::license_terms;
pub use document::{dossier_schema, kit_schema};
pub use figures::Figure;
pub use languages::{javascript, kit_limits, python};
pub use pages::{FOLDER, with_tables};
pub use photo::PhotoShapes;
pub use proofs::proofs;
pub use yaml::yaml;

use schemars::{
    JsonSchema, SchemaGenerator,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};

use crate::{Address, Route, SessionCaptured, headers};

/// The part of the description that all documents share.
const COMMON: &str = "Clients ignore fields that they do not know. The schema of each error is the whole body of a response.\n\n\
                      API Gateway has responses of its own, `{\"message\": …}` without the headers below: 404 for a route \
                      or method that is not here, 413 for a body of more than 10 MB, 429 at peak load, 500 and 503 when a \
                      function fails.";

/// The fields of an order for a hosted session, each of which can be invalid.
const ORDERED: [&str; 5] = ["reference_id", "redirect_uri", "webhook_url", "profile", "steps"];

/// The OpenAPI document of `{base_url}` and `{license_url}`: the routes of the component.
#[must_use]
pub fn web() -> Value {
    document(
        &[Address::Base, Address::License],
        &[
            Route::CreateSession,
            Route::LoadSession,
            Route::Ingest,
            Route::SessionResults,
            Route::Image,
            Route::Validate,
        ],
        "Lacre",
        "Authenticated photos from a mobile browser",
        "The routes of the component and of the SDKs.",
    )
}

/// The OpenAPI document of `{capture_url}`: the routes of the hosted page, and the webhook.
#[must_use]
pub fn hosted() -> Value {
    document(
        &[Address::Capture],
        &[
            Route::CreateHostedSession,
            Route::LoadSession,
            Route::Ingest,
            Route::ValidateSession,
            Route::Skip,
            Route::SessionStatus,
            Route::HostedResults,
        ],
        "Lacre, the hosted flow",
        "A link that takes authenticated photos",
        "A backend creates a session and sends its customer the link `{capture_url}/?token={token}`. The page behind it uses \
         the routes of the component at this address. No response has CORS headers.",
    )
}

fn document(addresses: &[Address], routes: &[Route], title: &str, summary: &str, description: &str) -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for route in routes {
        let (method, path) = method_and_path(*route);
        paths.entry(path).or_insert_with(|| json!({}))[method] = operation::of(*route, addresses[0], &mut schemas);
    }
    for address in &addresses[1..] {
        for route in routes.iter().filter(|route| route.address() == *address) {
            paths[&method_and_path(*route).1]["servers"] = json!([server(*address)]);
        }
    }
    let is_hosted = addresses[0] == Address::Capture;
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": env!("CARGO_PKG_VERSION"),
            "summary": summary,
            "description": format!("{description}\n\n{COMMON}"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [server(addresses[0])],
        "paths": paths,
    });
    if is_hosted {
        document["webhooks"] = webhooks(&mut schemas);
    }
    for route in routes {
        refusals::define(route.refusals(), &ORDERED, &mut schemas);
    }
    let paths_text = document["paths"].to_string();
    document["components"] = json!({
        "securitySchemes": {
            "apiKey": {
                "type": "apiKey", "in": "header", "name": headers::API_KEY,
                "description": "`svc_api_` and base58. For backends only.",
            },
        },
        "parameters": operation::parameters(&paths_text),
        "headers": operation::headers(!is_hosted),
        "schemas": schemas.definitions(),
    });
    settle_hosted_fields(&mut document, is_hosted);
    without_unused(&mut document);
    document
}

/// The schemas of a document. An optional field may be omitted in requests; in responses it is always present unless
/// its type says otherwise.
struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
    others: Map<String, Value>,
}

impl Schemas {
    fn new() -> Self {
        Self {
            requests: generator(Contract::Deserialize),
            responses: generator(Contract::Serialize),
            others: Map::new(),
        }
    }

    fn request<T: JsonSchema>(&mut self) -> Value {
        self.requests.subschema_for::<T>().to_value()
    }

    fn response<T: JsonSchema>(&mut self) -> Value {
        self.responses.subschema_for::<T>().to_value()
    }

    /// Defines a schema that belongs to no type, and returns a reference to it.
    fn define(&mut self, name: &str, schema: Value) -> Value {
        self.others.insert(name.to_owned(), schema);
        json!({ "$ref": format!("#/components/schemas/{name}") })
    }

    fn definitions(mut self) -> Map<String, Value> {
        let mut all = self.others;
        all.extend(self.requests.take_definitions(true));
        let mut responses = self.responses.take_definitions(true);
        responses.values_mut().for_each(absent_instead_of_null);
        all.extend(responses);
        all.values_mut().for_each(without_formats_of_numbers);
        all
    }
}

/// The keyword of fields that only the hosted flow has. The document of the component's flow lacks them.
const HOSTED: &str = "x-hosted";

/// Removes the fields of the hosted flow from the document of the component's, and the keyword that marks them from both.
fn settle_hosted_fields(schema: &mut Value, is_hosted: bool) {
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|_, field| is_hosted || field.get(HOSTED).is_none());
    }
    match schema {
        Value::Object(fields) => {
            fields.remove(HOSTED);
            fields.values_mut().for_each(|value| settle_hosted_fields(value, is_hosted));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| settle_hosted_fields(value, is_hosted)),
        _ => {}
    }
}

/// Removes the schemas that nothing refers to.
fn without_unused(document: &mut Value) {
    loop {
        let text = document.to_string();
        let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
        let count = schemas.len();
        schemas.retain(|name, _| text.contains(&format!("\"#/components/schemas/{name}\"")));
        if schemas.len() == count {
            return;
        }
    }
}

fn generator(contract: Contract) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    settings.contract = contract;
    settings.into_generator()
}

/// Removes schemars' formats of Rust's number types, such as `uint`, which no format registry contains.
fn without_formats_of_numbers(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let is_number = match fields.get("type") {
                Some(Value::String(name)) => name == "integer" || name == "number",
                Some(Value::Array(names)) => names.iter().any(|name| name == "integer" || name == "number"),
                _ => false,
            };
            if is_number {
                fields.remove("format");
            }
            fields.values_mut().for_each(without_formats_of_numbers);
        }
        Value::Array(values) => values.iter_mut().for_each(without_formats_of_numbers),
        _ => {}
    }
}

/// Removes `null` from the schemas of fields that a response may omit, because they are omitted instead.
fn absent_instead_of_null(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, field) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if required.iter().any(|required| required == name) {
            continue;
        }
        if let Some(Value::Array(types)) = field.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = &types[..] {
                field["type"] = only.clone();
            }
        }
        if let Some(Value::Array(variants)) = field.get_mut("anyOf") {
            variants.retain(|variant| variant["type"] != "null");
            if let [only] = &variants[..] {
                let only = only.as_object().cloned().unwrap_or_default();
                field.as_object_mut().into_iter().for_each(|field| {
                    field.remove("anyOf");
                    field.extend(only.clone());
                });
            }
        }
    }
}

/// Splits a route's name: `GET /web/sessions/:token` becomes `get` and `/web/sessions/{token}`.
fn method_and_path(route: Route) -> (String, String) {
    let (method, path) = route.name().split_once(' ').unwrap_or_default();
    let braced = |part: &str| part.strip_prefix(':').map_or_else(|| part.to_owned(), |name| format!("{{{name}}}"));
    (method.to_lowercase(), path.split('/').map(braced).collect::<Vec<_>>().join("/"))
}

fn server(address: Address) -> Value {
    let (variable, example, description) = match address {
        Address::Base => ("base_url", "web.example.com", "The /web routes"),
        Address::License => ("license_url", "license.example.com", "This route alone"),
        Address::Capture => ("capture_url", "capture.example.com", "The hosted flow"),
    };
    json!({
        "url": format!("https://{{{variable}}}"),
        "description": description,
        "variables": { variable: { "default": example } },
    })
}

fn webhooks(schemas: &mut Schemas) -> Value {
    let header = |name: &str, schema: Value| {
        let description = headers::ALL.iter().find(|(_, text, _)| *text == name).map(|(.., what)| *what);
        json!({ "name": name, "in": "header", "required": true, "description": description, "schema": schema })
    };
    json!({
        "captured": {
            "post": {
                "operationId": "sessionCaptured",
                "summary": "The service announces once that all photos of a session are captured.",
                // OpenAPI has no security scheme for this signature, so the headers below document it.
                "security": [],
                "description": "Signed by Standard Webhooks 1.0. Check the signature over the bytes of the body, before they are parsed.",
                "parameters": [
                    header(headers::WEBHOOK_ID, json!({ "type": "string", "pattern": "^msg_[0-9a-f]{32}$" })),
                    header(headers::WEBHOOK_TIMESTAMP, json!({ "type": "integer", "minimum": 0 })),
                    header(
                        headers::WEBHOOK_SIGNATURE,
                        json!({ "type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=){0,4}$" }),
                    ),
                ],
                "requestBody": {
                    "required": true,
                    "description": format!("At most {} bytes.", crate::limits::WEBHOOK_BODY_BYTES),
                    "content": { "application/json": {
                        "schema": schemas.response::<SessionCaptured>(),
                        "example": examples::webhook(),
                    } },
                },
                "responses": {
                    "2XX": { "description": "Accepted within 30 seconds. Any other response counts as a failure, and is not retried." },
                },
            },
        },
    })
}
