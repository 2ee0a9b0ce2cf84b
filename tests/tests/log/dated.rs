//! Tests the checkpoint of each day: made once, cosigned by witnesses, and timestamped; `openssl` verifies the
//! timestamp.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use lacre_administration::LogAdministration;
use lacre_domain::{Clock, Environment, NamedTerms, Sha256Digest};
use lacre_sequencer::Sequencer;
use lacre_tests::{
    Fault, Faults, Service, Storage,
    authority::{Authority, Behavior},
    customer::Customer,
    frame,
    openssl::Bench,
    operator::caller,
    vault::{CUSTODIAN, capture_id},
};
use lacre_transparency::{LogKey, LogProof, SignedNote, WitnessKey};
use signed_note::{Note, StandardVerifier, VerifierList};
use time::Date;
use tlog_tiles::{
    checkpoint::Checkpoint,
    tlog::{Hash, check_tree},
};
use tokio::{net::TcpListener, task::AbortHandle};

use crate::{captures, deliver, event, handle, public::Public, sequencer};

const SANDBOX: Environment = Environment::Sandbox;

/// What a witness does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conduct {
    Honest,
    /// Signs with another key.
    Foreign,
    /// Signs another text.
    Wrong,
    Hangs,
    /// Claims to know a larger tree.
    Ahead,
    Garbage,
    /// Returns a hundred signatures.
    Often,
    /// Refuses for an impossible reason.
    Refuses,
}

/// A C2SP `tlog-witness` that knows the log's key and the last tree that it cosigned.
struct Witness {
    name: &'static str,
    key: SigningKey,
    log_key: String,
    clock: Arc<lacre_tests::TestClock>,
    conduct: Mutex<Conduct>,
    known: Mutex<(u64, Hash)>,
    asked: Mutex<Vec<u16>>,
}

/// A running witness.
struct Running {
    witness: Arc<Witness>,
    address: String,
    server: AbortHandle,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Running {
    async fn start(service: &Service, name: &'static str, seed: u8) -> Self {
        let witness = Arc::new(Witness {
            name,
            key: SigningKey::from_bytes(&[seed; 32]),
            log_key: service.variable("LOG_KEY").to_owned(),
            clock: Arc::clone(&service.clock),
            conduct: Mutex::new(Conduct::Honest),
            known: Mutex::new((0, Hash([0; 32]))),
            asked: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/w", listener.local_addr().unwrap());
        let router = Router::new().route("/w/add-checkpoint", post(add_checkpoint)).with_state(Arc::clone(&witness));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() }).abort_handle();
        Self { witness, address, server }
    }

    fn conduct(&self, conduct: Conduct) {
        *self.witness.conduct.lock().unwrap() = conduct;
    }

    fn take_asked(&self) -> Vec<u16> {
        std::mem::take(&mut self.witness.asked.lock().unwrap())
    }

    fn configured(&self) -> String {
        format!("{} {}", self.witness.verifier_key(), self.address)
    }
}

impl Witness {
    fn id(&self) -> [u8; 4] {
        let key = [&[4], self.key.verifying_key().as_bytes().as_slice()].concat();
        let hash = Sha256Digest::of(&[format!("{}\n", self.name).as_bytes(), &key].concat());
        hash.as_bytes()[..4].try_into().unwrap()
    }

    fn verifier_key(&self) -> String {
        let key = [&[4], self.key.verifying_key().as_bytes().as_slice()].concat();
        format!("{}+{:08x}+{}", self.name, u32::from_be_bytes(self.id()), BASE64_STANDARD.encode(key))
    }

