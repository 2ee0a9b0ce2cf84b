//! The document of the admin API: `openapi/admin.yaml`.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{Schemas, absent_instead_of_null, admin_examples as examples, operation};
use crate::{
    Environment, NamedTerms, Term,
    admin::{
        AlertKind, AlertPage, AlertParameters, AlertView, ApiKeyPage, ApiKeyRequest, ApiKeyView, AttemptPage,
        AttemptParameters, AttemptView, AuditPage, AuditParameters, AuditView, CapturePage, CaptureParameters,
        CaptureView, CarriedOut, Client, ClientId, ClientPage, CopyMatches, Digest, Fault, FaultBody,
        HostedLicenseView, HostedLicenses, Id, KeyIdText, KitPage, KitParameters, KitRequest, KitVersionParameters,
        KitVersionView, KitView, LicenseId, LicensePage, LicenseRequest, LicenseView, LicenseWithUsage, MessageIdText,
        Month, NewApiKey, NewClient, NewLicense, NewWebhookSecret, Overview, Page, ProbeParameters, ProbedSigners,
        RevocationRequest, RotationRequest, Route, SearchParameters, SenderRequest, SenderView, UsageByMonth,
        UsageParameters, WebhookSecretRequest, WebhookSecretView, WebhookSecrets,
    },
    headers,
    kit::{Kit, KitName},
    resolution,
    sender::Sender,
};

const DESCRIPTION: &str = "The admin API of docs/reference/admin.md, for programs.\n\n\
    Requests have AWS Signature Version 4 for `execute-api`. Without `execute-api:Invoke` on the route the gateway answers 403 \
    `{\"message\": \"Forbidden\"}`; it has further answers of its own, as in openapi/web.yaml. There is no CORS.\n\n\
    Lists come a page at a time: `next` is the cursor of the next page, null on the last. Clients ignore fields that they do \
    not know; the service refuses fields, and parameters of lists, that it does not know.";

/// The OpenAPI document of `{admin_url}`.
#[must_use]
pub fn admin() -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for route in Route::ALL {
        let operation = operation(route, &mut schemas);
        paths.entry(route.path()).or_insert_with(|| json!({}))[route.method().to_lowercase()] = operation;
    }
    let parameters = parameters(&mut schemas);
    let responses = responses(&mut schemas);
    let mut headers = operation::headers(false);
    headers.as_object_mut().into_iter().for_each(|headers| headers.retain(|name, _| !name.starts_with("RetryAfter")));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lacre, administration",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Clients, keys, licenses, alerts, webhooks, captures and the audit log, for operators",
            "description": DESCRIPTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{
            "url": "https://{admin_url}",
            "description": "The stack's output AdminUrl",
            "variables": { "admin_url": { "default": "admin.example.com" } },
        }],
        "security": [{ "iam": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "iam": {
                    "type": "apiKey", "in": "header", "name": "authorization",
                    "description": "AWS Signature Version 4 for `execute-api`.",
                },
            },
            "parameters": parameters,
            "headers": headers,
            "responses": responses,
            "schemas": schemas.definitions(),
        },
    })
}

