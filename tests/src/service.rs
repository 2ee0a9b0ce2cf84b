//! A client of the service, and a separate service for each test.

use std::{collections::BTreeMap, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::Refusal;
use lacre_domain::{ApiKey, Clock, FrameHash, License, LicenseId, LicenseKey, LicenseKeyRecord, StoreAssetPolicy};
use lacre_storage::TimeBudgets;
use local::{Aws, ExternalAws};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Faults, TestClock, journal, openapi, prepared, records::new_id};

/// Origin of the page that runs the component.
pub const PAGE: &str = "http://localhost:5173";
/// Origin that live licenses allow.
pub const LIVE_PAGE: &str = "https://app.example.com";
/// User agent of the browser that runs the component.
pub const SAFARI: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1";

/// A running service with its clock and an HTTP client.
pub struct Service {
    local: local::Service,
    stand_ins: Option<local::stand_ins::Stack>,
    variables: BTreeMap<String, String>,
    /// The service's clock, which tests can move. AWS has its own, which they cannot.
    pub clock: Arc<TestClock>,
    /// The client.
    pub http: reqwest::Client,
    /// The stand-ins' data. It is the last field so that it is dropped last.
    _data: Option<TempDir>,
}

/// Changes a live license so that it does not require timestamps and retains photos.
pub fn retains_without_timestamps(license: &mut License) {
    license.terms.tsa_required = false;
    license.terms.store_asset_policy = StoreAssetPolicy::Always;
}

/// A complete response of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body; `null` if there is none.
    pub body: Value,
    /// The headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
}

impl Answer {
    /// The complete body of a refusal. A test compares the texts with `docs/reference/api.md`.
    pub fn body_of(refusal: Refusal, service_name: &str) -> Value {
        let mut body = json!({ "error": refusal.text(service_name) });
        if let Some(reason) = refusal.block_reason() {
            body["block_reason"] = reason.into();
        }
        match refusal {
            Refusal::RecaptureDetected => body["recapture_risk"] = "HIGH".into(),
            Refusal::AssetTooLarge { bytes, max_asset_bytes } => {
                (body["bytes"], body["max_asset_bytes"]) = (bytes.into(), max_asset_bytes.into());
            }
            _ => {}
        }
        body
    }

    /// Status and body, for comparing both.
    pub fn outcome(&self) -> (u16, Value) {
        (self.status, self.body.clone())
    }

    /// The body of a successful response.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    /// The signed photo in an ingest's response.
    #[track_caller]
    pub fn photo(self) -> Vec<u8> {
        STANDARD.decode(self.ok()["signed_image_base64"].as_str().unwrap()).unwrap()
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// Status and body of a refusal, with its block reason if it has one.
pub fn refusal(status: u16, error: &str, block_reason: Option<&str>) -> (u16, Value) {
    let mut body = json!({ "error": error });
    if let Some(reason) = block_reason {
        body["block_reason"] = reason.into();
    }
    (status, body)
}

/// A loaded session, ready for an upload.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The session's token.
    pub token: String,
    /// The response body of the load.
    pub body: Value,
}

impl Loaded {
    /// A text field of the load's body.
    pub fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            journal::assert_no_secret();
        }
    }
}

impl Service {
    /// Starts a separate service with the sandbox's seed data.
    pub async fn start() -> Self {
        Self::start_with(local::Options::for_tests()).await
    }

    /// The same, with all calls to AWS by functions and users passing through proxies that can inject faults.
    pub async fn start_behind_faults() -> (Self, Faults) {
        Self::start_behind_faults_with(local::Options::for_tests()).await
    }

