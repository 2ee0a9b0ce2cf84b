//! Tests the audit: changes, removals and reorderings in the evidence, the log's table or the log are found, and
//! missing entries are restored.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_administration::{Error, LogAdministration, LogAudit, LogRestoration};
use lacre_domain::{CaptureId, Clock, Environment, EvidenceRecord, NamedTerms, Sha256Digest};
use lacre_tests::{
    Service, Storage, TestClock,
    customer::Customer,
    frame,
    operator::caller,
    vault::{CUSTODIAN, capture_id},
};
use lacre_transparency::{Checkpoint, Edge, Entry, LogKey, LogProof, SignedNote};

use crate::{deliver, sequencer};

const SANDBOX: Environment = Environment::Sandbox;

/// The operations an hour later, when nothing is in transit any more.
fn later(service: &Service) -> LogAdministration {
    let clock = Arc::new(TestClock::default());
    clock.advance(service.clock.now() - clock.now() + time::Duration::hours(1));
    LogAdministration::new(service.connection(), clock as Arc<dyn Clock>, caller(CUSTODIAN))
}

fn now(service: &Service) -> LogAdministration {
    LogAdministration::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>, caller(CUSTODIAN))
}

fn key(service: &Service) -> LogKey {
    service.variable("LOG_KEY").parse().unwrap()
}

/// Makes captures that are exported but not in the log.
async fn recorded(service: &Service, count: usize) -> Vec<EvidenceRecord> {
    let customer = Customer::new(service, SANDBOX, NamedTerms::default()).await;
    let (export, captures) =
        (lacre_storage::Export::new(service.connection()), lacre_storage::Captures::new(service.connection()));
    let mut recorded = Vec::new();
    for _ in 0..count {
        let id = capture_id(&customer.capture(&frame::fresh()).await.ok());
        let capture = captures.read(&CaptureId::from_hex(&id).unwrap()).await.unwrap().unwrap();
        export.record(&capture).await.unwrap();
        recorded.push(capture);
    }
    recorded
}

/// Makes captures and adds them to the log in order.
async fn logged(service: &Service, count: usize) -> Vec<EvidenceRecord> {
    let captures = recorded(service, count).await;
    deliver(&sequencer(service, service.config(|_| None)), &captures).await.unwrap();
    captures
}

async fn audit(service: &Service, earlier: Option<&SignedNote>) -> LogAudit {
    later(service).audit(SANDBOX, &key(service), earlier).await.unwrap()
}

/// The differences of an audit, with the index of each capture.
async fn found(service: &Service, captures: &[EvidenceRecord]) -> Vec<String> {
    let name = |id: &Option<String>| match id {
        Some(id) => captures
            .iter()
            .position(|capture| capture.capture_id.as_str() == id)
            .map_or("?".into(), |at| at.to_string()),
        None => "log".into(),
    };
    let differences = audit(service, None).await.differences;
    differences.iter().map(|difference| format!("{}: {}", name(&difference.capture_id), difference.how)).collect()
}

async fn restore(service: &Service, apply: bool) -> LogRestoration {
    later(service).restore(SANDBOX, &key(service), apply).await.unwrap()
}

type Item = HashMap<String, AttributeValue>;

async fn record(storage: &Storage<'_>, capture: &EvidenceRecord) -> Item {
    storage.item("EVIDENCE_TABLE", &[("capture_id", capture.capture_id.as_str())]).await.unwrap()
}

async fn leaf(storage: &Storage<'_>, capture: &EvidenceRecord) -> Item {
    let pk = format!("leaf#{}", capture.capture_id.as_str());
    storage.item("LOG_TABLE", &[("pk", &pk), ("sk", "leaf")]).await.unwrap()
}

fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// Signs a checkpoint with the log's key, as its holder could.
async fn signed(service: &Service, edge: &Edge) -> String {
    let signer = lacre_storage::LogSigner::new(service.connection());
    signer.sign(SANDBOX, edge.size(), edge.root()).await.unwrap().to_string()
}

fn entry(capture: &EvidenceRecord) -> Entry {
    Entry::from_bytes(*capture.log_entry.unwrap().as_bytes())
}