    /// Status, content type and content of a response.
    fn answer(&self, body: &str) -> (u16, &'static str, String) {
        let (head, note) = body.split_once("\n\n").unwrap();
        let mut lines = head.lines();
        let old: u64 = lines.next().unwrap().strip_prefix("old ").unwrap().parse().unwrap();
        let proof = lines.map(|line| Hash(BASE64_STANDARD.decode(line).unwrap().try_into().unwrap())).collect();
        let known_log = VerifierList::new(vec![Box::new(StandardVerifier::new(&self.log_key).unwrap())]);
        let note = Note::from_bytes(note.as_bytes()).unwrap();
        if note.verify(&known_log).is_err() {
            return (403, "text/plain", String::new());
        }
        let checkpoint = Checkpoint::from_bytes(note.text()).unwrap();
        if checkpoint.origin() != self.log_key.split('+').next().unwrap() {
            return (404, "text/plain", String::new());
        }
        if *self.conduct.lock().unwrap() == Conduct::Refuses {
            return (422, "text/plain", String::new());
        }
        let mut known = self.known.lock().unwrap();
        if *self.conduct.lock().unwrap() == Conduct::Ahead {
            return (409, "text/x.tlog.size", format!("{}\n", checkpoint.size() + 1));
        }
        if old != known.0 {
            return (409, "text/x.tlog.size; charset=utf-8", format!("{}\n", known.0));
        }
        let is_same = old == checkpoint.size() && known.1 == *checkpoint.hash();
        if old > 0 && !is_same && check_tree(&proof, checkpoint.size(), *checkpoint.hash(), old, known.1).is_err() {
            return (422, "text/plain", String::new());
        }
        *known = (checkpoint.size(), *checkpoint.hash());
        let now = u64::try_from(self.clock.now().unix_timestamp()).unwrap();
        let times = if *self.conduct.lock().unwrap() == Conduct::Often { now - 100..=now } else { now..=now };
        (200, "text/plain", times.map(|time| self.cosignature(note.text(), time)).collect())
    }

    fn cosignature(&self, text: &[u8], time: u64) -> String {
        let conduct = *self.conduct.lock().unwrap();
        let text = if conduct == Conduct::Wrong { b"another\n" } else { text };
        let message = [format!("cosignature/v1\ntime {time}\n").as_bytes(), text].concat();
        let key = if conduct == Conduct::Foreign { &SigningKey::from_bytes(&[99; 32]) } else { &self.key };
        let signature = [time.to_be_bytes().as_slice(), &key.sign(&message).to_bytes()].concat();
        let line = [self.id().as_slice(), &signature].concat();
        format!("\u{2014} {} {}\n", self.name, BASE64_STANDARD.encode(line))
    }
}

async fn add_checkpoint(State(witness): State<Arc<Witness>>, body: String) -> Response {
    let conduct = *witness.conduct.lock().unwrap();
    if conduct == Conduct::Hangs {
        witness.asked.lock().unwrap().push(0);
        std::future::pending::<()>().await;
    }
    let (status, kind, content) = match conduct {
        Conduct::Garbage => (200, "text/plain", "no signature".to_owned()),
        _ => witness.answer(&body),
    };
    witness.asked.lock().unwrap().push(status);
    (StatusCode::from_u16(status).unwrap(), [(header::CONTENT_TYPE, kind)], content).into_response()
}

fn with_witnesses(service: &Service, witnesses: &[&Running]) -> Sequencer {
    let list = witnesses.iter().map(|witness| witness.configured()).collect::<Vec<_>>().join(", ");
    sequencer(service, service.config(|name| (name == "LOG_WITNESSES").then(|| list.clone())))
}

async fn date(sequencer: &Sequencer) -> Result<(), lacre_sequencer::Error> {
    sequencer.date(&mut Vec::new()).await
}

/// The metrics that a dating counts.
async fn counted(sequencer: &Sequencer) -> Vec<&'static str> {
    let mut metrics = Vec::new();
    let _ = sequencer.date(&mut metrics).await;
    let metrics = String::from_utf8(metrics).unwrap();
    let known = ["LogContradicted", "LogUndated"].into_iter();
    known.filter(|name| metrics.lines().any(|line| line.contains(&format!("\"{name}\":1")))).collect()
}

fn today(service: &Service) -> Date {
    service.clock.now().date()
}

async fn dated(service: &Service, day: Date) -> Option<lacre_storage::DatedCheckpoint> {
    lacre_storage::LogFiles::new(service.connection()).dated(SANDBOX, day).await.unwrap()
}

/// Number of leaves in a day's checkpoint.
async fn size(service: &Service, day: Date) -> u64 {
    let note = dated(service, day).await.unwrap().note;
    service.variable("LOG_KEY").parse::<LogKey>().unwrap().verify(&note).unwrap().size
}

