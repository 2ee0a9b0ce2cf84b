//! Tests which sentences a report still contains about a proof that was tampered with: none may appear without the
//! checks that it depends on.
//!
//! The table of sentences is independent of the implementation. It is compared with the page in each language, and with
//! the lines of text, for each kind of tampering.

use lacre_domain::{Environment, Kit, SignerProfile};
use lacre_photo::Jpeg;
use lacre_proof::{Anchors, Cnpj, Timestamps, Trust};
use lacre_proof_fixtures::authority::{Authority, NONE, Stamping};
use lacre_proof_fixtures::log::{Log, Witness};
use lacre_proof_fixtures::{EcKey, KIT, RsaKey, Sandbox, asked_for, facts_at, synthetic};
use lacre_sign::Facts;
use lacre_verify::{LogEvidence, Page, Picture, Report, Requirements, Revocations, Verdict, WitnessKey, check_with};
use time::{Duration, OffsetDateTime};

use super::claimant::{Claimant, Stated, broken};

/// A sentence: its key, in Portuguese, in English, and the checks without which it would be wrong.
type Carried = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// The sentences that are wrong as soon as any check fails.
const OF_ALL: [(&str, &str); 14] = [
    ("Todas as verificações conferem", "Every check holds"),
    ("Selada por", "Sealed by"),
    ("A foto tal como o serviço a recebeu", "The photo as the service received"),
    ("SHA-256 da foto como foi recebida", "SHA-256 of the photo as received"),
    ("Válida até", "Valid until"),
    ("Esta é, byte por byte, a foto", "This is, byte for byte, the photo"),
    ("O titular do certificado do selo a assinou", "The holder of the seal's certificate signed it"),
    ("Ela já existia no tempo confiável", "It existed at the trusted time"),
    ("O serviço declarou tê-la recebido", "The service stated that it received it"),
    ("Foto tirada, segundo o navegador", "Photo taken, says the browser"),
    ("Foto recebida, segundo o serviço", "Photo received, says the service"),
    ("Selo assinado, segundo quem o assinou", "Seal signed, says its signer"),
    ("Lugar, segundo o navegador", "Place, says the browser"),
    ("O serviço declara e responde", "The service states and vouches for"),
];

/// The sentences that depend on some checks.
const OF_SOME: [Carried; 6] = [
    (
        "seal",
        "CAdES da empresa sobre a foto",
        "CAdES signature over the photo",
        &["seal signature", "seal certificate", "hashes agree"],
    ),
    (
        "claim",
        "C2PA do serviço sobre toda a prova",
        "C2PA signature over the whole proof",
        &["claim", "claim certificate", "statements", "hard binding", "hashes agree"],
    ),
    (
        "seal's time",
        "A foto e a assinatura do selo",
        "The photo and the seal's signature",
        &["seal timestamp", "seal signature", "hashes agree"],
    ),
    (
        "claim's time",
        "A assinatura C2PA, e com ela toda a prova",
        "The C2PA signature, and with it the whole proof",
        &["claim timestamp", "claim", "statements", "hard binding", "hashes agree"],
    ),
    (
        "log's time",
        "A captura no registro público, e com ela",
        "The capture in the public log, and with it",
        &["log timestamp", "transparency log", "log witnesses?", "claim", "statements", "hard binding", "hashes agree"],
    ),
    (
        "log",
        "A captura está no registro público",
        "The capture is in the public log",
        &["transparency log", "log witnesses?", "claim", "statements", "hard binding", "hashes agree"],
    ),
];

/// Rows of checks that count only together with other checks.
const ROWS: [(&str, &[&str]); 5] = [
    ("O certificado do selo é da empresa exigida", &["seal holder", "seal signature", "seal certificate"]),
    ("O kit dado por quem verificou", &["kit", "claim", "seal signature", "sealed statements"]),
    ("O selo abrange o que a prova declara", &["sealed statements", "seal signature"]),
    ("As declarações são as de uma foto capturada", &["statements", "claim"]),
    ("Os horários conferem entre si", &["times agree", "claim", "seal signature"]),
];

/// A file, with what is given and required in addition.
struct Case {
    what: &'static str,
    file: Vec<u8>,
    claim_roots: String,
    seal_roots: String,
    timestamp_roots: String,
    log_proof: Vec<u8>,
    witnesses: Vec<WitnessKey>,
    holder: &'static str,
    at: OffsetDateTime,
    /// The keys of the sentences that must still appear.
    remain: &'static [&'static str],
}

