//! A route as an OpenAPI operation: its parameters, body and responses.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::{Schemas, absent_instead_of_null, examples, refusals};
use crate::{
    Address, CreateHostedSession, CreateSession, CreatedSession, IngestRequest, IngestedManifest, IngestedPhoto,
    LicenseVerdict, LoadedSession, NextPhoto, Refusal, RenewedImage, Route, SessionProgress, SessionResults,
    SkipRequest, ValidateRequest, ValidateSessionRequest, headers as names,
};

/// The successful response of an operation.
struct Success {
    status: u16,
    description: &'static str,
    schema: Value,
    example: Value,
    links: Value,
}

/// The operation of a route in the document of an address.
pub(super) fn of(route: Route, address: Address, schemas: &mut Schemas) -> Value {
    let has_cors = address != Address::Capture;
    let success = success(route, address, schemas);
    let mut response = json!({
        "description": success.description,
        "headers": header_references(has_cors, None),
        "content": { "application/json": { "schema": success.schema, "example": success.example } },
    });
    if success.links.is_object() {
        response["links"] = success.links;
    }
    let mut responses = refusals::responses(route.refusals(), has_cors, schemas);
    responses.insert(success.status.to_string(), response);
    let by_api_key = matches!(route, Route::CreateSession | Route::CreateHostedSession);
    let mut operation = json!({
        "operationId": route.operation_id(),
        "summary": route.summary(),
        "security": if by_api_key { json!([{ "apiKey": [] }]) } else { json!([]) },
        "responses": responses,
    });
    let mut parameters = parameters_of(route).to_vec();
    if route == Route::LoadSession && !has_cors {
        parameters.push("LicenseKey");
    }
    if !parameters.is_empty() {
        let references = parameters.iter().map(|name| json!({ "$ref": format!("#/components/parameters/{name}") }));
        operation["parameters"] = references.collect();
    }
    if let Some((schema, example)) = request(route, schemas) {
        operation["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": schema, "example": example } },
        });
    }
    operation
}

fn request(route: Route, schemas: &mut Schemas) -> Option<(Value, Value)> {
    match route {
        Route::CreateSession => Some((schemas.request::<CreateSession>(), examples::create())),
        Route::CreateHostedSession => Some((schemas.request::<CreateHostedSession>(), examples::create_hosted())),
        Route::Ingest => Some((schemas.request::<IngestRequest>(), examples::ingest())),
        Route::Validate => Some((schemas.request::<ValidateRequest>(), examples::validate())),
        Route::ValidateSession => Some((schemas.request::<ValidateSessionRequest>(), examples::validate_session())),
        Route::Skip => Some((schemas.request::<SkipRequest>(), examples::skip())),
        Route::LoadSession | Route::SessionResults | Route::Image | Route::SessionStatus | Route::HostedResults => None,
    }
}

fn success(route: Route, address: Address, schemas: &mut Schemas) -> Success {
    fn of<T: JsonSchema>(schemas: &mut Schemas, description: &'static str, example: Value) -> Success {
        Success { status: 200, description, schema: schemas.response::<T>(), example, links: Value::Null }
    }
    let link = |operation: Route, parameter: &str, field: &str| json!({ "operationId": operation.operation_id(), "parameters": { parameter: format!("$response.body#/{field}") } });
    match route {
        Route::CreateSession => Success {
            links: json!({
                "load": link(Route::LoadSession, "token", "token"),
                "results": link(Route::SessionResults, "token", "token"),
            }),
            ..of::<CreatedSession>(schemas, "The session was created.", examples::created())
        },
        Route::CreateHostedSession => Success {
            status: 201,
            links: json!({
                "status": link(Route::SessionStatus, "token", "token"),
                "results": link(Route::HostedResults, "token", "token"),
            }),
            ..of::<CreatedSession>(schemas, "The session was created.", examples::created())
        },
        Route::LoadSession => of::<LoadedSession>(schemas, "The session was loaded.", examples::loaded()),
        Route::Ingest => Success {
            // The photo's URL is renewed at the component's address only.
            links: match address {
                Address::Base => json!({ "image": link(Route::Image, "session_id", "session_id") }),
                Address::License | Address::Capture => Value::Null,
            },
            schema: json!({ "oneOf": [schemas.response::<IngestedPhoto>(), schemas.response::<IngestedManifest>()] }),
            ..of::<IngestedPhoto>(schemas, "The photo was signed and recorded.", examples::ingested())
        },
        Route::SessionResults | Route::HostedResults => {
            let is_hosted = route == Route::HostedResults;
            let (schema, example) = (results(schemas, is_hosted), examples::results(is_hosted));
            Success { status: 200, description: "The session.", schema, example, links: Value::Null }
        }
        Route::Image => of::<RenewedImage>(schemas, "A new URL.", examples::renewed()),
        Route::Validate | Route::ValidateSession => {
            of::<LicenseVerdict>(schemas, "Whether the license may be used.", examples::verdict())
        }
        Route::Skip => of::<NextPhoto>(schemas, "The photo was skipped. This is the next one.", examples::next()),
        Route::SessionStatus => of::<SessionProgress>(schemas, "How far the session is.", examples::progress()),
    }
}