#[tokio::test]
async fn days_have_one_timestamped_checkpoint() {
    let service = Service::start().await;
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    let sequencer = sequencer(&service, service.config(|_| None));
    date(&sequencer).await.unwrap();
    assert_eq!((dated(&service, today(&service)).await, authority.take_asked()), (None, 0), "there is no leaf yet");

    let all = captures(5);
    deliver(&sequencer, &all[..2]).await.unwrap();
    let first = today(&service);
    date(&sequencer).await.unwrap();
    deliver(&sequencer, &all[2..3]).await.unwrap();
    date(&sequencer).await.unwrap();
    let checkpoint = dated(&service, first).await.unwrap();
    assert_eq!((size(&service, first).await, authority.take_asked()), (2, 1), "the first of the day is the day's");

    // Anyone can read it and verify it with independent tools.
    let bench = Bench::open();
    let url = format!("{}/dated/{first}", service.variable("LOG_URL"));
    let (status, note) = service.fetch(&format!("{url}/checkpoint")).await;
    assert_eq!((status, String::from_utf8(note).unwrap()), (200, checkpoint.note.to_string()));
    let (status, token) = service.fetch(&format!("{url}/timestamp")).await;
    assert_eq!((status, Some(&token)), (200, checkpoint.timestamp.as_ref()));
    bench.write("token.tst", &token);
    bench.write("roots.pem", service.trust_anchors());
    bench.write("text", &checkpoint.note.text);
    bench.openssl("ts -verify -token_in -in token.tst -data text -CAfile roots.pem", &[]);
    bench.openssl("ts -reply -token_in -in token.tst -text", &[]);

    service.clock.advance(time::Duration::days(1));
    deliver(&sequencer, &all[3..]).await.unwrap();
    date(&sequencer).await.unwrap();
    assert_eq!((size(&service, first).await, size(&service, first.next_day().unwrap()).await), (2, 5));
    Public::new(&service).audit(&all).await;
}

#[tokio::test]
async fn the_next_run_repeats_failures() {
    let service = Service::start().await;
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    let config = lacre_storage::Config {
        budgets: lacre_storage::TimeBudgets {
            timestamp_attempt: Duration::from_millis(200),
            ..service.config(|_| None).budgets
        },
        ..service.config(|_| None)
    };
    let sequencer = sequencer(&service, config);
    let all = captures(3);
    deliver(&sequencer, &all[..2]).await.unwrap();
    for behavior in [Behavior::ServiceUnavailable, Behavior::Hangs, Behavior::Forges, Behavior::Garbage] {
        authority.set_behavior(behavior);
        let error = date(&sequencer).await.unwrap_err().to_string();
        assert!(error.starts_with("no timestamp for the log: http://127.0.0.1"), "{error}");
        assert_eq!(dated(&service, today(&service)).await.unwrap().timestamp, None);
    }
    deliver(&sequencer, &all[2..]).await.unwrap();
    authority.set_behavior(Behavior::Honest);
    date(&sequencer).await.unwrap();
    assert!(dated(&service, today(&service)).await.unwrap().timestamp.is_some());
    assert_eq!(size(&service, today(&service)).await, 2, "the checkpoint that was the day's before");

    // Unreadable profiles neither block the day's checkpoint nor go unreported.
    service.clock.advance(time::Duration::days(1));
    let doors = Faults::before(&service).await;
    let blind = crate::sequencer(&service, doors.config(&service));
    doors.always("BatchGetItem accounts", Fault::Refuse);
    assert_eq!(counted(&blind).await, ["LogUndated"]);
    assert_eq!(dated(&service, today(&service)).await.unwrap().timestamp, None);

    // Without authorities there is no timestamp and no error.
    service.change_timestamps(SANDBOX, |timestamps| *timestamps = None).await;
    service.clock.advance(time::Duration::days(1));
    date(&sequencer).await.unwrap();
    assert_eq!(dated(&service, today(&service)).await.unwrap().timestamp, None);
}