impl Case {
    fn verdict(&self) -> Verdict {
        let [claim, seal, timestamps] =
            [&self.claim_roots, &self.seal_roots, &self.timestamp_roots].map(|pem| Anchors::from_pem(pem).unwrap());
        let trust = Trust { seal: &seal, seal_timestamps: &timestamps, claim: &claim, claim_timestamps: &timestamps };
        let requirements = Requirements {
            seal_holder: Some(Cnpj::parse(self.holder).unwrap()),
            kit: Some(Kit::parse(KIT).unwrap()),
            log: Some(LogEvidence {
                witnesses: self.witnesses.clone(),
                ..LogEvidence::new(self.log_proof.clone(), Log::new().key)
            }),
            ..Requirements::of(Environment::Production)
        };
        check_with(&self.file, trust, &Revocations::default(), &requirements, self.at)
    }

    /// The page with both languages, and the lines of text.
    fn said(&self, verdict: &Verdict) -> (String, String) {
        let (file, made_at) = (&*self.file, self.at);
        let page = Page { verdict, file, manifest: None, name: "photo.jpg", picture: Picture::Elsewhere, made_at };
        (page.sections(), verdict.report.to_string())
    }
}

/// Whether the given checks succeeded. A check whose name has a question mark may also be absent.
fn carries(report: &Report, names: &[&str]) -> bool {
    let found = |name: &str| report.checks.iter().find(|check| check.name == name).map(|check| check.holds);
    names.iter().all(|name| match name.strip_suffix('?') {
        Some(name) => found(name).unwrap_or(true),
        None => found(name).unwrap_or(false),
    })
}

fn production() -> Sandbox {
    let shared = Sandbox::shared();
    Sandbox {
        profile: SignerProfile { environment: Environment::Production, ..shared.profile.clone() },
        rsa: RsaKey(shared.rsa.0.clone()),
        ec: EcKey(shared.ec.0.clone()),
        anchors_pem: shared.anchors_pem.clone(),
        claim_anchor_pem: shared.claim_anchor_pem.clone(),
        seal_anchor_pem: shared.seal_anchor_pem.clone(),
    }
}

