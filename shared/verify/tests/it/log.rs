//! Tests of whether a capture is in a transparency log, and since when.

use lacre_domain::Environment;
use lacre_proof::{Anchors, Timestamps};
use lacre_proof_fixtures::authority::{Authority, NONE, Stamping};
use lacre_proof_fixtures::log::{INDEX, Log, ORIGIN, SIZE, Witness};
use lacre_proof_fixtures::{Sandbox, facts, synthetic};
use lacre_sign::SignedPhoto;
use lacre_transparency::{LogKey, LogProof};
use lacre_verify::{
    Found, Language, LogEvidence, Outcome, Page, Picture, Report, Requirements, Revocations, Verdict, WitnessPolicy,
    check_with,
};
use sha2::{Digest, Sha256};
use signed_note::{Note, StandardVerifier, VerifierList};
use time::{Duration, OffsetDateTime};
use tlog_tiles::tlog::{Hash, check_record, record_hash};

const LOG: &str = "transparency log";
const TIMESTAMP: &str = "log timestamp";

fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

async fn captured(with_timestamps: bool) -> SignedPhoto {
    let facts = facts();
    let stamping = Stamping::new(Authority::shared(), facts.ingested_at);
    let timestamps = if with_timestamps { Timestamps::Required(&stamping) } else { Timestamps::None };
    Sandbox::shared().seal_with(&synthetic(320, 240, false), &facts, timestamps).await.unwrap()
}

fn evidence(proof: &LogProof, key: &LogKey) -> LogEvidence {
    LogEvidence::new(proof.to_string().into_bytes(), key.clone())
}

fn judged_at(jpeg: &[u8], log: Option<LogEvidence>, at: OffsetDateTime) -> Verdict {
    let anchors = format!("{}{}", Sandbox::shared().anchors_pem, Authority::shared().anchors_pem);
    let requirements = Requirements { log, ..Requirements::of(Environment::Sandbox) };
    check_with(jpeg, &Anchors::from_pem(&anchors).unwrap(), &Revocations::default(), &requirements, at)
}

fn judged(jpeg: &[u8], log: Option<LogEvidence>) -> Report {
    judged_at(jpeg, log, now()).report
}

fn failed(report: &Report) -> Vec<(&str, &str)> {
    let failed = report.checks.iter().filter_map(|check| Some((check.name, check.fault.as_deref()?)));
    failed.collect()
}

fn made(report: &Report, name: &str) -> bool {
    report.checks.iter().any(|check| check.name == name)
}

fn stamped_by(authority: &Authority, message: &[u8]) -> Vec<u8> {
    authority.stamp(message, now(), &NONE).unwrap().der().to_vec()
}

fn page(verdict: &Verdict, file: &[u8]) -> String {
    let page = Page { verdict, file, manifest: None, name: "photo.jpg", picture: Picture::Elsewhere, made_at: now() };
    page.html()
}

#[tokio::test]
async fn the_embedded_manifest_equals_the_sidecar() {
    for with_timestamps in [false, true] {
        let proof = captured(with_timestamps).await;
        let contents = judged_at(&proof.jpeg, None, now()).contents.unwrap();
        assert!(contents.manifest == proof.manifest, "ingest records the digest of `Proof::manifest`");
        let (log, made) = (Log::new(), Log::new().prove(&contents.manifest));
        assert!(judged(&proof.jpeg, Some(evidence(&made, &log.key))).valid);
    }
}

#[tokio::test]
async fn without_proof_the_log_is_unchecked() {
    let report = judged(&captured(false).await.jpeg, None);
    assert!(report.valid && !made(&report, LOG));
    assert_eq!(report.transparency_log, None);
    let gaps: Vec<_> = report.not_checked.iter().filter(|gap| gap.part == LOG).collect();
    assert_eq!(gaps.len(), 1);
    let line = "  not checked: transparency log: whether the capture is in a public log: no proof of it was given\n";
    assert!(report.to_string().contains(line), "{report}");
}