    /// The same with other options.
    pub async fn start_behind_faults_with(options: local::Options) -> (Self, Faults) {
        let (stand_ins, variables, data) = match options.aws {
            Aws::StandIns(_) => {
                let data = prepared::copy().await;
                let (stand_ins, variables) =
                    local::start_stand_ins(&prepared::storage(&data), Default::default()).await.unwrap();
                (Some(stand_ins), variables, Some(data))
            }
            Aws::External(external) => (None, external.variables, None),
        };
        let variable = |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let endpoint =
            |service: &str| variable(&format!("AWS_ENDPOINT_URL_{service}")).or_else(|| variable("AWS_ENDPOINT_URL"));
        let faults = Faults::in_front_of(|service| endpoint(service).unwrap()).await;
        let variables = faults.endpoints().into_iter().chain(variables).collect();
        let aws = Aws::External(ExternalAws { variables, data: data.as_ref().map(prepared::storage) });
        let mut service = Self::start_with(local::Options { aws, ..options }).await;
        (service.stand_ins, service._data) = (stand_ins, data);
        faults.take_calls();
        faults.take_agents();
        (service, faults)
    }

    /// The same without an earlier start. The timestamp authority's address has not changed, so signer profiles are
    /// in their first version.
    pub async fn start_anew() -> Self {
        Self::start_over(local::Options::for_tests(), None).await
    }

    /// Starts a service with other options; the clock is the test's.
    pub async fn start_with(options: local::Options) -> Self {
        match options.aws {
            Aws::StandIns(_) => {
                let data = prepared::copy().await;
                let aws = Aws::StandIns(prepared::storage(&data));
                Self::start_over(local::Options { aws, ..options }, Some(data)).await
            }
            Aws::External(_) => Self::start_over(options, None).await,
        }
    }

    async fn start_over(options: local::Options, data: Option<TempDir>) -> Self {
        journal::start();
        let clock = Arc::new(TestClock::default());
        let options = local::Options { clock: Arc::clone(&clock) as Arc<dyn Clock>, ..options };
        // Boxing keeps the futures of tests small.
        let local = Box::pin(local::Service::start(options)).await.unwrap();
        let variables: BTreeMap<String, String> = local.variables().into_iter().collect();
        for (name, value) in &variables {
            if name.contains("KEY") && !name.ends_with("ACCESS_KEY_ID") {
                journal::remember(value);
            }
        }
        Self { local, stand_ins: None, variables, clock, http: reqwest::Client::new(), _data: data }
    }

    /// The service's variables: addresses and keys.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// Root certificates of the development hierarchies in PEM.
    pub fn trust_anchors(&self) -> &str {
        self.local.trust_anchors_pem()
    }

    /// The value of a variable.
    #[track_caller]
    pub fn variable(&self, name: &str) -> &str {
        self.variables().get(name).unwrap_or_else(|| panic!("the service has no variable {name}"))
    }

    /// The endpoint of an AWS service.
    pub fn endpoint(&self, service: &str) -> &str {
        endpoint(&self.variables, service)
    }

    /// The functions' configuration, with the test's time budgets, and with the values for which `change` returns
    /// another.
    pub fn config(&self, change: impl Fn(&str) -> Option<String>) -> lacre_storage::Config {
        let variable = |name: &str| change(name).or_else(|| self.variables().get(name).cloned());
        lacre_storage::Config { budgets: TimeBudgets::RELAXED, ..lacre_storage::Config::from_lookup(variable).unwrap() }
    }

    /// The metrics that CloudWatch would have of the service.
    pub fn cloud_watch(&self) -> &local::CloudWatch {
        self.local.cloud_watch()
    }

    /// The rule of the `alerts` schedule.
    pub fn rule(&self) -> &local::Rule {
        self.local.rule()
    }

    /// The functions' connection to AWS.
    pub fn connection(&self) -> &lacre_storage::Connection {
        self.local.connection()
    }

