//! Checks that every response received by a test's client is documented in `openapi/`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use jsonschema::{Registry, Validator};
use reqwest::{Method, Url};
use serde_json::{Value, json};

use crate::{Answer, receiver::Received};

/// Base URI of the document.
const DOCUMENT: &str = "json-schema:///openapi";
/// Headers of the connection, which the documents do not list.
const OF_THE_CONNECTION: [&str; 4] = ["connection", "content-length", "content-type", "date"];

static DOCUMENTS: LazyLock<Documents> = LazyLock::new(Documents::read);

/// The documents, with compiled validators of their responses.
pub struct Documents {
    /// `openapi/web.yaml`.
    pub web: Value,
    /// `openapi/hosted.yaml`.
    pub hosted: Value,
    /// `openapi/admin.yaml`.
    pub admin: Value,
    /// `openapi/proofs.yaml`.
    pub proofs: Value,
    responses: BTreeMap<(Operation, u16), Response>,
    webhook: Webhook,
}

/// An operation: the host, method and path template of a route.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// The variable in the server's URL.
    pub host: String,
    /// In upper case.
    pub method: String,
    /// With variables in braces.
    pub path: String,
}

/// A documented response.
struct Response {
    body: Validator,
    headers: BTreeMap<String, Header>,
}

struct Header {
    required: bool,
    value: Validator,
}

/// The documented request of a webhook.
struct Webhook {
    body: Validator,
    headers: BTreeMap<String, Validator>,
}

impl Documents {
    /// The documents of this repository.
    pub fn get() -> &'static Self {
        &DOCUMENTS
    }

    fn read() -> Self {
        let read = |text: &str| serde_saphyr::from_str::<Value>(text).unwrap();
        let web = read(include_str!("../../openapi/web.yaml"));
        let hosted = read(include_str!("../../openapi/hosted.yaml"));
        let admin = read(include_str!("../../openapi/admin.yaml"));
        let proofs = read(include_str!("../../openapi/proofs.yaml"));
        let responses = [&web, &hosted, &admin, &proofs].into_iter().flat_map(responses).collect();
        let webhook = webhook(&hosted);
        Self { web, hosted, admin, proofs, responses, webhook }
    }

    /// The document of an operation.
    pub fn document_of(&self, operation: &Operation) -> &Value {
        match operation.host.as_str() {
            "capture_url" => &self.hosted,
            "admin_url" => &self.admin,
            "proofs_url" => &self.proofs,
            _ => &self.web,
        }
    }

    /// All operations.
    pub fn operations(&self) -> BTreeSet<Operation> {
        self.responses.keys().map(|(operation, _)| operation.clone()).collect()
    }

    /// The statuses of an operation, with their responses in the document.
    pub fn statuses(&self, operation: &Operation) -> BTreeMap<u16, &Value> {
        let path = &self.document_of(operation)["paths"][&operation.path][operation.method.to_lowercase()];
        path["responses"].as_object().unwrap().iter().map(|(s, response)| (s.parse().unwrap(), response)).collect()
    }

    /// Finds the operation of a request. `hosts` are the service's variables, which hold the URL of each host.
    pub fn route(&self, hosts: &BTreeMap<String, String>, method: &Method, url: &Url) -> Option<Operation> {
        let is_host = |host: &str| hosts[&host.to_uppercase()] == url.origin().ascii_serialization();
        self.operations().into_iter().find(|operation| {
            operation.method == method.as_str()
                && is_template_of(&operation.path, url.path())
                && is_host(&operation.host)
        })
    }

    /// Checks that a response is documented.
    ///
    /// # Errors
    /// A description of what is not documented.
    pub fn check(&self, operation: &Operation, answer: &Answer) -> Result<(), String> {
        let place = format!("{} {}: {}", operation.method, operation.path, answer.status);
        let key = (operation.clone(), answer.status);
        let response = self.responses.get(&key).ok_or(format!("{place} is not documented"))?;
        let faults: Vec<_> = response.body.iter_errors(&answer.body).map(|fault| fault.to_string()).collect();
        if !faults.is_empty() {
            return Err(format!("{place}: {}: {faults:?}", answer.body));
        }
        if answer.header("content-type") != Some("application/json; charset=utf-8") {
            return Err(format!("{place}: the content type is {:?}", answer.header("content-type")));
        }
        for (name, header) in &response.headers {
            match answer.header(name) {
                None if header.required => return Err(format!("{place} lacks the header {name}")),
                Some(value) if !header.value.is_valid(&value_of(value)) => {
                    return Err(format!("{place}: the header {name} is {value:?}"));
                }
                _ => {}
            }
        }
        let known = |name: &str| response.headers.contains_key(name) || OF_THE_CONNECTION.contains(&name);
        match answer.headers.keys().find(|name| !known(name)) {
            Some(name) => Err(format!("{place}: the header {name} is not documented")),
            None => Ok(()),
        }
    }

    /// Checks that a received webhook is documented.
    ///
    /// # Errors
    /// A description of what is not documented.
    pub fn check_webhook(&self, received: &Received) -> Result<(), String> {
        let body = serde_json::from_slice(&received.body).map_err(|error| error.to_string())?;
        let faults: Vec<_> = self.webhook.body.iter_errors(&body).map(|fault| fault.to_string()).collect();
        if !faults.is_empty() {
            return Err(format!("{body}: {faults:?}"));
        }
        for (name, schema) in &self.webhook.headers {
            let value = received.header(name);
            if !schema.is_valid(&value_of(value)) {
                return Err(format!("the header {name} is {value:?}"));
            }
        }
        Ok(())
    }
}