#[tokio::test]
async fn without_timestamp_only_place_is_shown() {
    let (capture, log) = (captured(false).await, Log::new());
    let verdict = judged_at(&capture.jpeg, Some(evidence(&log.prove(&capture.manifest), &log.key)), now());
    let report = &verdict.report;
    assert!(report.valid && made(report, LOG) && !made(report, TIMESTAMP), "{report}");
    assert_eq!(report.outcome, Outcome::NotPinned);
    assert!(report.not_checked.iter().all(|gap| gap.part != LOG));
    let entry = report.transparency_log.as_ref().unwrap();
    assert_eq!((&*entry.origin, entry.index, entry.size), (ORIGIN, INDEX, SIZE));
    assert_eq!((entry.timestamp_found, &entry.timestamp), (Found::Nothing, &None));
    assert_eq!(report.times.as_ref().unwrap().log_trusted, None);
    let lines = "log      The capture is in the public log: log.example/production, leaf 2 of 5\n         \
                 Only the operator says since when: the proof carries no timestamp.\n";
    assert!(report.to_string().contains(lines), "{report}");
    let html = page(&verdict, &capture.jpeg);
    assert!(html.contains("A captura está no registro público") && html.contains("log.example/production"));
    assert!(html.contains("Só o operador diz desde quando: a prova não traz carimbo do tempo."));
    let json = serde_json::to_value(report).unwrap();
    assert_eq!(json["transparency_log"]["index"], 2);
}

#[tokio::test]
async fn a_checkpoint_timestamp_dates_the_entry() {
    let (capture, log) = (captured(false).await, Log::new());
    let made = log.prove_since(&capture.manifest, |text| stamped_by(Authority::shared(), text));
    let verdict = judged_at(&capture.jpeg, Some(evidence(&made, &log.key)), now());
    let report = &verdict.report;
    assert_eq!(failed(report), []);
    let stamp = report.transparency_log.as_ref().unwrap().timestamp.as_ref().unwrap();
    assert!(stamp.holds && stamp.authority.starts_with("CN=Servidor de Carimbo do Tempo"), "{stamp:?}");
    assert_eq!(report.times.as_ref().unwrap().log_trusted.as_ref(), Some(&stamp.time));
    let line = format!("         Before {}, stated by the authority {}\n", stamp.time, stamp.authority);
    assert!(report.to_string().contains(&line), "{report}");
    let gaps: Vec<_> = report.not_checked.iter().filter(|gap| gap.part == TIMESTAMP).collect();
    assert!(gaps.iter().all(|gap| gap.what.ends_with("no CRL or OCSP response given")) && !gaps.is_empty());
    let html = page(&verdict, &capture.jpeg);
    assert!(html.contains("A captura no registro público, e com ela toda a prova"));
    assert!(html.contains("declarado pela autoridade"));
    // The log's timestamp gives a trusted time, so the sentence about a missing one is gone.
    assert!(!html.contains("Quando foi assinada: sem carimbo do tempo confiável"));
}

/// Like with other timestamps, the check fails and the time does not count.
#[tokio::test]
async fn an_invalid_timestamp_fails_the_check() {
    let (capture, log) = (captured(true).await, Log::new());
    let others = Authority::new();
    type Stamp<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let of_another: Stamp<'_> = &|_| stamped_by(Authority::shared(), b"another text");
    let untrusted: Stamp<'_> = &|text| stamped_by(&others, text);
    let unreadable: Stamp<'_> = &|_| vec![0x30; 5];
    let long: Stamp<'_> = &|_| vec![0x30; 40_000];
    for (stamp, found, why) in [
        (of_another, Found::Timestamp, "another"),
        (untrusted, Found::Timestamp, "not trusted"),
        (unreadable, Found::Unreadable, ""),
        (long, Found::Unreadable, "40000"),
    ] {
        let made = log.prove_since(&capture.manifest, stamp);
        let verdict = judged_at(&capture.jpeg, Some(evidence(&made, &log.key)), now());
        let report = &verdict.report;
        let [(name, fault)] = failed(report)[..] else { panic!("{report}") };
        assert_eq!(name, TIMESTAMP);
        assert!(fault.contains(why), "{fault}");
        assert_eq!((report.outcome, report.valid), (Outcome::Refused, false));
        let entry = report.transparency_log.as_ref().unwrap();
        assert_eq!(entry.timestamp_found, found);
        assert!(entry.timestamp.as_ref().is_none_or(|timestamp| !timestamp.holds));
        assert_eq!(report.times.as_ref().unwrap().log_trusted, None);
        assert!(report.to_string().contains("the timestamp that the proof carries does not hold, and does not count."));
        assert!(page(&verdict, &capture.jpeg).contains("não confere, e não conta."));
    }
}

#[tokio::test]
async fn log_timestamps_end_with_their_authority() {
    let (capture, log) = (captured(true).await, Log::new());
    let made = log.prove_since(&capture.manifest, |text| stamped_by(Authority::shared(), text));
    let report = judged(&capture.jpeg, Some(evidence(&made, &log.key)));
    assert!(report.holds_until.unwrap().certificate.contains("Carimbo do Tempo"));
    let late = judged_at(&capture.jpeg, Some(evidence(&made, &log.key)), now() + Duration::days(5 * 365));
    let names: Vec<_> = failed(&late.report).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&TIMESTAMP) && names.contains(&"seal timestamp"), "{names:?}");
    assert!(!names.contains(&LOG));
}