/// One case of each kind of tampering in the tests.
async fn cases() -> Vec<Case> {
    let now = OffsetDateTime::now_utc();
    let (sandbox, frame) = (production(), synthetic(320, 240, false));
    let facts = |at| Facts { asked_for: Some(asked_for()), ..facts_at(at) };
    let seal = async |frame: &[u8], at: OffsetDateTime| {
        let stamping = Stamping::new(Authority::shared(), now);
        sandbox.seal_with(frame, &facts(at), Timestamps::Required(&stamping)).await.unwrap()
    };
    let log_proof = |manifest: &[u8], at| {
        let stamp = |text: &[u8]| Authority::shared().stamp(text, at, &NONE).unwrap().der().to_vec();
        Log::new().prove_since(manifest, stamp).to_string().into_bytes()
    };
    let case = |what, file: Vec<u8>, manifest: &[u8], remain| Case {
        what,
        file,
        claim_roots: sandbox.claim_anchor_pem.clone(),
        seal_roots: sandbox.seal_anchor_pem.clone(),
        timestamp_roots: Authority::shared().anchors_pem.clone(),
        log_proof: log_proof(manifest, now),
        witnesses: Vec::new(),
        holder: "11222333000181",
        at: now,
        remain,
    };
    let proof = seal(&frame, now).await;
    let genuine = || case("genuine", proof.jpeg.clone(), &proof.manifest, EVERYTHING);
    let segments = {
        let start = Jpeg::parse(&frame).unwrap().manifest_offset();
        start..start + proof.jpeg.len() - frame.len()
    };

    let mut one_bit = proof.jpeg.clone();
    one_bit[proof.jpeg.len() - 100] ^= 1;
    let other = synthetic(320, 240, true);
    let (head, tail) = other.split_at(Jpeg::parse(&other).unwrap().manifest_offset());
    let other = [head, &proof.jpeg[segments.clone()], tail].concat();

    let Verdict { report, contents } = genuine().verdict();
    let contents = contents.unwrap();
    let stated = Stated {
        capture: report.capture.unwrap(),
        browser: report.browser.unwrap(),
        policy: report.seal.unwrap().policy,
        seal: contents.signature,
    };
    let claimant = Claimant::of(&sandbox);
    let wrapped = |what, stated: &Stated, remain| {
        let file = claimant.wrap(&frame, stated);
        let mut case = case(what, file, b"", remain);
        let manifest = case.verdict().contents.unwrap().manifest;
        case.log_proof = log_proof(&manifest, now);
        case
    };
    let broken_seal = Stated { seal: broken(&stated.seal), ..stated.clone() };
    let mut moved = stated.clone();
    moved.browser.gps_lat = -3.1;

    let others = Sandbox::new();
    let (dated_back, later) = (seal(&frame, now - Duration::hours(3)).await, now + Duration::days(730));
    let without = sandbox.seal(&frame, &facts(now)).await;
    let strangers = Authority::new().anchors_pem;
    let unmoved_log = ["seal", "claim", "seal's time", "claim's time"].as_slice();
    vec![
        genuine(),
        Case { what: "two years later", at: later, ..genuine() },
        case("one bit of the picture", one_bit, &proof.manifest, &[]),
        case("another picture", other, &proof.manifest, &[]),
        wrapped("a seal that is broken", &broken_seal, &["claim", "log's time", "log"]),
        wrapped("another position", &moved, &["seal", "claim", "seal's time", "log's time", "log"]),
        Case {
            what: "a seal of an unknown root",
            seal_roots: others.seal_anchor_pem.clone(),
            remain: &["claim", "seal's time", "claim's time", "log's time", "log"],
            ..genuine()
        },
        Case {
            what: "a claim of an unknown root",
            claim_roots: others.claim_anchor_pem.clone(),
            remain: &["seal", "seal's time", "claim's time", "log's time", "log"],
            ..genuine()
        },
        Case {
            what: "timestamps of an unknown root",
            timestamp_roots: strangers,
            remain: &["seal", "claim", "log"],
            ..genuine()
        },
        Case { what: "another holder", holder: "12ABC34501DE35", ..genuine() },
        case("stated times of another day", dated_back.jpeg, &dated_back.manifest, EVERYTHING),
        Case {
            what: "another manifest in the log",
            log_proof: log_proof(b"another", now),
            remain: unmoved_log,
            ..genuine()
        },
        Case {
            what: "without a required witness",
            witnesses: vec![Witness::of_seed(1).key],
            remain: unmoved_log,
            ..genuine()
        },
        Case {
            what: "expired without timestamps",
            at: later,
            log_proof: Log::new().prove(&without.manifest).to_string().into_bytes(),
            ..case("", without.jpeg.clone(), b"", &["log"])
        },
        Case {
            what: "expired since it was in the log",
            at: later,
            ..case("", without.jpeg, &without.manifest, &["seal", "claim", "log's time", "log"])
        },
        case("a byte behind the photo", [&*proof.jpeg, &[0]].concat(), &proof.manifest, &[]),
        case("without a manifest", frame.clone(), &proof.manifest, &[]),
    ]
}

const EVERYTHING: &[&str] = &["seal", "claim", "seal's time", "claim's time", "log's time", "log"];

#[tokio::test]
async fn each_sentence_needs_its_checks() {
    for case in cases().await {
        let (what, verdict) = (case.what, case.verdict());
        let (page, lines) = case.said(&verdict);
        let report = &verdict.report;
        for (portuguese, english) in OF_ALL {
            assert_eq!(page.contains(portuguese), report.valid, "{what}: {portuguese}");
            assert_eq!(page.contains(english), report.valid, "{what}: {english}");
            assert!(report.valid || !lines.contains(english), "{what}: {english} in {lines}");
        }
        let mut remain = Vec::new();
        for (key, portuguese, english, checks) in OF_SOME {
            let is_carried = carries(report, checks);
            assert_eq!(page.contains(portuguese), is_carried, "{what}: {portuguese} in {report}");
            assert_eq!(page.contains(english), is_carried, "{what}: {english}");
            assert!(is_carried || !lines.contains(english), "{what}: {english} in {lines}");
            remain.extend(is_carried.then_some(key));
        }
        assert_eq!(remain, case.remain, "{what}: {report}");
        for (row, checks) in ROWS {
            let rows: Vec<_> = page.split("<tr").filter(|tr| tr.starts_with(['>', ' ']) && tr.contains(row)).collect();
            assert!(rows.len() <= 1, "{what}: {row}");
            let is_ticked = rows.iter().any(|tr| tr.contains("✓ confere"));
            assert_eq!(is_ticked, carries(report, checks), "{what}: {row} in {report}");
        }
        let valid = ["genuine", "two years later", "expired since it was in the log"];
        assert_eq!(report.valid, valid.contains(&what), "{what}: {report}");
    }
}