#[tokio::test]
async fn an_unchanged_log_has_no_differences() {
    let service = Service::start().await;
    let empty = audit(&service, None).await;
    assert_eq!((empty.leaves, empty.records, empty.checkpoint, empty.differences), (0, 0, None, vec![]));

    // The first checkpoint has no leaves.
    sequencer(&service, service.config(|_| None)).date(&mut Vec::new()).await.unwrap();
    let begun = audit(&service, None).await;
    assert_eq!((begun.leaves, begun.records, begun.differences), (0, 0, vec![]));
    let begun: SignedNote = begun.checkpoint.unwrap().parse().unwrap();
    assert_eq!(key(&service).verify(&begun).unwrap().size, 0);
    let captures = logged(&service, 3).await;
    let first = audit(&service, Some(&begun)).await;
    assert_eq!((first.leaves, first.records, first.pending, first.erased), (3, 3, 0, 0));
    assert_eq!((&first.differences, first.origin.as_str()), (&vec![], key(&service).origin()));

    // The leaf of an erased capture stays in the log, but nobody can recompute it.
    service.evidence().erase(captures[0].capture_id.as_str(), "request 41").await.unwrap();
    logged(&service, 2).await;
    let earlier: SignedNote = first.checkpoint.unwrap().parse().unwrap();
    let second = audit(&service, Some(&earlier)).await;
    assert_eq!((second.leaves, second.records, second.erased, &second.differences), (5, 5, 1, &vec![]));

    // The other environments have their own logs.
    let name = key(&service).to_string().replace("sandbox", "production");
    assert!(name.parse::<LogKey>().is_err(), "the id is of the name");
    let admin = later(&service);
    for environment in [Environment::Production, Environment::Staging] {
        let key = admin.key(environment).await.unwrap();
        let audit = admin.audit(environment, &key, None).await.unwrap();
        assert_eq!((audit.leaves, audit.records, audit.differences), (0, 0, vec![]));
        let foreign = admin.audit(environment, &key, Some(&earlier)).await;
        assert!(matches!(&foreign, Err(Error::Invalid(why)) if why.contains("not signed by this key")), "{foreign:?}");
    }
}

#[tokio::test]
async fn finds_changed_removed_or_reordered_records() {
    let service = Service::start().await;
    let captures = logged(&service, 4).await;
    let storage = Storage::of(&service);
    let (one, other) = (record(&storage, &captures[1]).await, record(&storage, &captures[2]).await);
    let put = async |item: &Item| storage.replace("EVIDENCE_TABLE", item.clone()).await;
    let with = |item: &Item, name: &str, value: AttributeValue| {
        let mut item = item.clone();
        item.insert(name.into(), value);
        item
    };

    // A changed record: once with the old entry, once with a recomputed one.
    put(&with(&one, "signer_version", AttributeValue::N("9".into()))).await;
    assert_eq!(found(&service, &captures).await, ["1: the entry does not match the record, manifest and salt"]);
    let held =
        lacre_storage::Personal::new(service.connection()).read(&[&captures[1].capture_id]).await.unwrap().remove(0);
    let salt = held.personal.unwrap().unwrap().log_salt();
    let changed = EvidenceRecord { signer_version: 9, ..captures[1].clone() };
    let computed = Entry::of_capture(&salt, &changed).unwrap().digest().hex();
    put(&with(&with(&one, "signer_version", AttributeValue::N("9".into())), "log_entry", text(&computed))).await;
    let recomputed = [
        "1: the log and the export have its record, and the table does not",
        "1: the log does not have the record's entry",
    ];
    let mut seen = found(&service, &captures).await;
    seen.sort();
    assert_eq!(seen, recomputed);
    // The log is not repaired, because the record differs from the exported one.
    let restoration = restore(&service, true).await;
    assert_eq!((restoration.restored, restoration.doubtful.len()), (vec![], 1));

    // A record as if written before the log existed.
    let mut stripped = one.clone();
    stripped.remove("log_entry");
    put(&stripped).await;
    assert_eq!(found(&service, &captures).await, ["1: the log and the export have its record, and the table does not"]);

    // Two swapped records.
    put(&with(&one, "capture_id", other["capture_id"].clone())).await;
    put(&with(&other, "capture_id", one["capture_id"].clone())).await;
    let swapped = found(&service, &captures).await;
    for capture in [1, 2] {
        let what = format!("{capture}: the entry does not match the record, manifest and salt");
        assert!(swapped.contains(&what), "{swapped:?}");
    }
    put(&one).await;
    put(&other).await;
    assert_eq!(found(&service, &captures).await, Vec::<String>::new());

    storage.delete("EVIDENCE_TABLE", &[("capture_id", captures[3].capture_id.as_str().to_owned())]).await;
    assert_eq!(found(&service, &captures).await, ["3: the log and the export have its record, and the table does not"]);
    // Without the export it is unknown whose leaf it was, but its existence is found.
    storage.destroy("EXPORT_BUCKET", &format!("records/{}.json", captures[3].capture_id.as_str())).await;
    assert_eq!(found(&service, &captures).await, ["log: the leaf belongs to no record"]);
    assert_eq!(audit(&service, None).await.differences[0].index, Some(3));
    // A leaf without a place cannot be removed again. Other losses are repaired.
    let unplaced = leaf(&storage, &captures[0]).await["pk"].as_s().unwrap().clone();
    storage.delete("LOG_TABLE", &[("pk", unplaced), ("sk", "leaf".into())]).await;
    assert_eq!(restore(&service, true).await.restored.len(), 1);
    assert_eq!(found(&service, &captures).await, ["log: the leaf belongs to no record"]);
}