#[tokio::test]
async fn foreign_log_proofs_fail() {
    let (capture, log) = (captured(false).await, Log::new());
    let proof = log.prove(&capture.manifest);
    let fails = |evidence: LogEvidence, why: &str| {
        let report = judged(&capture.jpeg, Some(evidence));
        assert_eq!(failed(&report), [(LOG, why)]);
        assert_eq!((report.outcome, report.valid, &report.transparency_log), (Outcome::Refused, false, &None));
        assert!(!made(&report, TIMESTAMP));
        let conclusion = report.conclusion(Language::English);
        assert!(conclusion.starts_with("Not valid"), "{conclusion}");
    };
    let of_another = log.prove_since(&captured(false).await.manifest, |text| stamped_by(Authority::shared(), text));
    fails(evidence(&of_another, &log.key), "the proof belongs to another photo or was altered");
    let unsigned = "the checkpoint is not signed by this key";
    fails(evidence(&proof, &Log::of_seed(8).key), unsigned);
    let sandbox = LogKey::new("log.example/sandbox", public_key(&log.key)).unwrap();
    fails(evidence(&proof, &sandbox), unsigned);
}

#[tokio::test]
async fn a_changed_log_proof_proves_nothing() {
    let (capture, log) = (captured(false).await, Log::new());
    let proof = log.prove(&capture.manifest).to_string().into_bytes();
    for at in (0..proof.len()).step_by(7) {
        let mut changed = proof.clone();
        changed[at] ^= 1;
        let report = judged(&capture.jpeg, Some(LogEvidence::new(changed, log.key.clone())));
        assert_eq!(report.transparency_log, None, "{at}");
        match report.unreadable_log_proof {
            true => assert!(report.valid && !made(&report, LOG), "{at}"),
            false => assert_eq!(failed(&report)[0].0, LOG, "{at}"),
        }
    }
}

#[tokio::test]
async fn a_proof_survives_its_transport() {
    let (capture, log) = (captured(false).await, Log::new());
    let proof = log.prove(&capture.manifest).to_string();
    for damaged in [
        proof.replace('\n', "\r\n"),
        proof.replace('\n', "\r"),
        proof.replace('\n', " \n"),
        proof.trim_end().to_owned(),
        format!("\u{FEFF}{proof}"),
        format!("\u{FEFF}\r\n{}", proof.replace('\n', "\r\n").trim_end()),
        format!("{proof}{}", "\n".repeat(65_536 - proof.len())),
    ] {
        let report = judged(&capture.jpeg, Some(LogEvidence::new(damaged.clone().into_bytes(), log.key.clone())));
        assert!(report.valid && made(&report, LOG) && !report.unreadable_log_proof, "{damaged}");
        assert_eq!(report.transparency_log.unwrap().index, INDEX);
    }
}

#[tokio::test]
async fn unreadable_proofs_leave_the_photos_verdict() {
    let (capture, log) = (captured(false).await, Log::new());
    let proof = log.prove(&capture.manifest).to_string();
    let notice =
        "The file that was given as a proof of the public log is not a proof of a public log, and was not used";
    for unreadable in [
        Vec::new(),
        vec![0xFF; 65_536],
        vec![b'\n'; 65_536],
        proof[..proof.len() / 2].into(),
        proof.replace("extra ", "").into_bytes(),
        format!("{proof}{}", "\n".repeat(65_537 - proof.len())).into_bytes(),
        vec![b'A'; 16 << 20],
    ] {
        let verdict = judged_at(&capture.jpeg, Some(LogEvidence::new(unreadable, log.key.clone())), now());
        let report = &verdict.report;
        assert!(report.valid && report.unreadable_log_proof && !made(report, LOG), "{report}");
        assert_eq!((report.outcome, &report.transparency_log), (Outcome::NotPinned, &None));
        let gaps: Vec<_> = report.not_checked.iter().filter(|gap| gap.part == LOG).collect();
        assert!(matches!(gaps[..], [gap] if gap.what.contains("not a proof of this service")), "{gaps:?}");
        assert!(report.to_string().contains(notice), "{report}");
        let html = page(&verdict, &capture.jpeg);
        assert!(html.contains(notice) && html.contains("não é uma prova de um registro público, e não foi usado"));
        assert!(!html.contains("no proof of it was given"));
    }
    // A file that is not a Lacre proof has no manifest that could be in the log.
    let report = judged(b"not a photo", Some(evidence(&log.prove(b""), &log.key)));
    assert_eq!((report.outcome, made(&report, LOG)), (Outcome::NoProof, false));
}

