//! Tests the index of fingerprints and the lookups while AWS fails: a capture is indexed in the end, a lookup finds it or
//! is refused, and evidence and dossiers are whole or refused.

use std::sync::Arc;

use aws_lambda_events::dynamodb::Event;
use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::{StreamExt, stream};
use lacre_api::Refusal;
use lacre_domain::{Clock, Environment, Fingerprint, SessionId, SessionToken, StoreAssetPolicy};
use lacre_dossiers::Dossiers;
use lacre_find_proof::FindProof;
use lacre_http::{Body, Endpoint, Request};
use lacre_prints::IndexPrints;
use lacre_storage::{Captures, Connection, TimeBudgets};
use lacre_tests::{Fault, Faults, Service, Storage, customer::Customer, log, scene};
use lambda_http::{RequestExt, http};
use serde_json::{Value, json};

use crate::expected::faults_of;

const SIDE_BY_SIDE: usize = 8;
/// The calls of `prints` for the first capture of a client's environment.
const INDEXING: [&str; 5] =
    ["GetItem evidence", "GetItem prints key", "GenerateDataKey", "PutItem prints key", "BatchWriteItem prints"];

/// A connection through proxies that can inject faults.
async fn behind(faults: &Faults, service: &Service) -> Connection {
    Connection::new(lacre_storage::Config { budgets: TimeBudgets::PRODUCTION, ..faults.config(service) }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_capture_is_indexed_in_the_end() {
    let service = Service::start().await;
    let strikes = INDEXING.iter().flat_map(|call| faults_of(call).into_iter().map(move |fault| (*call, fault)));
    let strikes: Vec<_> = strikes.collect();
    let outcomes = stream::iter(&strikes).map(|strike| index(&service, *strike)).buffer_unordered(SIDE_BY_SIDE);
    let wrong: Vec<String> = outcomes.filter_map(async |outcome| outcome.err()).collect().await;
    assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), strikes.len(), wrong.join("\n"));
}

async fn index(service: &Service, (call, fault): (&str, Fault)) -> Result<(), String> {
    let customer = scene::customer(service, StoreAssetPolicy::Always).await;
    let opened = customer.open().await;
    let submission = customer.upload(&opened, &scene::photo(fastrand::u64(..))).await;
    customer.ingest(&submission).await.ok();
    let id = SessionToken::parse(&opened.token).unwrap().session_id(1).capture_id();
    let storage = Storage::of(service);
    let item = storage.item("PERSONAL_TABLE", &[("pk", &format!("personal#{}", id.as_str()))]).await.unwrap();
    let image = |name: &str| event(name, &item);

    let faults = Faults::before(service).await;
    let clock = Arc::clone(&service.clock) as Arc<dyn Clock>;
    let function = IndexPrints::new(&behind(&faults, service).await, clock);
    faults.strike(call, 1, usize::MAX, fault);
    let first = function.follow(image("NewImage")).await;
    if faults.clear() == 0 {
        return Err(format!("{call} {fault:?} was injected nowhere"));
    }
    faults.let_late_calls_in().await;
    // A failed batch is redelivered, and a successful one may be.
    function.follow(image("NewImage")).await.map_err(|error| format!("{call} {fault:?}: {error} after {first:?}"))?;
    let entries = || async {
        let items = storage.items("PRINTS_TABLE").await;
        items.iter().filter(|entry| entry["sk"].as_s().is_ok_and(|sk| sk == id.as_str())).count()
    };
    match entries().await {
        17 => {}
        others => return Err(format!("{call} {fault:?}: {others} entries")),
    }
    faults.strike("BatchWriteItem prints", 1, usize::MAX, fault);
    let _ = function.follow(image("OldImage")).await;
    faults.clear();
    faults.let_late_calls_in().await;
    function.follow(image("OldImage")).await.map_err(|error| format!("{call} {fault:?}: {error}"))?;
    match entries().await {
        0 => Ok(()),
        others => Err(format!("{call} {fault:?}: {others} entries after the erasure")),
    }
}

/// An event of the stream with an image of a personal item.
fn event(name: &str, item: &std::collections::HashMap<String, aws_sdk_dynamodb::types::AttributeValue>) -> Event {
    let image = serde_json::to_value(serde_dynamo::Item::from(item.clone())).unwrap();
    let event = json!({ "Records": [{
        "eventID": "1", "eventName": "INSERT", "awsRegion": "sa-east-1",
        "dynamodb": { "ApproximateCreationDateTime": 1, "Keys": {}, "SequenceNumber": "1", "SizeBytes": 1, name: image },
    }] });
    serde_json::from_value(event).unwrap()
}