#[tokio::test]
async fn finds_a_changed_or_missing_salt() {
    let service = Service::start().await;
    let captures = logged(&service, 2).await;
    let storage = Storage::of(&service);
    let pk = |capture: &EvidenceRecord| format!("personal#{}", capture.capture_id.as_str());
    let items = [pk(&captures[0]), pk(&captures[1])];
    let one = storage.item("PERSONAL_TABLE", &[("pk", &items[0])]).await.unwrap();
    let mut other = storage.item("PERSONAL_TABLE", &[("pk", &items[1])]).await.unwrap();
    other.insert("pk".into(), one["pk"].clone());
    storage.replace("PERSONAL_TABLE", other).await;
    assert_eq!(found(&service, &captures).await, ["0: the entry does not match the record, manifest and salt"]);
    storage.delete("PERSONAL_TABLE", &[("pk", items[0].clone())]).await;
    assert_eq!(found(&service, &captures).await, ["0: the salt is missing: run `evidence compare`"]);
    let refused = later(&service).proof(captures[0].capture_id.as_str(), None).await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn audits_and_restores_the_log_table() {
    let service = Service::start().await;
    let captures = logged(&service, 3).await;
    let storage = Storage::of(&service);
    let (one, other) = (leaf(&storage, &captures[0]).await, leaf(&storage, &captures[1]).await);
    let with = |item: &Item, name: &str, value: AttributeValue| {
        let mut item = item.clone();
        item.insert(name.into(), value);
        item
    };
    let put = async |item: &Item| storage.replace("LOG_TABLE", item.clone()).await;

    put(&with(&one, "pk", other["pk"].clone())).await;
    assert_eq!(found(&service, &captures).await, ["1: the stored proof does not prove this leaf"]);
    // A checkpoint that was signed for one capture only.
    let alone = Edge::default().grown(&[entry(&captures[1])]);
    let note = signed(&service, &alone.edge).await;
    let forged = with(&with(&other, "note", text(note)), "path", AttributeValue::B(Vec::new().into()));
    put(&with(&forged, "index", AttributeValue::N("0".into()))).await;
    assert_eq!(found(&service, &captures).await, ["1: the stored proof does not prove this leaf"]);
    let first = Edge::default().grown(&[entry(&captures[1]), entry(&captures[1])]);
    let path = first.paths().unwrap()[1].iter().flat_map(|hash| *hash.as_bytes()).collect::<Vec<u8>>();
    let forged = with(&other, "note", text(signed(&service, &first.edge).await));
    put(&with(&forged, "path", AttributeValue::B(path.into()))).await;
    let split = ["1: the checkpoint in the stored proof does not belong to this log"];
    assert_eq!(found(&service, &captures).await, split);
    let foreign = other["note"].as_s().unwrap().replace("sandbox", "sandbax");
    put(&with(&other, "note", text(foreign))).await;
    assert_eq!(found(&service, &captures).await, ["1: the checkpoint in the stored proof is not signed by the log"]);

    storage.delete("LOG_TABLE", &[("pk", other["pk"].as_s().unwrap().clone()), ("sk", "leaf".into())]).await;
    assert_eq!(found(&service, &captures).await, ["1: the log's table does not have the leaf"]);
    let id = captures[1].capture_id.as_str();
    let refused = later(&service).proof(id, None).await;
    assert!(matches!(&refused, Err(Error::Refused(why)) if why.contains("not in the log yet")), "{refused:?}");
    for apply in [false, true] {
        let restoration = restore(&service, apply).await;
        assert_eq!((restoration.restored.len(), restoration.restored[0].what), (1, "proof"));
    }
    assert_eq!(found(&service, &captures).await, Vec::<String>::new());
    let proof: LogProof = later(&service).proof(id, None).await.unwrap().parse().unwrap();
    assert_eq!(proof.verify(&captures[1].manifest_sha256, &key(&service)).unwrap().index, 1);

    // The next checkpoint is computed from the head.
    let head = [("pk", "head#SANDBOX"), ("sk", "head")];
    let kept = storage.item("LOG_TABLE", &head).await.unwrap();
    storage.delete("LOG_TABLE", &head.map(|(name, value)| (name, value.to_owned()))).await;
    assert_eq!(found(&service, &captures).await, ["log: the log's table has no checkpoint, and one is published"]);
    assert!(matches!(later(&service).restore(SANDBOX, &key(&service), true).await, Err(Error::Refused(_))));
    put(&with(&kept, "tree_size", AttributeValue::N("2".into()))).await;
    let behind = ["log: the log's table has an earlier checkpoint than the published one"];
    assert_eq!(found(&service, &captures).await, behind);
    put(&with(&kept, "tree_root", text(Sha256Digest::of(b"another").hex()))).await;
    assert_eq!(
        found(&service, &captures).await,
        ["log: the log's table has another root than the published checkpoint"]
    );
}

/// A restore adds the leaf of a capture that the stream discarded.
#[tokio::test]
async fn restores_leaves_of_discarded_captures() {
    let service = Service::start().await;
    logged(&service, 1).await;
    let lost = recorded(&service, 2).await;
    let young = now(&service).audit(SANDBOX, &key(&service), None).await.unwrap();
    assert_eq!((young.pending, young.differences), (2, vec![]));
    let state = lacre_storage::LogState::new(service.connection());
    // One of them waits but was lost from the stream; the other never waited.
    state.offer(&lost[0]).await.unwrap();
    let missing = [0, 1].map(|capture| format!("{capture}: the log does not have the record's entry"));
    let mut seen = found(&service, &lost).await;
    seen.sort();
    assert_eq!(seen, missing);

    assert_eq!(restore(&service, false).await.restored.len(), 2);
    assert_eq!(restore(&service, true).await.restored.len(), 2);
    let storage = Storage::of(&service);
    for capture in &lost {
        assert!(leaf(&storage, capture).await.contains_key("entry"), "it waits");
    }
    deliver(&sequencer(&service, service.config(|_| None)), &lost).await.unwrap();
    // Offering a placed leaf again changes nothing.
    let placed = leaf(&storage, &lost[0]).await;
    state.offer_again(&lost[0]).await.unwrap();
    assert_eq!(leaf(&storage, &lost[0]).await, placed);
    let audited = audit(&service, None).await;
    assert_eq!((audited.leaves, audited.differences), (3, vec![]));
    assert_eq!(restore(&service, true).await, LogRestoration { applied: true, ..LogRestoration::default() });
}

/// The operator, who has the key, rewrites the log without a capture. Without an earlier checkpoint the evidence
/// reveals it; with one, the log alone does.
#[tokio::test]
async fn finds_a_rewritten_log() {
    let service = Service::start().await;
    let captures = logged(&service, 3).await;
    let storage = Storage::of(&service);
    let earlier: SignedNote = audit(&service, None).await.checkpoint.unwrap().parse().unwrap();
    let published: BTreeMap<String, Vec<u8>> = storage.versions("LOG_BUCKET").await.into_iter().collect();
    let rewrite = async |entries: &[Entry]| {
        let grown = Edge::default().grown(entries);
        for (path, bytes) in &grown.files {
            storage.overwrite("LOG_BUCKET", &format!("sandbox/{path}"), bytes).await;
        }
        let note = signed(&service, &grown.edge).await;
        storage.overwrite("LOG_BUCKET", "sandbox/checkpoint", note.as_bytes()).await;
    };
    let against_earlier = async || audit(&service, Some(&earlier)).await.differences;

    // The same number of leaves in another history.
    let entries: Vec<Entry> = captures.iter().map(entry).collect();
    rewrite(&[entries[0], entries[2], entries[1]]).await;
    let differences = against_earlier().await;
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert!(differences[0].how.contains("do not lead to the root of 3 leaves: the log has two histories"));
    assert!(found(&service, &captures).await.iter().any(|how| how.contains("another root than the published")));

    // One leaf is missing, and another one was added.
    rewrite(&entries[..2]).await;
    assert_eq!(
        against_earlier().await[0].how,
        "the entries do not lead to the root of 3 leaves: the log has two histories"
    );
    let known: Checkpoint = earlier.text.parse().unwrap();
    assert_eq!(known.size, 3);

    // A duplicate leaf.
    rewrite(&[entries[0], entries[1], entries[2], entries[1]]).await;
    assert!(found(&service, &captures).await.iter().any(|how| how == "log: the leaf occurs twice: also at 1"));

    // A tile that does not match the entries; a missing file; a missing checkpoint.
    let restore = async || {
        for (key, bytes) in &published {
            storage.overwrite("LOG_BUCKET", key, bytes).await;
        }
    };
    restore().await;
    assert_eq!(found(&service, &captures).await, Vec::<String>::new());
    storage.overwrite("LOG_BUCKET", "sandbox/tile/0/000.p/3", &[0; 96]).await;
    assert_eq!(found(&service, &captures).await, ["log: tile/0/000.p/3 does not match the log's entries"]);
    storage.hide("LOG_BUCKET", "sandbox/tile/entries/000.p/3").await;
    assert_eq!(found(&service, &captures).await, ["log: sandbox/tile/entries/000.p/3 is missing"]);
    restore().await;
    storage.hide("LOG_BUCKET", "sandbox/checkpoint").await;
    assert_eq!(against_earlier().await[0].how, "the log has no checkpoint any more");
    assert_eq!(found(&service, &captures).await, ["log: the log has no checkpoint any more"]);
    assert!(matches!(later(&service).restore(SANDBOX, &key(&service), true).await, Err(Error::Refused(_))));
}

#[tokio::test]
async fn makes_proofs_until_the_erasure() {
    let service = Service::start().await;
    let captures = logged(&service, 3).await;
    let admin = now(&service);
    for (index, capture) in (0..).zip(&captures) {
        let proof = admin.proof(capture.capture_id.as_str(), None).await.unwrap();
        let proof: LogProof = proof.parse().unwrap();
        assert_eq!(proof.verify(&capture.manifest_sha256, &key(&service)).unwrap().index, index);
    }
    let id = captures[0].capture_id.as_str();
    let other = admin.key(Environment::Production).await.unwrap();
    assert!(matches!(admin.proof(id, Some(&other)).await, Err(Error::Refused(_))), "of another log");
    service.evidence().erase(id, "request 41").await.unwrap();
    let erased = admin.proof(id, None).await;
    assert!(matches!(&erased, Err(Error::Refused(why)) if why.contains("erased")), "{erased:?}");
    let unknown = Sha256Digest::of(b"nobody").hex();
    assert!(matches!(admin.proof(&unknown, None).await, Err(Error::NotFound(_))));
    assert!(matches!(admin.proof("no id", None).await, Err(Error::Invalid(_))));
}