    /// A request to the session and capture endpoints.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.variable("BASE_URL")))
    }

    /// Sends a request as a backend does.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let request = request.build().unwrap();
        let (method, url) = (request.method().clone(), request.url().clone());
        let response = self.http.execute(request).await.unwrap();
        let status = response.status().as_u16();
        let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap().to_owned();
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let bytes = response.bytes().await.unwrap();
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        remember_secrets(&body);
        let answer = Answer { status, body, headers };
        openapi::assert_documented(&self.variables, &method, &url, &answer);
        answer
    }

    /// Sends a request as the component does, with its page's origin and its browser's user agent.
    pub async fn send_from_page(&self, request: RequestBuilder) -> Answer {
        self.send(request.header("origin", PAGE).header("user-agent", SAFARI)).await
    }

    /// `POST /web/sessions` with the license of a variable.
    pub async fn create(&self, license: &str) -> Answer {
        self.create_with(
            self.variable("API_KEY"),
            json!({
                "reference_id": "sinistro-42", "license_key": self.variable(license),
            }),
        )
        .await
    }

    /// `POST /web/sessions` with this API key and body.
    pub async fn create_with(&self, api_key: &str, body: Value) -> Answer {
        if api_key.len() >= 16 {
            journal::remember(api_key);
        }
        self.send(self.request(Method::POST, "/web/sessions").header("x-api-key", api_key).json(&body)).await
    }

    /// The token in the response that created a session.
    #[track_caller]
    pub fn token_of(created: Answer) -> String {
        created.ok()["token"].as_str().unwrap().to_owned()
    }

    /// `GET /web/sessions/:token` as the component does it.
    pub async fn load(&self, token: &str) -> Answer {
        self.send_from_page(self.request(Method::GET, &format!("/web/sessions/{token}"))).await
    }

    /// Creates and loads a session with the license of a variable.
    pub async fn open(&self, license: &str) -> Loaded {
        let token = Self::token_of(self.create(license).await);
        self.reload(&token).await
    }

    /// Loads a session again.
    pub async fn reload(&self, token: &str) -> Loaded {
        Loaded { token: token.to_owned(), body: self.load(token).await.ok() }
    }

    /// Uploads a frame to the upload URL.
    pub async fn upload(&self, loaded: &Loaded, frame: &[u8]) -> StatusCode {
        let method = Method::from_bytes(loaded.text("upload_method").as_bytes()).unwrap();
        let mut request = self.http.request(method, loaded.text("upload_url")).body(frame.to_vec());
        for (name, value) in loaded.body["upload_headers"].as_object().unwrap() {
            request = request.header(name, value.as_str().unwrap());
        }
        request.send().await.unwrap().status()
    }

    /// The body of an ingest, with only the required fields of `docs/reference/api.md#post-webingest`.
    pub fn submission(&self, loaded: &Loaded, frame: &[u8]) -> Value {
        json!({
            "token": loaded.token,
            "nonce": loaded.body["nonce"],
            "photo_order": loaded.body["photo_order"],
            "image_key": loaded.body["image_key"],
            "frame_hash": FrameHash::of(frame).hex(),
            "extra_frame_hashes": [FrameHash::of(b"second").hex(), FrameHash::of(b"third").hex()],
            "gps_lat": -23.5505, "gps_lon": -46.6333, "gps_accuracy": 12.5,
            "captured_at_ms": self.clock.millis(),
        })
    }

    /// `POST /web/ingest` as the component does it.
    pub async fn ingest(&self, submission: &Value) -> Answer {
        self.send_from_page(self.request(Method::POST, "/web/ingest").json(submission)).await
    }

    /// Captures a frame in a loaded session.
    pub async fn capture_in(&self, loaded: &Loaded, frame: &[u8]) -> Answer {
        assert_eq!(self.upload(loaded, frame).await, StatusCode::OK);
        self.ingest(&self.submission(loaded, frame)).await
    }

    /// Captures a frame with the license of a variable; returns the token and the response of the ingest.
    pub async fn capture(&self, license: &str, frame: &[u8]) -> (String, Answer) {
        let loaded = self.open(license).await;
        let answer = self.capture_in(&loaded, frame).await;
        (loaded.token, answer)
    }

    /// `GET /web/session-results/:token`.
    pub async fn results(&self, token: &str) -> Answer {
        self.send(self.request(Method::GET, &format!("/web/session-results/{token}"))).await
    }

    /// `GET /web/image/:session_id`.
    pub async fn image(&self, session_id: &str) -> Answer {
        self.send(self.request(Method::GET, &format!("/web/image/{session_id}"))).await
    }

    /// `POST /validate` with this body, with or without an `Origin`.
    pub async fn validate_with(&self, body: String, origin: Option<&str>) -> Answer {
        let url = format!("{}/validate", self.variable("LICENSE_URL"));
        let mut request = self.http.post(url).header("content-type", "application/json").body(body);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        self.send(request).await
    }

    /// `POST /validate` with the license key of a variable.
    pub async fn validate(&self, license: &str) -> Answer {
        self.validate_with(json!({ "license_key": self.variable(license) }).to_string(), None).await
    }

    /// The response to a GET of a URL.
    pub async fn fetch(&self, url: &str) -> (u16, Vec<u8>) {
        let response = self.http.get(url).send().await.unwrap();
        (response.status().as_u16(), response.bytes().await.unwrap().to_vec())
    }
}