fn operation(route: Route, schemas: &mut Schemas) -> Value {
    let (status, description) = route.success();
    let (schema, example) = success(route, schemas);
    let faults = Fault::ALL.iter().filter(|fault| route.has(**fault));
    let mut responses: Map<_, _> =
        faults.map(|fault| (fault.status().to_string(), reference("responses", fault.name()))).collect();
    let response = json!({
        "description": description,
        "headers": operation::header_references(false, None),
        "content": { "application/json": { "schema": schema, "example": example } },
    });
    responses.insert(status.to_string(), response);
    let mut operation = json!({ "operationId": route.operation_id(), "responses": responses });
    match route.documentation().split_once(". ") {
        Some((summary, description)) => {
            operation["summary"] = format!("{summary}.").into();
            operation["description"] = description.into();
        }
        None => operation["summary"] = route.documentation().into(),
    }
    let in_path = route.path().split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<_> = in_path.map(|name| reference("parameters", name)).collect();
    parameters.extend(query(route, schemas));
    if route.is_change() {
        parameters.push(reference("parameters", headers::IDEMPOTENCY_KEY));
    }
    if route.takes_revision() {
        parameters.push(reference("parameters", headers::IF_MATCH));
    }
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if route == Route::FindCopy {
        let content: Map<_, _> =
            resolution::MEDIA_TYPES.map(|media_type| (media_type.to_owned(), json!({}))).into_iter().collect();
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    if let Some((schema, example)) = request(route, schemas) {
        operation["requestBody"] = json!({
            "required": route != Route::RevokeWebhookSecret,
            "content": { "application/json": { "schema": schema, "example": example } },
        });
    }
    operation
}

fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

fn request(route: Route, schemas: &mut Schemas) -> Option<(Value, Value)> {
    match route {
        Route::CreateClient => Some((schemas.request::<NewClient>(), examples::new_client())),
        Route::IssueApiKey => Some((schemas.request::<ApiKeyRequest>(), examples::api_key_request())),
        Route::IssueLicense => Some((schemas.request::<LicenseRequest>(), examples::license_request())),
        Route::ConfigureLicense => Some((schemas.request::<NamedTerms>(), examples::terms())),
        Route::PutKit => Some((schemas.request::<KitRequest<Kit>>(), examples::kit_request())),
        Route::SetSender => Some((schemas.request::<SenderRequest<Sender>>(), examples::sender_request())),
        Route::IssueWebhookSecret => Some((schemas.request::<WebhookSecretRequest>(), examples::secret_request())),
        Route::RotateWebhookSecret => Some((schemas.request::<RotationRequest>(), examples::rotation())),
        Route::RevokeWebhookSecret => Some((schemas.request::<RevocationRequest>(), examples::revocation())),
        _ => None,
    }
}

fn success(route: Route, schemas: &mut Schemas) -> (Value, Value) {
    match route {
        Route::Overview => (schemas.response::<Overview>(), examples::overview()),
        Route::ListClients => (schemas.response::<ClientPage>(), examples::clients()),
        Route::CreateClient | Route::Client | Route::SuspendClient | Route::ResumeClient => {
            (schemas.response::<Client>(), examples::client())
        }
        Route::ListApiKeys => (schemas.response::<ApiKeyPage>(), examples::api_keys()),
        Route::IssueApiKey => (schemas.response::<NewApiKey>(), examples::new_api_key()),
        Route::RevokeApiKey => (schemas.response::<ApiKeyView>(), examples::api_key()),
        Route::ListLicenses | Route::FindLicenses => (schemas.response::<LicensePage>(), examples::licenses()),
        Route::IssueLicense | Route::RotateLicenseKey => (schemas.response::<NewLicense>(), examples::new_license()),
        Route::ListHostedLicenses => (schemas.response::<HostedLicenses>(), examples::hosted_licenses()),
        Route::ListKits => (schemas.response::<KitPage>(), examples::kits()),
        Route::PutKit | Route::Kit => (schemas.response::<KitVersionView<Kit>>(), examples::kit()),
        Route::RetireKit => (schemas.response::<KitView>(), examples::retired_kit()),
        Route::SetSender | Route::Sender => (schemas.response::<SenderView<Sender>>(), examples::sender()),
        Route::ListWebhookSecrets => (schemas.response::<WebhookSecrets>(), examples::secrets()),
        Route::IssueWebhookSecret | Route::RotateWebhookSecret => {
            (schemas.response::<NewWebhookSecret>(), examples::new_secret())
        }
        Route::RevokeWebhookSecret => (schemas.response::<WebhookSecretView>(), examples::secret()),
        Route::ListWebhooks | Route::ListFailingWebhooks => (schemas.response::<AttemptPage>(), examples::attempts()),
        Route::RedeliverWebhook => (schemas.response::<AttemptView>(), examples::attempt()),
        Route::License => (schemas.response::<LicenseWithUsage>(), examples::license_with_usage()),
        Route::ConfigureLicense | Route::RevokeLicense => (schemas.response::<LicenseView>(), examples::license()),
        Route::Usage => (schemas.response::<UsageByMonth>(), examples::usage()),
        Route::HostLicense => (schemas.response::<HostedLicenseView>(), examples::hosted_license()),
        Route::AcknowledgeAlert => (schemas.response::<AlertView>(), examples::alert()),
        Route::ListAlerts => (schemas.response::<AlertPage>(), examples::alerts()),
        Route::FindCaptures => (schemas.response::<CapturePage>(), examples::captures()),
        Route::Capture => (schemas.response::<CaptureView>(), examples::capture()),
        Route::FindCopy => (schemas.response::<CopyMatches>(), examples::copy_matches()),
        Route::ListAudit => (schemas.response::<AuditPage>(), examples::audit()),
        Route::Request => (schemas.response::<AuditView>(), examples::entry()),
        Route::ProbeSigners => (schemas.response::<ProbedSigners>(), examples::probed()),
    }
}

/// The query parameters of a route: the fields of a type.
fn query(route: Route, schemas: &mut Schemas) -> Vec<Value> {
    let fields = match route {
        Route::ListClients | Route::FindLicenses => SearchParameters::json_schema,
        Route::ListApiKeys | Route::ListLicenses | Route::ListFailingWebhooks => Page::json_schema,
        Route::ListKits => KitParameters::json_schema,
        Route::Kit => KitVersionParameters::json_schema,
        Route::ListWebhooks => AttemptParameters::json_schema,
        Route::Usage => UsageParameters::json_schema,
        Route::ListAlerts => AlertParameters::json_schema,
        Route::FindCaptures => CaptureParameters::json_schema,
        Route::ListAudit => AuditParameters::json_schema,
        Route::ProbeSigners => ProbeParameters::json_schema,
        _ => return Vec::new(),
    };
    let mut schema = fields(&mut schemas.requests).to_value();
    absent_instead_of_null(&mut schema);
    super::without_formats_of_numbers(&mut schema);
    let required: Vec<String> = serde_json::from_value(schema["required"].clone()).unwrap_or_default();
    let parameter = |(name, mut schema): (String, Value)| {
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let mut parameter = json!({ "name": name, "in": "query", "description": description, "schema": schema });
        if required.contains(&name) {
            parameter["required"] = true.into();
        }
        parameter
    };
    schema["properties"].as_object().cloned().unwrap_or_default().into_iter().map(parameter).collect()
}

/// The path and header parameters.
fn parameters(schemas: &mut Schemas) -> Value {
    let path = |name: &str, schema: Value| json!({ "name": name, "in": "path", "required": true, "schema": schema });
    let mut capture = path("capture_id", json!({ "oneOf": [schemas.request::<Digest>(), schemas.request::<Id>()] }));
    capture["description"] = "The capture id, or its `session_id`.".into();
    let mut request = path("request_id", schemas.request::<Id>());
    request["description"] = "The `idempotency-key` of the request.".into();
    json!({
        "client_id": path("client_id", schemas.request::<ClientId>()),
        "license_id": path("license_id", schemas.request::<LicenseId>()),
        "name": path("name", schemas.request::<KitName>()),
        "secret_id": path("secret_id", schemas.request::<Id>()),
        "key_id": path("key_id", schemas.request::<KeyIdText>()),
        "message_id": path("message_id", schemas.request::<MessageIdText>()),
        "month": path("month", schemas.request::<Month>()),
        "alert": path("alert", schemas.request::<AlertKind>()),
        "environment": path("environment", schemas.request::<Environment>()),
        "capture_id": capture,
        "request_id": request,
        headers::IDEMPOTENCY_KEY: {
            "name": headers::IDEMPOTENCY_KEY,
            "in": "header",
            "description": "A new UUID for each intent, the same for each retry of it. A request that was carried out before \
                            is answered 409 with `carried_out_at`, and nothing is done twice; one that was refused before \
                            needs another id.",
            "schema": schemas.request::<Id>(),
            "example": examples::REQUEST,
        },
        headers::IF_MATCH: {
            "name": headers::IF_MATCH,
            "in": "header",
            "description": "The license's `revision` that the change is for, in quotes.",
            "schema": { "type": "string", "pattern": "^\"[0-9]+\"$" },
            "example": "\"3\"",
        },
    })
}

/// The error responses, by name.
fn responses(schemas: &mut Schemas) -> Value {
    let response = |fault: &Fault| {
        let schema = match fault.texts() {
            [] if *fault == Fault::Conflict => {
                json!({ "oneOf": [schemas.response::<FaultBody>(), schemas.response::<CarriedOut>()] })
            }
            [] => schemas.response::<FaultBody>(),
            texts => {
                json!({ "allOf": [schemas.response::<FaultBody>()], "properties": { "error": { "enum": texts } } })
            }
        };
        let response = json!({
            "description": fault.cause(),
            "headers": operation::header_references(false, None),
            "content": { "application/json": { "schema": schema, "example": examples::fault(*fault) } },
        });
        (fault.name().to_owned(), response)
    };
    Fault::ALL.iter().map(response).collect::<Map<_, _>>().into()
}

impl JsonSchema for LicenseRequest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NewTerms".into()
    }

    /// Marks the terms without a default as required: for all environments, or for some.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = NamedTerms::json_schema(generator).to_value();
        schema["description"] =
            "A license that is to be issued: the terms that are named. The others get their defaults.".into();
        schema["properties"]["environment"] = generator.subschema_for::<Environment>().to_value();
        let mut required = vec!["environment"];
        let mut conditions = Vec::new();
        for term in Term::all() {
            let lack_default: Vec<_> =
                Environment::ALL.into_iter().filter(|environment| term.default(*environment).is_none()).collect();
            if lack_default.len() == Environment::ALL.len() {
                required.push(term.name);
            } else if !lack_default.is_empty() {
                conditions.push(json!({
                    "if": { "properties": { "environment": { "enum": lack_default } } },
                    "then": { "required": [term.name] },
                }));
            }
        }
        schema["required"] = json!(required);
        schema["allOf"] = conditions.into();
        schema.try_into().unwrap_or_default()
    }
}
