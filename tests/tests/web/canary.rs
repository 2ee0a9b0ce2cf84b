//! Tests the canary against the service, and against one that fails or misbehaves at a step.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    response::Response,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_canary::{Canary, Deadlines, Failure, Outcome, Step};
use lacre_domain::Clock;
use lacre_metrics::collect;
use lacre_storage::Connection;
use lacre_tests::{Fault, Faults, Service, frame, journal, service::PAGE};
use serde_json::{Value, json};
use tokio::{net::TcpListener, time::Duration};

/// Root certificates that are not the local service's.
const ICP_BRASIL: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/verify/lists/icp-brasil.pem"));

/// How a gateway in front of the service changes a response.
#[derive(Clone)]
enum Change {
    /// Replaces status and body. The body contains the request, as a proxy's error page may.
    Fail(u16),
    /// Replaces this field of the body.
    Set(&'static str, Value),
    /// Sends no response.
    Hang,
}

/// A gateway in front of the service that changes the responses to one kind of request.
#[derive(Clone, Default)]
struct Gateway {
    base_url: String,
    license_url: String,
    http: reqwest::Client,
    changes: Arc<Mutex<Vec<(&'static str, Change)>>>,
    paths: Arc<Mutex<Vec<String>>>,
}

impl Gateway {
    /// Starts a gateway and returns its address.
    async fn start(service: &Service) -> (Self, String) {
        let (base_url, license_url) = (service.variable("BASE_URL").into(), service.variable("LICENSE_URL").into());
        let gateway = Self { base_url, license_url, ..Self::default() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        // AWS emulators name their gateways like this.
        let address = format!("http://gateway.localhost:{}", listener.local_addr().unwrap().port());
        let router = Router::new().fallback(pass).with_state(gateway.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (gateway, address)
    }

    fn change(&self, route: &'static str, change: Change) {
        *self.changes.lock().unwrap() = vec![(route, change)];
    }
}

async fn pass(State(gateway): State<Gateway>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let route = format!("{} {}", head.method, head.uri.path());
    gateway.paths.lock().unwrap().push(route.clone());
    let found = gateway.changes.lock().unwrap().iter().find(|(prefix, _)| route.starts_with(prefix)).cloned();
    match found.map(|(_, change)| change) {
        Some(Change::Hang) => std::future::pending().await,
        Some(Change::Fail(status)) => {
            let said = json!({ "block_reason": "web_upstream_unavailable", "error": format!("{head:?} {body:?}") });
            Response::builder()
                .status(status)
                .header("x-request-id", "an-id")
                .body(Body::from(said.to_string()))
                .unwrap()
        }
        Some(Change::Set(name, value)) => {
            let (response, body) = forward(&gateway, head, body).await;
            let mut body: Value = serde_json::from_slice(&body).unwrap();
            let target = if route.contains("session-results") { &mut body["photos"][0] } else { &mut body };
            target[name] = value;
            response.body(Body::from(body.to_string())).unwrap()
        }
        None => {
            let (response, body) = forward(&gateway, head, body).await;
            response.body(Body::from(body)).unwrap()
        }
    }
}

/// Forwards a request, and records the secrets in its response.
async fn forward(
    gateway: &Gateway,
    head: axum::http::request::Parts,
    body: Bytes,
) -> (axum::http::response::Builder, Bytes) {
    let Gateway { base_url, license_url, .. } = gateway;
    let upstream = if head.uri.path() == "/validate" { license_url } else { base_url };
    let mut request = gateway.http.request(head.method, format!("{upstream}{}", head.uri.path())).body(body);
    for (name, value) in head.headers.iter().filter(|(name, _)| !["host", "content-length"].contains(&name.as_str())) {
        request = request.header(name, value);
    }
    let answer = request.send().await.unwrap();
    let mut response = Response::builder().status(answer.status());
    if let Some(id) = answer.headers().get("x-request-id") {
        response = response.header("x-request-id", id);
    }
    let body = answer.bytes().await.unwrap();
    let found: Value = serde_json::from_slice(&body).unwrap_or_default();
    for name in ["token", "nonce", "upload_url", "manifest_url", "session_id"] {
        if let Some(secret) = found[name].as_str().or(found["photos"][0][name].as_str()) {
            journal::remember(secret);
        }
    }
    (response, body)
}

/// The canary's secret, as `scripts/canary-up` writes it.
fn secret(service: &Service) -> Value {
    json!({
        "api_key": service.variable("API_KEY"),
        "license_key": service.variable("LICENSE_KEY"),
        "origin": PAGE,
        "roots_pem": service.trust_anchors(),
    })
}

/// A canary with this secret that calls the service at one address, with its fault proxies.
async fn canary(service: &Service, secret: &Value, url: &str) -> (Canary, Faults) {
    let faults = Faults::before_with_secret(service, secret.to_string()).await;
    let mut config = faults.config(service);
    config.canary_secret_arn.set("arn:aws:secretsmanager:sa-east-1:000000000000:secret:canary".to_owned());
    config.base_url.set(url.to_owned());
    config.license_url.set(url.to_owned());
    let connection = Connection::new(config).unwrap();
    (Canary::new(&connection, Arc::clone(&service.clock) as Arc<dyn Clock>), faults)
}

/// Runs the canary; returns the outcome and its metrics, without AWS calls. Both are logged, so that the search for
/// secrets covers them.
async fn run(canary: &Canary) -> (Outcome, Vec<(&'static str, f64)>) {
    let (outcome, measured) = collect(canary.run()).await;
    tracing::info!(outcome = serde_json::to_string(&outcome).unwrap(), "returned");
    let ours = measured.sums.into_iter().filter(|(metric, _)| metric.name.starts_with("Canary"));
    (outcome, ours.map(|(metric, value)| (metric.name, value)).collect())
}

#[track_caller]
fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_call_every_route_and_verify() {
    let service = Service::start().await;
    let (gateway, url) = Gateway::start(&service).await;
    let (canary, _faults) = canary(&service, &secret(&service), &url).await;
    // Each run has a new frame.
    for _ in 0..2 {
        let (outcome, metrics) = run(&canary).await;
        assert_eq!(outcome, Outcome::Succeeded);
        let [("CanaryDuration", duration), ("CanarySucceeded", 1.0)] = metrics[..] else { panic!("{metrics:?}") };
        assert!(duration > 0.0);
        let paths = std::mem::take(&mut *gateway.paths.lock().unwrap());
        let routes = [
            "POST /web/sessions",
            "POST /validate",
            "GET /web/sessions/",
            "POST /web/ingest",
            "GET /web/session-results/",
        ];
        assert_eq!(paths.len(), routes.len());
        assert!(routes.iter().zip(&paths).all(|(route, path)| path.starts_with(route)), "{paths:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_name_step_status_and_request() {
    let service = Service::start().await;
    let (gateway, url) = Gateway::start(&service).await;
    let (canary, _faults) = canary(&service, &secret(&service), &url).await;
    let steps = [
        (Step::Create, "POST /web/sessions"),
        (Step::Validate, "POST /validate"),
        (Step::Load, "GET /web/sessions/"),
        (Step::Ingest, "POST /web/ingest"),
        (Step::Results, "GET /web/session-results/"),
    ];
    for (step, route) in steps {
        for status in [307, 403, 503] {
            gateway.change(route, Change::Fail(status));
            let (outcome, metrics) = run(&canary).await;
            let expected = Failure {
                step,
                cause: "web_upstream_unavailable".to_owned(),
                status: Some(status),
                request_id: Some("an-id".to_owned()),
            };
            assert_eq!(failure(outcome), expected);
            assert_eq!(metrics.last(), Some(&("CanarySucceeded", 0.0)));
        }
    }
    let objects = [
        (Step::Upload, "GET /web/sessions/", "upload_url"),
        (Step::Manifest, "GET /web/session-results/", "manifest_url"),
    ];
    for (step, route, field) in objects {
        let nowhere = format!("{}/nothing/here", service.endpoint("S3"));
        gateway.change(route, Change::Set(field, nowhere.into()));
        let failed = failure(run(&canary).await.0);
        assert_eq!((failed.step, failed.cause.as_str()), (step, "refused"));
        assert!(failed.status.is_some_and(|status| status >= 400), "{failed:?}");
        gateway.change(route, Change::Set(field, "http://127.0.0.1:1/secret".into()));
        let failed = failure(run(&canary).await.0);
        assert_eq!((failed.step, failed.status), (step, None));
        assert!(!failed.cause.contains("secret"), "{failed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undocumented_response_fails_its_step() {
    let service = Service::start().await;
    let (gateway, url) = Gateway::start(&service).await;
    let (canary, _faults) = canary(&service, &secret(&service), &url).await;
    let cases = [
        ("POST /web/sessions", "token", json!("../../validate"), Step::Create, "the response has no valid token"),
        ("POST /validate", "valid", json!(false), Step::Validate, "the license is not valid"),
        ("GET /web/sessions/", "nonce", json!(1), Step::Load, "the response does not match openapi/web.yaml"),
        ("POST /web/ingest", "signed_image_base64", json!("*"), Step::Ingest, "the photo is not in base64"),
        ("GET /web/session-results/", "manifest_url", Value::Null, Step::Results, "the photo has no manifest"),
        (
            "GET /web/session-results/",
            "frame_hash_hex",
            json!("00"),
            Step::Results,
            "the results do not contain the photo",
        ),
    ];
    for (route, field, value, step, cause) in cases {
        gateway.change(route, Change::Set(field, value));
        let failed = failure(run(&canary).await.0);
        assert_eq!((failed.step, failed.cause.as_str()), (step, cause));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn detects_a_proof_of_another_frame() {
    let service = Service::start().await;
    let (gateway, url) = Gateway::start(&service).await;
    let (canary, _faults) = canary(&service, &secret(&service), &url).await;
    let cause_of = async |route, field, value: &str| {
        gateway.change(route, Change::Set(field, value.into()));
        let (outcome, metrics) = run(&canary).await;
        assert_eq!(metrics.last(), Some(&("CanarySucceeded", 0.0)));
        let failed = failure(outcome);
        assert_eq!(failed.step, Step::Verify);
        failed.cause
    };

    // A valid photo of another capture.
    let (token, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    let mut photo = answer.photo();
    let encoded = STANDARD.encode(&photo);
    assert_eq!(
        cause_of("POST /web/ingest", "signed_image_base64", &encoded).await,
        "the proof belongs to another frame"
    );
    let results = service.results(&token).await.ok();
    let manifest_url = results["photos"][0]["manifest_url"].as_str().unwrap();
    let cause = cause_of("GET /web/session-results/", "manifest_url", manifest_url).await;
    assert_eq!(cause, "the manifest is not the photo's");

    // Changes one bit of the image data.
    let in_image = photo.len() - 100;
    photo[in_image] ^= 1;
    let cause = cause_of("POST /web/ingest", "signed_image_base64", &STANDARD.encode(&photo)).await;
    assert!(cause.starts_with("these checks fail: ") && cause.contains("hashes agree"), "{cause}");
}

#[tokio::test(flavor = "multi_thread")]
async fn judges_signatures_by_the_secrets_roots() {
    let service = Service::start().await;
    let (_gateway, url) = Gateway::start(&service).await;
    let mut secret = secret(&service);
    secret["roots_pem"] = ICP_BRASIL.into();
    let (canary, _faults) = canary(&service, &secret, &url).await;
    let failed = failure(run(&canary).await.0);
    assert_eq!(failed, Failure { step: Step::Verify, cause: failed.cause.clone(), status: None, request_id: None });
    assert!(failed.cause.contains("claim certificate") && failed.cause.contains("seal certificate"), "{failed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_response_ends_the_run() {
    let service = Service::start().await;
    let (gateway, url) = Gateway::start(&service).await;
    gateway.change("GET /web/session-results/", Change::Hang);
    let (short, long) = (Duration::from_secs(5), Duration::from_secs(3600));
    // By the deadline of the request, and by that of the run.
    for deadlines in [Deadlines { request: short, run: long }, Deadlines { request: long, run: short }] {
        let (canary, _faults) = canary(&service, &secret(&service), &url).await;
        let failed = failure(run(&canary.with_deadlines(deadlines)).await.0);
        assert_eq!((failed.step, failed.cause.as_str()), (Step::Results, "no response in time"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_nothing_without_valid_keys() {
    let service = Service::start().await;
    let (gateway, url) = Gateway::start(&service).await;
    let (unset, _faults) = canary(&service, &json!({}), &url).await;
    let unchanged = (Outcome::NotSetUp, Vec::new());
    assert_eq!(run(&unset).await, unchanged);

    // Keys of another environment would make captures that count.
    let license_key =
        ("license_key", service.variable("LICENSE_KEY_STAGING"), "license_key is not a sandbox license key");
    let faulty = [
        license_key,
        ("api_key", "svc_api_0", "api_key is not a valid API key"),
        ("origin", "*", "origin is not a valid origin"),
        ("roots_pem", "", "roots_pem holds no roots"),
    ];
    for (field, value, cause) in faulty {
        let mut secret = secret(&service);
        secret[field] = value.into();
        let (canary, _faults) = canary(&service, &secret, &url).await;
        let (outcome, metrics) = run(&canary).await;
        assert_eq!(
            failure(outcome),
            Failure { step: Step::Keys, cause: cause.to_owned(), status: None, request_id: None }
        );
        assert_eq!(metrics, [("CanarySucceeded", 0.0)]);
    }

    let (canary, faults) = canary(&service, &secret(&service), &url).await;
    faults.always("GetSecretValue", Fault::Refuse);
    assert_eq!(failure(run(&canary).await.0).cause, "configuration: the secret cannot be read");
    assert!(gateway.paths.lock().unwrap().is_empty());
    // The next run uses a rotated key.
    faults.clear();
    assert_eq!(run(&canary).await.0, Outcome::Succeeded);
}