fn endpoint<'a>(variables: &'a BTreeMap<String, String>, service: &str) -> &'a str {
    let own = variables.get(&format!("AWS_ENDPOINT_URL_{service}"));
    own.unwrap_or_else(|| &variables["AWS_ENDPOINT_URL"])
}

/// A valid API key that was never issued.
pub fn unknown_api_key() -> String {
    ApiKey::from_entropy(lacre_storage::entropy()).expose().to_owned()
}

/// A valid license key that was never issued.
pub fn unknown_license_key() -> String {
    LicenseKey::from_entropy(lacre_domain::Environment::Sandbox, lacre_storage::entropy()).expose().to_owned()
}

/// Records the tokens, identifiers, nonces and URLs in a response as secrets.
fn remember_secrets(body: &Value) {
    match body {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if is_secret(name) => journal::remember(text),
                    other => remember_secrets(other),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(remember_secrets),
        _ => {}
    }
}

fn is_secret(name: &str) -> bool {
    matches!(name, "token" | "session_id" | "nonce" | "api_key" | "license_key") || name.ends_with("_url")
}

impl Service {
    /// Issues a changed copy of a seeded license with its own key; returns the key, and the license for further
    /// changes.
    pub async fn license_like(&self, seeded: &str, change: impl FnOnce(&mut License)) -> (String, License) {
        let accounts = lacre_storage::Accounts::new(self.connection());
        let seeded = LicenseKey::parse(self.variable(seeded)).unwrap();
        let record = accounts.read_license_key(&seeded.hash()).await.unwrap().unwrap();
        let found = accounts.read_license(&record.license_id, &record.client_id, None).await.unwrap();
        let mut license = found.license.unwrap().unwrap();
        license.id = LicenseId::from_u128(new_id());
        change(&mut license);
        self.put_license(&license).await;
        let key = LicenseKey::from_entropy(license.environment, lacre_storage::entropy());
        let record = LicenseKeyRecord { license_id: license.id.clone(), ..record };
        self.records().put_license_key(&key.hash(), &record).await;
        journal::remember(key.expose());
        (key.expose().to_owned(), license)
    }

    /// Stores a license.
    pub async fn put_license(&self, license: &License) {
        self.records().put_license(license).await;
    }

    /// Creates and loads a session with a license key.
    pub async fn open_with(&self, license_key: &str) -> Loaded {
        let body = json!({ "reference_id": "sinistro-42", "license_key": license_key });
        let token = Self::token_of(self.create_with(self.variable("API_KEY"), body).await);
        self.reload(&token).await
    }
}
