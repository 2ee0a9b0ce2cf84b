//! The document of C2PA's Soft Binding Resolution API: `openapi/proofs.yaml`.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::{COMMON, Schemas, operation, refusals};
use crate::{
    Day, EvidenceBundle, EvidenceFiles, RenewedDays, Uuid,
    dossier::{DossierFile, DossierRequest},
    resolution::{
        ALGORITHM, Capabilities, DEFAULT_RESULTS, Discovery, MANIFEST_ID, MANIFEST_TYPE, MAX_RESULTS, MEDIA_TYPES,
        ManifestMatch, Matches, Route, ServiceStatus, SoftBindingQuery, SupportedAlgorithms,
    },
};

const DESCRIPTION: &str = "C2PA's Soft Binding Resolution API of docs/reference/find-proof.md: a backend sends a copy of \
    a photo, or the code of one, and gets the ids of the manifests of its own captures that the copy may show. By the \
    routes below `/evidence`, which are not C2PA's, it gets the files that prove a capture for decades, and by `/dossiers` all \
    photos of a reference, with a sealed index (docs/reference/dossier.md). The document holds what this service does, where C2PA leaves a choice. No response has CORS headers.";

const ID: &str = "urn:c2pa:3c9b0a52-7d6c-4e2f-8a4b-5f0f7a4e3c1d";
const VALUE: &str = "IQdkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCgw==";

/// The OpenAPI document of `{proofs_url}`.
#[must_use]
pub fn proofs() -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for route in Route::ALL {
        let operation = operation(route, &mut schemas);
        paths.entry(route.path()).or_insert_with(|| json!({}))[route.method().to_lowercase()] = operation;
        refusals::define(route.refusals(), &["alg", "value", "maxResults", "since"], &mut schemas);
    }
    let mut headers = operation::headers(false);
    headers["Challenge"] = json!({ "required": true, "schema": { "const": "Bearer" } });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lacre, proofs",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "From a copy of a photo to its proof, and proofs for decades",
            "description": format!("{DESCRIPTION}\n\n{COMMON}"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{
            "url": "https://{proofs_url}",
            "description": "The stack's output ProofsUrl",
            "variables": { "proofs_url": { "default": "proofs.example.com" } },
        }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apiKey": {
                    "type": "http", "scheme": "bearer",
                    "description": "The API key: `svc_api_` and base58. For backends only.",
                },
            },
            "headers": headers,
            "schemas": schemas.definitions(),
        },
    })
}