/// Cross-checks with other implementations: `signed_note` verifies the checkpoint, and `tlog_tiles` finds the entry in
/// its tree.
#[tokio::test]
async fn independent_libraries_agree_on_inclusion() {
    let (capture, other, log) = (captured(false).await, captured(false).await, Log::new());
    let proof = log.prove(&capture.manifest);
    let verifier = StandardVerifier::new(&log.key.to_string()).unwrap();
    let note = Note::from_bytes(proof.checkpoint.to_string().as_bytes()).unwrap();
    let (verified, _) = note.verify(&VerifierList::new(vec![Box::new(verifier)])).unwrap();
    assert_eq!(verified.len(), 1);
    let checkpoint = tlog_tiles::checkpoint::Checkpoint::from_bytes(note.text()).unwrap();
    let path: Vec<Hash> = proof.path.iter().map(|hash| Hash(*hash.as_bytes())).collect();
    for (capture, holds) in [(&capture, true), (&other, false)] {
        let manifest = Sha256::digest(&capture.manifest);
        let entry = Sha256::new_with_prefix(b"lacre.capture.v1\0")
            .chain_update(proof.extra.salt.expose())
            .chain_update(manifest)
            .chain_update(proof.extra.record.as_bytes());
        let leaf = record_hash(&entry.finalize());
        let theirs = check_record(&path, checkpoint.size(), *checkpoint.hash(), proof.index, leaf);
        assert_eq!(theirs.is_ok(), holds, "{theirs:?}");
        assert_eq!(judged(&capture.jpeg, Some(evidence(&proof, &log.key))).valid, holds);
    }
}

fn public_key(key: &LogKey) -> [u8; 32] {
    use base64::{Engine, prelude::BASE64_STANDARD};
    let text = key.to_string();
    let (_, bytes) = text.rsplit_once('+').unwrap_or_default();
    BASE64_STANDARD.decode(bytes).unwrap()[1..].try_into().unwrap()
}

#[tokio::test]
async fn each_required_witness_cosigned_the_checkpoint() {
    let (capture, log) = (captured(false).await, Log::new());
    let (first, second) = (Witness::of_seed(1), Witness::of_seed(2));
    let bare = log.prove(&capture.manifest);
    let (mut cosigned, mut misled) = (bare.clone(), bare.clone());
    cosigned.checkpoint.add([first.cosignature(&bare.checkpoint.text)]);
    misled.checkpoint.add([first.cosignature("another text")]);
    let judged = |proof: &LogProof, witnesses: &[&Witness]| {
        let witnesses = witnesses.iter().map(|witness| witness.key.clone()).collect();
        judged(&capture.jpeg, Some(LogEvidence { witnesses, ..evidence(proof, &log.key) }))
    };
    assert!(!made(&judged(&cosigned, &[]), "log witnesses"), "nobody asked");
    let report = judged(&cosigned, &[&first]);
    assert!(report.valid && made(&report, "log witnesses"), "{report}");
    for (proof, witnesses, missing) in
        [(&bare, &[&first][..], &first), (&misled, &[&first], &first), (&cosigned, &[&first, &second], &second)]
    {
        let fault = format!("{} did not cosign the checkpoint", missing.key.name());
        assert_eq!(failed(&judged(proof, witnesses)), [("log witnesses", &*fault)]);
    }
}

#[tokio::test]
async fn a_witness_policy_decides() {
    let (capture, log) = (captured(false).await, Log::new());
    let (first, second) = (Witness::of_seed(1), Witness::of_seed(2));
    let mut proof = log.prove(&capture.manifest);
    let cosignature = first.cosignature(&proof.checkpoint.text);
    proof.checkpoint.add([cosignature]);
    let named = [&first, &second].map(|witness| format!("witness {} {}\n", witness.key.name(), witness.key)).concat();
    let group =
        |threshold| format!("{named}group both {threshold} {} {}\nquorum both\n", first.key.name(), second.key.name());
    let other_log = format!("log {}\nquorum none\n", Log::of_seed(8).key);
    for (policy, fault) in [
        (group("any"), None),
        (group("all"), Some("too few of the witness policy's witnesses cosigned the checkpoint")),
        (other_log, Some("the witness policy does not name the log")),
    ] {
        let policy = Some(WitnessPolicy::parse(policy.as_bytes()).unwrap());
        let report = judged(&capture.jpeg, Some(LogEvidence { policy, ..evidence(&proof, &log.key) }));
        assert!(made(&report, "log witnesses"));
        assert_eq!(failed(&report), fault.map(|fault| ("log witnesses", fault)).into_iter().collect::<Vec<_>>());
    }
}