/// A capture, and the ways that lead to it.
#[derive(Default)]
struct Target {
    session_id: String,
    code: String,
    cropped: Vec<u8>,
    manifest_id: String,
    manifest: Vec<u8>,
    /// The response about its evidence, or about its dossier.
    evidence: Vec<u8>,
}

/// What is asked for a capture.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// The captures with its code.
    Code,
    /// The captures that a cropped copy may show.
    Cropped,
    /// Its manifest.
    Manifest,
    /// Its evidence.
    Evidence,
    /// The days whose evidence was renewed.
    Renewed,
    /// A dossier with it.
    Dossier,
}

/// A question, and the call that fails: its name, its number, how often, and how.
type Strike = (Question, String, usize, usize, Fault);

/// Captures a photo whose original is stored, and waits until it is indexed.
async fn captured(service: &Service, owner: &Customer<'_>) -> Target {
    let opened = owner.open().await;
    let submission = owner.upload(&opened, &scene::photo(1)).await;
    let ingested = owner.ingest(&submission).await.ok();
    scene::indexed(service, 18).await;
    let id = SessionToken::parse(&opened.token).unwrap().session_id(1).capture_id();
    let item =
        Storage::of(service).item("PERSONAL_TABLE", &[("pk", &format!("personal#{}", id.as_str()))]).await.unwrap();
    let text = |name: &str| item[name].as_s().unwrap().clone();
    let code: Fingerprint = serde_json::from_value(text("fingerprint").into()).unwrap();
    Target {
        session_id: ingested["session_id"].as_str().unwrap().to_owned(),
        code: STANDARD.encode(code.soft_binding_value()),
        cropped: scene::cropped(1),
        manifest_id: text("manifest_id"),
        manifest: service.fetch(ingested["manifest_url"].as_str().unwrap()).await.1,
        evidence: Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_band_is_read_twice() {
    let service = scene::service().await;
    let owner = scene::customer(&service, StoreAssetPolicy::Always).await;
    let unknown = Fingerprint::from_bytes([7; 32]);
    let target = Target { code: STANDARD.encode(unknown.soft_binding_value()), ..captured(&service, &owner).await };
    let asked = Asked::new(&service, &owner, &target, Question::Code).await;
    assert_eq!(asked.ask().await, (200, br#"{"matches":[]}"#.to_vec()));
    let queries = asked.faults.take_calls().iter().filter(|call| call.starts_with("Query ")).count();
    assert_eq!(queries, 16 + 16 * 16, "the code's bands, and those that differ in one bit");
}

#[tokio::test(flavor = "multi_thread")]
async fn lookups_find_or_are_refused() {
    let service = scene::service().await;
    let owner = scene::customer(&service, StoreAssetPolicy::Always).await;
    let target = captured(&service, &owner).await;
    let mut strikes = Vec::new();
    for question in [Question::Code, Question::Manifest] {
        for (call, nth) in calls_of(&service, &owner, &target, question).await {
            for fault in faults_of(&call) {
                strikes.extend([1, usize::MAX].map(|times| (question, call.clone(), nth, times, fault)));
            }
        }
    }
    let outcomes =
        stream::iter(&strikes).map(|strike| look_up(&service, &owner, &target, strike)).buffer_unordered(SIDE_BY_SIDE);
    let wrong: Vec<String> = outcomes.filter_map(async |outcome| outcome.err()).collect().await;
    assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), strikes.len(), wrong.join("\n"));
}

/// Captures a photo whose timestamp was renewed.
async fn renewed(service: &Service, owner: &Customer<'_>) -> Target {
    let sequencer = log::sequencer(service, service.config(|_| None));
    let ingested = owner.capture(&scene::photo(2)).await.ok();
    let session_id = ingested["session_id"].as_str().unwrap().to_owned();
    let capture = SessionId::parse(&session_id).unwrap().capture_id();
    let record = Captures::new(service.connection()).read(&capture).await.unwrap().unwrap();
    log::deliver(&sequencer, &[record]).await.unwrap();
    let first = service.clock.now().date().next_day().unwrap();
    log::run_on(service, &sequencer, first, 0).await.unwrap();
    log::with_new_authority(service).await;
    log::run_on(service, &sequencer, first, log::OLD_AUTHORITY_DAYS - 100).await.unwrap();
    Target { session_id, ..Target::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn evidence_is_whole_or_refused() {
    let (service, _) = log::with_old_authority(Service::start().await).await;
    let owner = scene::customer(&service, StoreAssetPolicy::Never).await;
    let target = renewed(&service, &owner).await;
    all_or_nothing(&service, &owner, target, &[Question::Evidence, Question::Renewed]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dossiers_are_whole_or_refused() {
    let service = Service::start().await;
    let owner = scene::customer(&service, StoreAssetPolicy::Always).await;
    let ingested = owner.capture(&scene::photo(3)).await.ok();
    log::add_leaf(&service, ingested["session_id"].as_str().unwrap()).await;
    all_or_nothing(&service, &owner, Target::default(), &[Question::Dossier]).await;
}

/// Asks each question while each of its calls fails.
async fn all_or_nothing(service: &Service, owner: &Customer<'_>, mut target: Target, questions: &[Question]) {
    for &question in questions {
        let (status, whole) = Asked::new(service, owner, &target, question).await.ask().await;
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&whole));
        target.evidence = whole;
        let mut strikes = Vec::new();
        for (call, nth) in calls_of(service, owner, &target, question).await {
            for fault in faults_of(&call) {
                strikes.extend([1, usize::MAX].map(|times| (question, call.clone(), nth, times, fault)));
            }
        }
        let outcomes = stream::iter(&strikes).map(|strike| look_up(service, owner, &target, strike));
        let outcomes = outcomes.buffer_unordered(SIDE_BY_SIDE);
        let wrong: Vec<String> = outcomes.filter_map(async |outcome| outcome.err()).collect().await;
        assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), strikes.len(), wrong.join("\n"));
    }
}

/// One at a time, because each of these lookups makes hundreds of queries.
#[tokio::test(flavor = "multi_thread")]
async fn an_unread_original_is_no_answer() {
    let service = scene::service().await;
    let owner = scene::customer(&service, StoreAssetPolicy::Always).await;
    let target = captured(&service, &owner).await;
    for (call, fault) in [
        ("GetObject proofs jpg", Fault::Garble),
        ("GetObject proofs jpg", Fault::Refuse),
        ("GetItem evidence", Fault::Refuse),
    ] {
        let asked = Asked::new(&service, &owner, &target, Question::Cropped).await;
        asked.faults.always(call, fault);
        assert_eq!(asked.ask().await.0, Refusal::UpstreamUnavailable.status(), "{call} {fault:?}");
        assert_eq!(asked.faults.clear(), 1, "{call} {fault:?}");
        let again = asked.ask().await;
        assert!(asked.is_found(&again), "{call} {fault:?}: {} {}", again.0, String::from_utf8_lossy(&again.1));
    }
}

/// The calls for a question without faults, each with its number among those of its name. Of the queries, which are made
/// side by side, only the first and the last.
async fn calls_of(
    service: &Service,
    owner: &Customer<'_>,
    target: &Target,
    question: Question,
) -> Vec<(String, usize)> {
    let asked = Asked::new(service, owner, target, question).await;
    asked.faults.take_calls();
    let answer = asked.ask().await;
    assert!(asked.is_found(&answer), "{question:?}: {} {}", answer.0, String::from_utf8_lossy(&answer.1));
    let calls = asked.faults.take_calls();
    let numbered = calls.iter().enumerate().map(|(i, call)| {
        let nth = calls[..=i].iter().filter(|earlier| *earlier == call).count();
        let all = calls.iter().filter(|other| *other == call).count();
        (call.clone(), nth, all)
    });
    numbered.filter(|(_, nth, all)| nth == all || *nth == 1).map(|(call, nth, _)| (call, nth)).collect()
}

/// A function behind proxies, and its request with an API key that no other request uses.
struct Asked<'a> {
    faults: Faults,
    function: FindProof,
    dossiers: Dossiers,
    key: String,
    target: &'a Target,
    question: Question,
}

impl<'a> Asked<'a> {
    async fn new(service: &Service, owner: &Customer<'_>, target: &'a Target, question: Question) -> Self {
        let keys = service.administration().api_keys;
        let key = keys.issue(&owner.client_id, Environment::Sandbox, "lookup").await.unwrap().api_key;
        lacre_tests::journal::remember(&key);
        let faults = Faults::before(service).await;
        let (clock, connection) = (|| Arc::clone(&service.clock) as Arc<dyn Clock>, behind(&faults, service).await);
        let (function, dossiers) = (FindProof::new(&connection, clock()), Dossiers::new(&connection, clock()));
        Self { function, dossiers, faults, key, target, question }
    }

    async fn ask(&self) -> (u16, Vec<u8>) {
        let request = match self.question {
            Question::Code => by_binding(&self.key, &self.target.code),
            Question::Cropped => by_content(&self.key, &self.target.cropped),
            Question::Manifest => of_manifest(&self.key, &self.target.manifest_id),
            Question::Evidence => of_evidence(&self.key, &self.target.session_id),
            Question::Renewed => of_renewed(&self.key),
            Question::Dossier => {
                let response = Box::pin(self.dossiers.handle(of_dossier(&self.key))).await;
                return (response.status().as_u16(), response.body().to_vec());
            }
        };
        let response = Box::pin(self.function.handle(request)).await;
        (response.status().as_u16(), response.body().to_vec())
    }

    /// Whether the response has what was asked for.
    fn is_found(&self, (status, body): &(u16, Vec<u8>)) -> bool {
        let names_it = |body: Value| body["matches"][0]["manifestId"] == *self.target.manifest_id;
        let has_it = match self.question {
            Question::Code | Question::Cropped => serde_json::from_slice(body).is_ok_and(names_it),
            Question::Manifest => *body == self.target.manifest,
            Question::Evidence | Question::Renewed => without_urls(body) == without_urls(&self.target.evidence),
            Question::Dossier => is_like(body, &self.target.evidence),
        };
        *status == 200 && has_it
    }
}

/// A response with evidence, without the URLs of its bundles, which are signed anew for each.
fn without_urls(body: &[u8]) -> Value {
    let mut body: Value = serde_json::from_slice(body).unwrap_or_default();
    for bundle in body["bundles"].as_array_mut().into_iter().flatten() {
        bundle.as_object_mut().and_then(|bundle| bundle.remove("url"));
    }
    body
}

/// Whether a dossier has as many photos as another one, and about as many bytes: signatures and times of both differ.
fn is_like(body: &[u8], other: &[u8]) -> bool {
    let [this, other] = [body, other].map(|body| serde_json::from_slice::<Value>(body).unwrap_or_default());
    let [bytes, others] = [&this, &other].map(|body| body["bytes"].as_i64().unwrap_or_default());
    this["photos"] == 1 && (bytes - others).abs() < 64
}

async fn look_up(service: &Service, owner: &Customer<'_>, target: &Target, strike: &Strike) -> Result<(), String> {
    let (question, call, nth, times, fault) = strike;
    let asked = Asked::new(service, owner, target, *question).await;
    asked.faults.strike(call, *nth, *times, *fault);
    let first = asked.ask().await;
    if asked.faults.clear() == 0 {
        return Err(format!("{strike:?} was injected nowhere"));
    }
    asked.faults.let_late_calls_in().await;
    let is_of_signer = String::from_utf8_lossy(&first.1).contains("web_signer_");
    if !asked.is_found(&first) && first.0 != Refusal::UpstreamUnavailable.status() && !is_of_signer {
        return Err(format!("{strike:?}: {} {}", first.0, String::from_utf8_lossy(&first.1)));
    }
    let again = asked.ask().await;
    asked.faults.close();
    if asked.is_found(&again) { Ok(()) } else { Err(format!("{strike:?}: then {}", again.0)) }
}

fn by_binding(key: &str, value: &str) -> Request {
    let body = json!({ "alg": "io.iscc.v0", "value": value }).to_string();
    let request = http::Request::post("/c2pa/v1/matches/byBinding").header("authorization", format!("Bearer {key}"));
    request.body(Body::Text(body)).unwrap().with_raw_http_path("/c2pa/v1/matches/byBinding")
}

fn of_dossier(key: &str) -> Request {
    let request = http::Request::post("/dossiers").header("authorization", format!("Bearer {key}"));
    request.body(Body::Text(json!({ "reference_id": "sinistro-42" }).to_string())).unwrap()
}

fn by_content(key: &str, copy: &[u8]) -> Request {
    let request = http::Request::post("/c2pa/v1/matches/byContent").header("authorization", format!("Bearer {key}"));
    let request = request.header("content-type", "image/jpeg").body(Body::Binary(copy.to_vec())).unwrap();
    request.with_raw_http_path("/c2pa/v1/matches/byContent")
}

fn of_manifest(key: &str, id: &str) -> Request {
    let request = http::Request::get("/").header("authorization", format!("Bearer {key}"));
    let parameters: std::collections::HashMap<String, String> = [("manifest_id".to_owned(), id.to_owned())].into();
    let request = request.body(Body::Empty).unwrap().with_path_parameters(parameters);
    request.with_raw_http_path(format!("/c2pa/v1/manifests/{id}"))
}

fn of_evidence(key: &str, session_id: &str) -> Request {
    let request = http::Request::get("/").header("authorization", format!("Bearer {key}"));
    let parameters: std::collections::HashMap<String, String> =
        [("session_id".to_owned(), session_id.to_owned())].into();
    let request = request.body(Body::Empty).unwrap().with_path_parameters(parameters);
    request.with_raw_http_path(format!("/evidence/{session_id}"))
}

fn of_renewed(key: &str) -> Request {
    let request = http::Request::get("/").header("authorization", format!("Bearer {key}"));
    let parameters: std::collections::HashMap<String, String> = [("since".to_owned(), "2026-11-30".to_owned())].into();
    request.body(Body::Empty).unwrap().with_query_string_parameters(parameters).with_raw_http_path("/evidence")
}
