//! Tests contradictions between table, files and checkpoint: nothing is signed, they are counted, and the other logs
//! continue.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_domain::{Environment, Sha256Digest};
use lacre_sequencer::Sequencer;
use lacre_tests::{Fault, Faults, Service, Storage};
use serde_json::Value;

use crate::{captures, deliver, deliver_until_done, event, public::Public, sequencer};

const SANDBOX: Environment = Environment::Sandbox;
const HEAD: [(&str, &str); 2] = [("pk", "head#SANDBOX"), ("sk", "head")];

/// Delivers a batch of the sandbox that meets a contradiction. The batch ends, and the published log stays unchanged.
async fn contradicted(service: &Service, public: &mut Public<'_>, sequencer: &Sequencer) {
    let (seen, head) = (public.look().await, head(service).await);
    let batch = captures(1);
    let mut metrics = Vec::new();
    sequencer.handle(serde_json::from_value(event(&batch)).unwrap(), &mut metrics).await.unwrap();
    let line: Value = serde_json::from_slice(&metrics).unwrap();
    assert_eq!((&line["LogContradicted"], &line["Stack"]), (&1.into(), &"local".into()));
    let mut metrics = Vec::new();
    let outcome = sequencer.date(&mut metrics).await;
    assert!(outcome.is_err(), "nor is it dated");
    assert!(String::from_utf8(metrics).unwrap().contains("LogContradicted"), "and without captures it is counted, too");
    assert_eq!((public.look().await, self::head(service).await), (seen, head));
    let leaves = lacre_storage::LogState::new(service.connection()).leaves(&[&batch[0].capture_id]).await.unwrap();
    assert!(leaves.is_empty());
}

async fn head(service: &Service) -> Option<HashMap<String, AttributeValue>> {
    Storage::of(service).item("LOG_TABLE", &HEAD).await
}

#[tokio::test]
async fn reset_tables_sign_no_second_history() {
    let service = Service::start().await;
    let (storage, mut public) = (Storage::of(&service), Public::new(&service));
    let sequencer = sequencer(&service, service.config(|_| None));
    let all = captures(6);
    deliver(&sequencer, &all[..3]).await.unwrap();
    let before = head(&service).await.unwrap();
    deliver(&sequencer, &all[3..5]).await.unwrap();
    let last = head(&service).await.unwrap();

    // The head as point-in-time recovery restores it, and as a new deployment creates it.
    storage.replace("LOG_TABLE", before).await;
    contradicted(&service, &mut public, &sequencer).await;
    storage.delete("LOG_TABLE", &HEAD.map(|(name, value)| (name, value.to_owned()))).await;
    let batch = captures(1);
    deliver(&sequencer, &batch).await.unwrap();
    assert_eq!((head(&service).await, public.look().await.unwrap().0), (None, 5), "nothing begins anew");

    // The same number of leaves with another root, signed with the log's key.
    let root = Sha256Digest::of(b"another");
    let note = lacre_storage::LogSigner::new(service.connection()).sign(SANDBOX, 5, root).await.unwrap().to_string();
    let with = [("tree_root", root.hex()), ("note", note)];
    let other = with.map(|(name, value)| (name.to_owned(), AttributeValue::S(value)));
    storage.replace("LOG_TABLE", last.clone().into_iter().chain(other).collect()).await;
    deliver(&sequencer, &batch).await.unwrap();
    assert_eq!(public.look().await.unwrap().0, 5);

    storage.replace("LOG_TABLE", last).await;
    deliver_until_done(&sequencer, &all[5..]).await;
    public.audit(&all).await;
    // Discarded leaves wait, which is reported until they are restored.
    for marked in [true, false] {
        let mut metrics = Vec::new();
        sequencer.date(&mut metrics).await.unwrap();
        let metrics = String::from_utf8(metrics).unwrap();
        assert_eq!(metrics.contains("\"LogContradicted\":1"), marked, "{metrics}");
        assert!(metrics.contains("\"LogUndated\":0"), "{metrics}");
        storage.hide("LOG_BUCKET", "marked/sandbox").await;
    }
}

/// If the mark cannot be written, the batch is redelivered.
#[tokio::test]
async fn keeps_leaves_that_cannot_be_marked() {
    let service = Service::start().await;
    let doors = Faults::before(&service).await;
    let sequencer = sequencer(&service, doors.config(&service));
    deliver(&sequencer, &captures(1)).await.unwrap();
    Storage::of(&service).delete("LOG_TABLE", &HEAD.map(|(name, value)| (name, value.to_owned()))).await;
    doors.always("PutObject log mark", Fault::Refuse);
    assert!(deliver(&sequencer, &captures(1)).await.is_err());
    doors.clear();
    deliver(&sequencer, &captures(1)).await.unwrap();
}