/// The schema of session results. Those of a hosted session always have `profile`, those of a component session never
/// do.
fn results(schemas: &mut Schemas, is_hosted: bool) -> Value {
    let mut results = SessionResults::json_schema(&mut schemas.responses).to_value();
    absent_instead_of_null(&mut results);
    if is_hosted {
        results["required"].as_array_mut().into_iter().for_each(|required| required.push(json!("profile")));
    } else {
        let fields = results["properties"].as_object_mut().into_iter();
        fields.for_each(|fields| fields.retain(|name, _| name != "profile" && name != "kit"));
    }
    schemas.define("SessionResults", results)
}

fn parameters_of(route: Route) -> &'static [&'static str] {
    match route {
        Route::LoadSession => &["Token", "Origin", "UserAgent", "TouchPoints"],
        Route::Ingest => &["Origin", "UserAgent", "TouchPoints", "Photo"],
        Route::Skip => &["Origin", "UserAgent", "TouchPoints"],
        Route::SessionStatus => &["Token", "Introduction"],
        Route::SessionResults | Route::HostedResults => &["Token"],
        Route::Image => &["SessionId"],
        Route::Validate => &["JudgedOrigin"],
        Route::CreateSession | Route::CreateHostedSession | Route::ValidateSession => &[],
    }
}

/// The parameters that operations refer to.
pub(super) fn parameters(paths: &str) -> Value {
    let uuid = json!({ "$ref": "#/components/schemas/Uuid" });
    let path = |name: &str| json!({ "name": name, "in": "path", "required": true, "schema": uuid });
    let header = |name: &str, description: &str, example: &str| json!({ "name": name, "in": "header", "description": description, "schema": { "type": "string" }, "example": example });
    let mut all = json!({
        "Token": path("token"),
        "SessionId": path("session_id"),
        "Origin": header(
            "origin",
            "The page's origin, which browsers send. A same-origin GET without it is recognized by `Sec-Fetch-Site`.",
            "https://app.example.com",
        ),
        "Introduction": {
            "name": "introduction", "in": "query",
            "description": "With `true`, the response has what the page shows before the first photo. Any other value has no effect.",
            "schema": {}, "example": "true",
        },
        "JudgedOrigin": header(
            "origin",
            "The page's origin. With one that the license does not list, the verdict is `ORIGIN_NOT_ALLOWED`.",
            "https://app.example.com",
        ),
        "LicenseKey": header(
            names::LICENSE_KEY,
            "The license key that the page's address names: another license of the same client for this session.",
            "svc_live_4VqjZkXW7mZb1w7cF3Rk9pTtYhNn2sUu",
        ),
        "UserAgent": header(
            "user-agent",
            "The browser's. It must be a supported one.",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
             Version/18.5 Mobile/15E148 Safari/604.1",
        ),
        "Photo": header(
            names::PHOTO,
            "With `manifest`, the response has the manifest instead of the signed photo. Other values have no effect.",
            names::MANIFEST,
        ),
        "TouchPoints": header(
            names::TOUCH_POINTS,
            "The number of touch points of the screen. More than 1 identifies an iPad that presents itself as a Macintosh.",
            "5",
        ),
    });
    all.as_object_mut()
        .into_iter()
        .for_each(|all| all.retain(|name, _| paths.contains(&format!("/parameters/{name}\""))));
    all
}

/// The response headers that operations refer to.
pub(super) fn headers(has_cors: bool) -> Value {
    let mut headers = json!({
        "CacheControl": { "required": true, "description": "Responses carry capabilities.", "schema": { "const": "no-store" } },
        "ContentTypeOptions": { "required": true, "schema": { "const": "nosniff" } },
        "RequestId": {
            "required": true,
            "description": "The gateway's identifier of the request, which log lines have too.",
            "schema": { "type": "string", "minLength": 1 },
        },
        "GatewayRequestId": { "description": "The same.", "schema": { "type": "string" } },
        "RetryAfter": { "required": true, "description": "Seconds.", "schema": { "type": "integer", "minimum": 1 } },
        "RetryAfterTheHour": {
            "required": true,
            "description": "Seconds to the next hour.",
            "schema": { "type": "integer", "minimum": 1, "maximum": 3600 },
        },
    });
    if has_cors {
        headers["AllowOrigin"] = json!({
            "description": "For a request with an `Origin`. Any page may read any response.",
            "schema": { "const": "*" },
        });
        headers["ExposeHeaders"] = json!({
            "description": "For a request with an `Origin`.",
            "schema": { "const": "retry-after,x-request-id,apigw-requestid" },
        });
    }
    headers
}

/// The headers of a response. `retry` is the refusal whose response has `Retry-After`, if there is one.
pub(super) fn header_references(has_cors: bool, retry: Option<Refusal>) -> Value {
    let mut headers = vec![
        ("cache-control", "CacheControl"),
        ("x-content-type-options", "ContentTypeOptions"),
        (names::REQUEST_ID, "RequestId"),
        ("apigw-requestid", "GatewayRequestId"),
    ];
    if has_cors {
        headers.extend([
            ("access-control-allow-origin", "AllowOrigin"),
            ("access-control-expose-headers", "ExposeHeaders"),
        ]);
    }
    headers.extend(retry.map(|refusal| match refusal {
        Refusal::CreationLimitReached { .. } | Refusal::LookupLimitReached { .. } => {
            ("retry-after", "RetryAfterTheHour")
        }
        _ => ("retry-after", "RetryAfter"),
    }));
    let reference =
        |(name, header): (&str, &str)| (name.to_owned(), json!({ "$ref": format!("#/components/headers/{header}") }));
    headers.into_iter().map(reference).collect::<Map<_, _>>().into()
}