fn operation(route: Route, schemas: &mut Schemas) -> Value {
    let mut responses = refusals::responses(route.refusals(), false, schemas);
    if let Some(refused) = responses.get_mut("401") {
        refused["headers"]["www-authenticate"] = json!({ "$ref": "#/components/headers/Challenge" });
    }
    let is_public = route.refusals().is_empty();
    let (description, content) = success(route, schemas);
    let headers = operation::header_references(false, None);
    responses.insert("200".into(), json!({ "description": description, "headers": headers, "content": content }));
    let mut operation = json!({
        "operationId": route.operation_id(),
        "summary": route.summary(),
        "security": if is_public { json!([]) } else { json!([{ "apiKey": [] }]) },
        "responses": responses,
    });
    let parameters = parameters(route, schemas);
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(content) = request(route, schemas) {
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

/// The query and path parameters. Those of a soft binding are the fields of its type.
fn parameters(route: Route, schemas: &mut Schemas) -> Vec<Value> {
    let binding = SoftBindingQuery::json_schema(&mut schemas.requests).to_value();
    let in_query = |name: &str, required: bool, schema: &Value| json!({ "name": name, "in": "query", "required": required, "schema": schema });
    let of_binding = |name: &str, required| in_query(name, required, &binding["properties"][name]);
    let max_results = json!({
        "type": "integer", "minimum": 1, "maximum": MAX_RESULTS, "default": DEFAULT_RESULTS,
        "description": "The largest number of matches.",
    });
    let max_results = in_query("maxResults", false, &max_results);
    match route {
        Route::ByBinding => vec![of_binding("alg", true), of_binding("value", true), max_results],
        Route::ByBindingInBody => vec![max_results],
        Route::ByContent => vec![of_binding("alg", false), max_results],
        Route::Manifest => vec![json!({
            "name": "manifest_id", "in": "path", "required": true,
            "schema": { "type": "string", "pattern": MANIFEST_ID }, "example": ID,
        })],
        Route::Evidence => vec![json!({
            "name": "session_id", "in": "path", "required": true, "schema": schemas.request::<Uuid>(),
        })],
        Route::RenewedEvidence => {
            let mut since = in_query("since", true, &schemas.request::<Day>());
            since["description"] = "The first day whose renewals count.".into();
            vec![since]
        }
        Route::Dossier | Route::SupportedAlgorithms | Route::Capabilities | Route::Status | Route::Discovery => {
            Vec::new()
        }
    }
}

fn request(route: Route, schemas: &mut Schemas) -> Option<Value> {
    match route {
        Route::ByBindingInBody => {
            let example = SoftBindingQuery { alg: ALGORITHM.into(), value: VALUE.into() };
            let schema = schemas.request::<SoftBindingQuery>();
            Some(json!({ "application/json": { "schema": schema, "example": example } }))
        }
        Route::Dossier => {
            let example = DossierRequest { reference_id: "sinistro-42".into(), erased: Vec::new() };
            let schema = schemas.request::<DossierRequest>();
            Some(json!({ "application/json": { "schema": schema, "example": example } }))
        }
        // OpenAPI 3.1 describes bytes by their media type alone.
        Route::ByContent => {
            Some(MEDIA_TYPES.map(|media_type| (media_type.to_owned(), json!({}))).into_iter().collect())
        }
        _ => None,
    }
}

/// The description and content of the successful response.
fn success(route: Route, schemas: &mut Schemas) -> (&'static str, Value) {
    fn of<T: JsonSchema>(schemas: &mut Schemas, example: &impl serde::Serialize) -> Value {
        json!({ "application/json": { "schema": schemas.response::<T>(), "example": example } })
    }
    match route {
        Route::ByBinding | Route::ByBindingInBody | Route::ByContent => {
            let found = ManifestMatch { manifest_id: ID.into(), similarity_score: 97 };
            let example = Matches { matches: vec![found], truncated: false };
            ("The captures that were found, or none.", of::<Matches>(schemas, &example))
        }
        Route::Manifest => ("The manifest, as it is stored.", json!({ MANIFEST_TYPE: {} })),
        Route::Evidence => ("The files.", of::<EvidenceFiles>(schemas, &evidence())),
        Route::RenewedEvidence => {
            let example = RenewedDays { days: vec![Day::from("2026-11-30"), Day::from("2026-12-01")] };
            ("The days, or none.", of::<RenewedDays>(schemas, &example))
        }
        Route::Dossier => {
            let example = DossierFile {
                url: "https://dossiers.s3.sa-east-1.amazonaws.com/9b74/dossier.zip?X-Amz-Algorithm=…".into(),
                bytes: 1_234_567,
                sha256: "9b74c9897bac770ffc029102a200c5de3e6f1a4b1c9a6f0f0b8f3f6e5d2c1b0a".into(),
                photos: 3,
            };
            ("The dossier was made.", of::<DossierFile>(schemas, &example))
        }
        Route::SupportedAlgorithms => {
            ("The algorithms.", of::<SupportedAlgorithms>(schemas, &SupportedAlgorithms::OURS))
        }
        Route::Capabilities => ("What the service can do.", of::<Capabilities>(schemas, &Capabilities::OURS)),
        Route::Status => ("The service works.", of::<ServiceStatus>(schemas, &ServiceStatus::OK)),
        Route::Discovery => {
            ("Where the API is.", of::<Discovery>(schemas, &Discovery::at("https://proofs.example.com")))
        }
    }
}

/// The files of a capture whose timestamp was renewed once; their contents are cut.
fn evidence() -> EvidenceFiles {
    let bundle = EvidenceBundle {
        name: "dated-2026-12-01.p7b".into(),
        sha256: "9b74c9897bac770ffc029102a200c5de3e6f1a4b1c9a6f0f0b8f3f6e5d2c1b0a".into(),
        url: "https://log.s3.sa-east-1.amazonaws.com/production/dated/2026-12-01/bundle.p7b?X-Amz-Algorithm=…".into(),
    };
    EvidenceFiles {
        day: Day::from("2026-12-01"),
        transparency_proof: "c2sp.org/tlog-proof@v1\nextra AQ==\nindex 41\n".into(),
        evidence_record: "MIIKTAIBATAPMA0GCWCGSAFlAwQCAQU=".into(),
        second_evidence_record: None,
        bundles: vec![bundle],
    }
}
