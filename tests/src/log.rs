//! The transparency log in tests: a sequencer as on Lambda and the leaves that it gets, days that pass, and timestamp
//! authorities whose certificates expire.

use std::sync::Arc;

use axum::{Router, body::Bytes, extract::State, http::header, response::IntoResponse, routing::post};
use lacre_administration::LastingEvidence;
use lacre_domain::{Clock, Environment, EvidenceRecord, SessionId, Timestamping};
use lacre_proof_fixtures::authority::{Authority, NONE};
use lacre_revocation::Revocation;
use lacre_sequencer::Sequencer;
use lacre_storage::{Captures, Connection};
use lacre_transparency::LogKey;
use lacre_verify::{Anchors, BundleFile, LogEvidence, Report, Requirements, Revocations, check_with};
use serde_json::{Value, json};
use time::{Date, Duration, OffsetDateTime, Time};
use tokio::net::TcpListener;

use crate::{Service, TestClock};

const SANDBOX: Environment = Environment::Sandbox;

/// Days until the certificate of [`Authority::new`] expires.
pub const OLD_AUTHORITY_DAYS: i64 = 3 * 365;

/// A sequencer as on Lambda.
pub fn sequencer(service: &Service, config: lacre_storage::Config) -> Sequencer {
    let clock = Arc::clone(&service.clock) as Arc<dyn Clock>;
    Sequencer::new(&Connection::new(config).unwrap(), clock)
}

/// The stream event of these records.
pub fn event(captures: &[EvidenceRecord]) -> Value {
    let records: Vec<Value> = (1..).zip(captures).map(|(number, capture)| inserted(number, capture)).collect();
    json!({ "Records": records })
}

fn inserted(number: usize, capture: &EvidenceRecord) -> Value {
    let mut item: serde_dynamo::Item = serde_dynamo::to_item(capture.waiting_leaf().unwrap()).unwrap();
    let text = |text: String| serde_dynamo::AttributeValue::S(text);
    item.insert("v".into(), serde_dynamo::AttributeValue::N("1".into()));
    item.insert("pk".into(), text(format!("leaf#{}", capture.capture_id.as_str())));
    item.insert("sk".into(), text("leaf".into()));
    json!({
        "eventID": number.to_string(), "eventName": "INSERT", "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "sa-east-1", "eventSourceARN": "arn:aws:dynamodb:sa-east-1:000000000000:table/log/stream/1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1, "Keys": { "pk": item.get("pk"), "sk": item.get("sk") }, "NewImage": item,
            "SequenceNumber": number.to_string(), "SizeBytes": 1, "StreamViewType": "NEW_IMAGE",
        },
    })
}

/// Invokes the sequencer with an event of the stream.
pub async fn handle(sequencer: &Sequencer, event: Value) -> Result<(), lacre_sequencer::Error> {
    sequencer.handle(serde_json::from_value(event).unwrap(), &mut Vec::new()).await
}

/// Delivers a batch.
pub async fn deliver(sequencer: &Sequencer, captures: &[EvidenceRecord]) -> Result<(), lacre_sequencer::Error> {
    handle(sequencer, event(captures)).await
}

/// Adds the leaf of a capture to the log, of a service without streams.
pub async fn add_leaf(service: &Service, session_id: &str) {
    let capture = SessionId::parse(session_id).unwrap().capture_id();
    let record = Captures::new(service.connection()).read(&capture).await.unwrap().unwrap();
    deliver(&sequencer(service, service.config(|_| None)), &[record]).await.unwrap();
}

/// A timestamp authority with the clock of a service.
struct Served {
    authority: Authority,
    clock: Arc<TestClock>,
}

async fn answer(State(served): State<Arc<Served>>, query: Bytes) -> impl IntoResponse {
    let answer = served.authority.answer(&query, served.clock.now(), &NONE);
    ([(header::CONTENT_TYPE, "application/timestamp-reply")], answer)
}

/// Serves a timestamp authority, whose roots the sandbox's profile then trusts, and returns its URL and roots.
pub async fn serve(service: &Service, authority: Authority) -> (String, String) {
    let roots = authority.anchors_pem.clone();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/tsa", listener.local_addr().unwrap());
    let served = Arc::new(Served { authority, clock: Arc::clone(&service.clock) });
    let router = Router::new().route("/tsa", post(answer)).with_state(served);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let trust = |timestamps: &mut Option<Timestamping>| timestamps.as_mut().unwrap().roots_pem.push_str(&roots);
    service.change_timestamps(SANDBOX, trust).await;
    (url, roots)
}

/// Has the sandbox's timestamps come from an authority whose certificate expires in three years; that of the local
/// service's expires in six. Returns its roots too.
pub async fn with_old_authority(service: Service) -> (Service, String) {
    let (url, roots) = serve(&service, Authority::new()).await;
    with_authorities(&service, &[&url]).await;
    (service, roots)
}

/// From now on the sandbox's timestamps are of these authorities.
pub async fn with_authorities(service: &Service, urls: &[&str]) {
    let urls: Vec<_> = urls.iter().map(|url| (*url).to_owned()).collect();
    service.change_timestamps(SANDBOX, |timestamps| timestamps.as_mut().unwrap().authorities = urls).await;
}

/// From now on the timestamps are of the local service's authority.
pub async fn with_new_authority(service: &Service) {
    with_authorities(service, &[service.variable("TSA_URL")]).await;
}

/// Runs the sequencer's schedule that many days after the first day, at the hour of renewals.
pub async fn run_on(service: &Service, sequencer: &Sequencer, first: Date, days: i64) -> Result<String, String> {
    let then = (first + Duration::days(days)).with_time(Time::from_hms(3, 20, 0).unwrap()).assume_utc();
    service.clock.advance(then - service.clock.now());
    let mut metrics = Vec::new();
    let outcome = sequencer.date(&mut metrics).await;
    let metrics = String::from_utf8(metrics).unwrap();
    outcome.map(|()| metrics).map_err(|error| error.to_string())
}

/// Runs the schedule of `revocation` once. Returns whether an OCSP response is stale, a bundle late and a certificate
/// revoked.
pub async fn ask_authorities(service: &Service) -> [bool; 3] {
    let revocation = Revocation::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>);
    let mut metrics = Vec::new();
    revocation.run(&mut metrics).await.unwrap();
    let lines = String::from_utf8(metrics).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_counted = |metric: &str| lines.iter().filter_map(|line| line[metric].as_u64()).max().unwrap() == 1;
    ["RevocationStale", "BundleLate", "SignerRevoked"].map(is_counted)
}

/// Verifies the photo with its evidence; without a record if that is empty.
pub fn judged(
    service: &Service,
    jpeg: &[u8],
    evidence: &LastingEvidence,
    anchors: &Anchors,
    at: OffsetDateTime,
) -> Report {
    let key: LogKey = service.variable("LOG_KEY").parse().unwrap();
    let log = LogEvidence {
        records: [Some(&evidence.evidence_record), evidence.second_evidence_record.as_ref()]
            .into_iter()
            .flatten()
            .filter(|record| !record.is_empty())
            .cloned()
            .collect(),
        bundles: evidence.bundles.iter().map(|(_, bundle)| BundleFile::parse(bundle).unwrap()).collect(),
        ..LogEvidence::new(evidence.transparency_proof.clone().into_bytes(), key)
    };
    let mut revocations = Revocations::default();
    log.bundles.iter().for_each(|file| revocations.add_bundle(&file.bundle).unwrap());
    let requirements = Requirements { log: Some(log), ..Requirements::of(SANDBOX) };
    check_with(jpeg, anchors, &revocations, &requirements, at).report
}