/// Each call of a dating fails in each way; the next run completes the day, which has a single checkpoint.
#[tokio::test(flavor = "multi_thread")]
async fn dating_survives_faults_of_each_call() {
    let service = Service::start().await;
    let doors = Faults::before(&service).await;
    let failing = sequencer(&service, doors.config(&service));
    let healthy = sequencer(&service, service.config(|_| None));
    deliver(&healthy, &captures(2)).await.unwrap();
    date(&healthy).await.unwrap();
    // Not the hour of the renewals.
    let noon = (service.clock.now().date() + time::Duration::days(1)).with_hms(12, 0, 0).unwrap().assume_utc();
    service.clock.advance(noon - service.clock.now());
    date(&failing).await.unwrap();
    let calls: BTreeSet<_> = doors.take_calls().into_iter().collect();
    let expected = [
        "BatchGetItem accounts profile",
        "GetItem log head",
        "GetObject log checkpoint",
        "GetObject log dated",
        "GetObject log mark",
        "GetObject log timestamp",
        "GetPublicKey",
        "PutObject log dated",
        "PutObject log timestamp",
    ];
    assert_eq!(calls.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    // The key is read once per process.
    for call in expected.into_iter().filter(|call| *call != "GetPublicKey") {
        for fault in [Fault::Refuse, Fault::ServerError, Fault::Cut, Fault::LoseAnswer, Fault::Garble] {
            service.clock.advance(time::Duration::days(1));
            doors.strike(call, 1, 10, fault);
            let outcome = date(&failing).await;
            assert!(doors.injected() > 0, "{call}");
            doors.clear();
            deliver(&healthy, &captures(1)).await.unwrap();
            let begun = dated(&service, today(&service)).await.map(|dated| dated.note.text);
            date(&failing).await.unwrap();
            let done = dated(&service, today(&service)).await.unwrap();
            assert!(done.timestamp.is_some(), "{call} {fault:?} {outcome:?}");
            assert!(begun.is_none_or(|begun| begun == done.note.text), "{call} {fault:?}");
        }
    }
}

#[tokio::test]
async fn witnesses_cosign_consistent_checkpoints() {
    let service = Service::start().await;
    let (one, other) =
        (Running::start(&service, "one.example/w", 1).await, Running::start(&service, "other.example", 2).await);
    let sequencer = with_witnesses(&service, &[&one, &other]);
    let mut all = captures(2);
    deliver(&sequencer, &all).await.unwrap();
    // A note holds at most 64 signatures: one of each witness is kept.
    one.conduct(Conduct::Often);
    assert_eq!(counted(&sequencer).await, Vec::<&str>::new());
    assert_eq!((one.take_asked(), other.take_asked()), (vec![200], vec![200]));
    one.conduct(Conduct::Honest);
    date(&sequencer).await.unwrap();
    assert_eq!(one.take_asked(), Vec::<u16>::new(), "nobody is asked twice");

    // Days with and without new leaves: witnesses report the size that they know, and get a proof from there.
    for more in [0, 300, 1] {
        service.clock.advance(time::Duration::days(1));
        let new = captures(more);
        if more > 0 {
            deliver(&sequencer, &new).await.unwrap();
        }
        all.extend(new);
        date(&sequencer).await.unwrap();
        assert_eq!((one.take_asked(), other.take_asked()), (vec![409, 200], vec![409, 200]), "{more}");
        let note = dated(&service, today(&service)).await.unwrap().note;
        assert_eq!(note.signatures.len(), 3);
        for running in [&one, &other] {
            let key: WitnessKey = running.witness.verifier_key().parse().unwrap();
            let at = key.cosigned_at(&note).unwrap();
            assert!(service.clock.now().unix_timestamp().abs_diff(i64::try_from(at).unwrap()) < 60);
            check_cosignature(&note, &running.witness.key.verifying_key(), running.witness.name);
        }
    }
    Public::new(&service).audit(&all).await;
}

/// Verifies the cosignature with an independent library.
fn check_cosignature(note: &SignedNote, key: &VerifyingKey, name: &str) {
    let line = note.signatures.iter().find(|signature| signature.name == name).unwrap();
    let (time, signature) = line.signature.split_first_chunk::<8>().unwrap();
    let message = format!("cosignature/v1\ntime {}\n{}", u64::from_be_bytes(*time), note.text);
    key.verify_strict(message.as_bytes(), &signature.try_into().unwrap()).unwrap();
}

#[tokio::test]
async fn a_failing_witness_delays_no_dating() {
    let service = Service::start().await;
    let (one, other) =
        (Running::start(&service, "one.example", 1).await, Running::start(&service, "other.example", 2).await);
    let sequencer = with_witnesses(&service, &[&one, &other]);
    let all = captures(4);
    deliver(&sequencer, &all[..1]).await.unwrap();
    let names = async || {
        let note = dated(&service, today(&service)).await.unwrap().note;
        note.signatures[1..].iter().map(|signature| signature.name.clone()).collect::<Vec<_>>()
    };
    for conduct in
        [Conduct::Foreign, Conduct::Wrong, Conduct::Garbage, Conduct::Ahead, Conduct::Refuses, Conduct::Hangs]
    {
        one.conduct(conduct);
        assert_eq!(counted(&sequencer).await, ["LogUndated"]);
        assert!(!one.take_asked().is_empty());
        assert_eq!(names().await, ["other.example"]);
        assert!(dated(&service, today(&service)).await.unwrap().timestamp.is_some());
    }
    other.take_asked();
    one.conduct(Conduct::Honest);
    date(&sequencer).await.unwrap();
    assert_eq!((names().await, other.take_asked()), (vec!["other.example".into(), "one.example".into()], vec![]));

    one.take_asked();

    // A witness that saw another history does not cosign this one.
    *one.witness.known.lock().unwrap() = (1, Hash([7; 32]));
    service.clock.advance(time::Duration::days(1));
    deliver(&sequencer, &all[1..]).await.unwrap();
    assert_eq!(counted(&sequencer).await, ["LogContradicted", "LogUndated"]);
    assert_eq!((one.take_asked(), names().await), (vec![409, 422], vec!["other.example".to_owned()]));

    // An invalid witness configuration blocks neither the other witness nor the timestamp.
    service.clock.advance(time::Duration::days(1));
    let log_witnesses = format!("no key, {}", other.configured());
    let malformed =
        crate::sequencer(&service, service.config(|name| (name == "LOG_WITNESSES").then(|| log_witnesses.clone())));
    let error = date(&malformed).await.unwrap_err().to_string();
    assert!(error.starts_with("LOG_WITNESSES: "), "{error}");
    assert_eq!(counted(&malformed).await, ["LogUndated"]);
    assert_eq!(names().await, ["other.example"]);
    assert!(dated(&service, today(&service)).await.unwrap().timestamp.is_some());
}

/// A proof made later contains the timestamp; anyone can verify it with the photo's manifest and the log's key.
#[tokio::test]
async fn proofs_made_later_are_dated() {
    let service = Service::start().await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let id = capture_id(&customer.capture(&frame::fresh()).await.ok());
    let capture = lacre_storage::Captures::new(service.connection());
    let capture = capture.read(&lacre_domain::CaptureId::from_hex(&id).unwrap()).await.unwrap().unwrap();
    deliver(&sequencer, &captures(300)).await.unwrap();
    // A checkpoint of the day that does not contain the capture yet.
    date(&sequencer).await.unwrap();
    handle(&sequencer, event(std::slice::from_ref(&capture))).await.unwrap();
    deliver(&sequencer, &captures(5)).await.unwrap();
    let admin =
        LogAdministration::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>, caller(CUSTODIAN));
    let key: LogKey = service.variable("LOG_KEY").parse().unwrap();
    let proof = async || admin.proof(&id, None).await.unwrap().parse::<LogProof>().unwrap();
    let undated = proof().await;
    assert_eq!(undated.extra.timestamp, None);
    assert_eq!(undated.verify(&capture.manifest_sha256, &key).unwrap().checkpoint.size, 301);

    service.clock.advance(time::Duration::days(1));
    date(&sequencer).await.unwrap();
    service.clock.advance(time::Duration::days(20));
    let dated_proof = proof().await;
    let inclusion = dated_proof.verify(&capture.manifest_sha256, &key).unwrap();
    assert_eq!((inclusion.index, inclusion.checkpoint.size), (300, 306));
    let bench = Bench::open();
    bench.write("token.tst", dated_proof.extra.timestamp.unwrap());
    bench.write("roots.pem", service.trust_anchors());
    bench.write("text", &dated_proof.checkpoint.text);
    bench.openssl("ts -verify -token_in -in token.tst -data text -CAfile roots.pem", &[]);

    // A file in place of the day's checkpoint that the log did not sign is rejected.
    let storage = Storage::of(&service);
    let day = (service.clock.now() - time::Duration::days(20)).date();
    storage
        .overwrite("LOG_BUCKET", &format!("sandbox/dated/{day}/checkpoint"), b"x\n1\n\n\xe2\x80\x94 x AAAAAAAA\n")
        .await;
    assert_eq!(proof().await.extra.timestamp, None);
    storage.overwrite("LOG_BUCKET", &format!("sandbox/dated/{day}/checkpoint"), b"no note").await;
    assert_eq!(proof().await.extra.timestamp, None, "nor one that is no checkpoint");
}