#[tokio::test]
async fn refuses_heads_without_the_logs_signature() {
    let service = Service::start().await;
    let (storage, mut public) = (Storage::of(&service), Public::new(&service));
    let usual = sequencer(&service, service.config(|_| None));
    let all = captures(3);
    deliver(&usual, &all[..2]).await.unwrap();
    let kept = head(&service).await.unwrap();
    let config = service.config(|name| (name == "LOG_ORIGIN").then(|| "another.example".into()));
    contradicted(&service, &mut public, &sequencer(&service, config)).await;

    for (name, value) in [
        ("tree_size", AttributeValue::N("1".into())),
        ("tree_root", AttributeValue::S(Sha256Digest::of(b"another").hex())),
        ("note", AttributeValue::S("no note".into())),
        ("is_published", AttributeValue::S("perhaps".into())),
    ] {
        let edited = kept.clone().into_iter().chain([(name.to_owned(), value)]).collect();
        storage.replace("LOG_TABLE", edited).await;
        contradicted(&service, &mut public, &usual).await;
    }
    storage.replace("LOG_TABLE", kept).await;
    deliver(&usual, &all[2..]).await.unwrap();
    public.audit(&all).await;
}

/// An overwritten tile stops its log and no other; nothing is built on it.
#[tokio::test]
async fn a_changed_tile_stops_the_log() {
    let service = Service::start().await;
    let (storage, mut public) = (Storage::of(&service), Public::new(&service));
    let sequencer = sequencer(&service, service.config(|_| None));
    let first = captures(3);
    deliver(&sequencer, &first).await.unwrap();
    let tile = "sandbox/tile/0/000.p/3";
    let published: HashMap<_, _> = storage.versions("LOG_BUCKET").await.into_iter().collect();
    storage.overwrite("LOG_BUCKET", tile, &[0; 96]).await;
    let mut mixed = captures(3);
    for (capture, environment) in mixed.iter_mut().zip(Environment::ALL) {
        capture.environment = environment;
    }
    let mut metrics = Vec::new();
    sequencer.handle(serde_json::from_value(event(&mixed)).unwrap(), &mut metrics).await.unwrap();
    let metrics = String::from_utf8(metrics).unwrap();
    assert_eq!(metrics.lines().filter(|line| line.contains("\"LogContradicted\":1")).count(), 1, "{metrics}");
    let state = lacre_storage::LogState::new(service.connection());
    for environment in Environment::ALL {
        let expected = if environment == SANDBOX { 3 } else { 1 };
        assert_eq!(state.head(environment).await.unwrap().unwrap().size, expected, "{environment:?}");
    }
    assert_eq!(public.look().await.unwrap().0, 3);

    storage.overwrite("LOG_BUCKET", tile, &published[tile]).await;
    let mut all = first;
    all.extend(mixed.into_iter().filter(|capture| capture.environment == SANDBOX));
    deliver(&sequencer, &all[3..]).await.unwrap();
    public.audit(&all).await;
}

/// A different published checkpoint, with more, fewer or as many leaves, is not replaced.
#[tokio::test]
async fn another_published_checkpoint_is_not_replaced() {
    let service = Service::start().await;
    let storage = Storage::of(&service);
    let sequencer = sequencer(&service, service.config(|_| None));
    deliver(&sequencer, &captures(2)).await.unwrap();
    let kept = head(&service).await.unwrap();
    let signer = lacre_storage::LogSigner::new(service.connection());
    let other = signer.sign(SANDBOX, 2, Sha256Digest::of(b"another")).await.unwrap().to_string();
    for note in [other.as_str(), "no note"] {
        storage.overwrite("LOG_BUCKET", "sandbox/checkpoint", note.as_bytes()).await;
        // The next run would publish an unpublished checkpoint over it, which would hide what someone has seen.
        for is_published in [true, false] {
            let flag = ("is_published".to_owned(), AttributeValue::Bool(is_published));
            let edited: HashMap<_, _> = kept.clone().into_iter().chain([flag]).collect();
            storage.replace("LOG_TABLE", edited.clone()).await;
            deliver(&sequencer, &captures(1)).await.unwrap();
            assert_eq!(head(&service).await.unwrap(), edited);
            let published = lacre_storage::LogFiles::new(service.connection()).checkpoint(SANDBOX).await.unwrap();
            assert_eq!(published.unwrap(), note.as_bytes());
        }
    }
}