/// Asserts that a response is documented. Responses of the gateway itself are exempt: an unknown route, a body that
/// it rejects, and a function that failed or was throttled.
#[track_caller]
pub fn assert_documented(hosts: &BTreeMap<String, String>, method: &Method, url: &Url, answer: &Answer) {
    let Some(operation) = Documents::get().route(hosts, method, url) else { return };
    let of_the_gateway = [
        (413, "Request Entity Too Large"),
        (403, "Forbidden"),
        (500, "Internal Server Error"),
        (503, "Service Unavailable"),
    ];
    if of_the_gateway.iter().any(|(status, text)| answer.outcome() == (*status, json!({ "message": text }))) {
        return;
    }
    if let Err(fault) = Documents::get().check(&operation, answer) {
        panic!("openapi/: {fault}");
    }
}

/// Compiles the schema at a JSON pointer of a document.
fn schemas_of(document: &Value) -> impl Fn(&str) -> Validator {
    let registry = Registry::new().add(DOCUMENT, document).unwrap().prepare().unwrap();
    move |pointer| {
        // In a URI, braces must be percent-encoded.
        let fragment = pointer.replace('{', "%7B").replace('}', "%7D");
        let schema = json!({ "$ref": format!("{DOCUMENT}#{fragment}") });
        jsonschema::options().with_registry(&registry).should_validate_formats(true).build(&schema).unwrap()
    }
}

fn webhook(document: &Value) -> Webhook {
    const POST: &str = "/webhooks/captured/post";
    let schema_at = schemas_of(document);
    let parameters = document.pointer(&format!("{POST}/parameters")).unwrap().as_array().unwrap();
    let header = |(index, parameter): (usize, &Value)| {
        let name = parameter["name"].as_str().unwrap().to_owned();
        (name, schema_at(&format!("{POST}/parameters/{index}/schema")))
    };
    Webhook {
        body: schema_at(&format!("{POST}/requestBody/content/application~1json/schema")),
        headers: parameters.iter().enumerate().map(header).collect(),
    }
}

fn responses(document: &Value) -> BTreeMap<(Operation, u16), Response> {
    let schema_at = schemas_of(document);
    let mut responses = BTreeMap::new();
    for (operation, pointer) in operations(document) {
        for (status, response) in document.pointer(&format!("{pointer}/responses")).unwrap().as_object().unwrap() {
            let (pointer, response) = resolve(document, format!("{pointer}/responses/{status}"), response);
            let header = |(name, header): (&String, &Value)| {
                let (pointer, header) = resolve(document, format!("{pointer}/headers/{name}"), header);
                let required = header["required"] == true;
                (name.clone(), Header { required, value: schema_at(&format!("{pointer}/schema")) })
            };
            let headers = response["headers"].as_object().unwrap().iter().map(header).collect();
            // A response that is not JSON, such as a manifest, is not an answer that can be checked.
            if response["content"].get("application/json").is_none() {
                continue;
            }
            let body = schema_at(&format!("{pointer}/content/application~1json/schema"));
            responses.insert((operation.clone(), status.parse().unwrap()), Response { body, headers });
        }
    }
    responses
}

/// The operations of a document with their JSON pointers.
fn operations(document: &Value) -> Vec<(Operation, String)> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let server = item.get("servers").unwrap_or(&document["servers"])[0]["url"].as_str().unwrap();
        let host = server.trim_start_matches("https://{").trim_end_matches('}').to_owned();
        for method in item.as_object().unwrap().keys().filter(|key| *key != "servers") {
            let pointer = format!("/paths/{}/{method}", path.replace('/', "~1"));
            let operation = Operation { host: host.clone(), method: method.to_uppercase(), path: path.clone() };
            operations.push((operation, pointer));
        }
    }
    operations
}

/// Resolves a reference; other values are returned unchanged.
fn resolve<'a>(document: &'a Value, pointer: String, value: &'a Value) -> (String, &'a Value) {
    match value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#')) {
        Some(target) => (target.to_owned(), document.pointer(target).unwrap()),
        None => (pointer, value),
    }
}

/// Converts a header's value to the type that its schema expects.
fn value_of(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| text.into(), Value::from)
}

fn is_template_of(template: &str, path: &str) -> bool {
    let (parts, segments): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    let fits = |(part, segment): (&&str, &&str)| part == segment || part.starts_with('{') && !segment.is_empty();
    parts.len() == segments.len() && parts.iter().zip(&segments).all(fits)
}
