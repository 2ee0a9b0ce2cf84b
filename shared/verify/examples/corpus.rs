//! Writes the test vectors: fifty files for comparing verifiers, the trusted roots, and `cases.json`, which states for
//! each file the options, the outcome, and the checks that fail. `docs/reference/manifest.md` describes them.
//! `docs/vectors` has to be regenerated when the format changes. Where it only gains a field, the published files keep
//! their bytes: a new case goes last, and its file, its case and the roots of its sandbox are appended to the others.
//!
//! `cargo run -p lacre-verify --example corpus -- FOLDER`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../tests/it/claimant/mod.rs"]
mod claimant;
#[path = "../tests/it/vector/mod.rs"]
mod vector;

use std::{fs, path::PathBuf};

use c2pa::{Builder, Context, DigitalSourceType};
use claimant::{Claimant, Stated, broken, stated, stated_by};
use lacre_domain::{AskedFor, BrowserClaims, Environment, FrameHash, Label, Position, SignaturePolicy, UserAgent};
use lacre_photo::{CheckedPhoto, Jpeg};
use lacre_proof::{Anchors, Timestamps};
use lacre_proof_fixtures::authority::{Authority, Stamping};
use lacre_proof_fixtures::stapling::Stapling;
use lacre_proof_fixtures::{DOCUMENT, EcKey, RsaKey, Sandbox, asked_for, facts, facts_at, synthetic};
use lacre_sign::Facts;
use lacre_verify::join;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};
use vector::{failed, judged};

/// The CNPJ of the development hierarchy's seal.
const HOLDER: &str = "11.222.333/0001-81";

/// The folder of vectors that is being written.
struct Corpus {
    folder: PathBuf,
    roots: Anchors,
    /// The time at which the files are made and, unless the options state another, validated.
    at: String,
    cases: Vec<Value>,
}

impl Corpus {
    /// Adds a photo that is checked as a sandbox proof of [`HOLDER`], unless the options state otherwise.
    fn add(&mut self, name: &str, outcome: &str, file: &[u8], options: Value) {
        let photo = format!("{:02}-{}.jpg", self.cases.len() + 1, name.replace(' ', "-"));
        fs::write(self.folder.join(&photo), file).unwrap();
        let mut all = json!({ "environment": "sandbox", "seal_holder": HOLDER, "at": self.at });
        all.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let report = judged(file, &self.roots, &all);
        assert_eq!(json!(report.outcome), outcome, "{name}: {report}");
        let failed = failed(&report);
        let case = json!({ "name": name, "photo": photo, "outcome": outcome, "failed": failed, "options": all });
        self.cases.push(case);
    }

    /// Adds a frame with its manifest as a separate file.
    fn add_beside(&mut self, name: &str, outcome: &str, frame: &[u8], manifest: &[u8]) {
        let joined = join(frame, manifest).unwrap();
        self.add(name, outcome, &joined, json!({}));
        let case = self.cases.last_mut().unwrap();
        fs::write(self.folder.join(case["photo"].as_str().unwrap()), frame).unwrap();
        let sidecar = case["photo"].as_str().unwrap().replace(".jpg", ".c2pa");
        fs::write(self.folder.join(&sidecar), manifest).unwrap();
        case["manifest"] = json!(sidecar);
    }

    fn refuse(&mut self, name: &str, file: &[u8]) {
        self.add(name, "refused", file, json!({}));
    }
}

#[tokio::main]
async fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("usage: corpus FOLDER"));
    fs::create_dir_all(&folder).unwrap();
    let (others, stapling) = (Sandbox::new(), Stapling::new());
    let (shared, of_times) = (Sandbox::shared(), Authority::shared());
    let roots =
        [&shared.anchors_pem, &of_times.anchors_pem, &others.claim_anchor_pem, &stapling.sandbox.claim_anchor_pem];
    let roots = roots.map(String::as_str).concat();
    fs::write(folder.join("roots.pem"), &roots).unwrap();
    let at = lacre_domain::clock::rfc3339(OffsetDateTime::now_utc());
    let mut corpus = Corpus { folder, roots: Anchors::from_pem(&roots).unwrap(), at, cases: Vec::new() };
    valid(&mut corpus).await;
    changed_bytes(&mut corpus).await;
    changed_structure(&mut corpus).await;
    wrapped_again(&mut corpus, &others).await;
    signed_otherwise(&mut corpus).await;
    beside(&mut corpus).await;
    without_proof(&mut corpus);
    of_a_kit(&mut corpus).await;
    stapled(&mut corpus, &stapling).await;
    let text = serde_json::to_string_pretty(&corpus.cases).unwrap();
    fs::write(corpus.folder.join("cases.json"), text).unwrap();
    println!("{} cases", corpus.cases.len());
}

async fn sealed(frame: &[u8], facts: &Facts) -> Vec<u8> {
    Sandbox::shared().seal(frame, facts).await.jpeg
}

/// A copy of the sandbox whose signer profile names another environment.
fn in_environment(environment: Environment) -> Sandbox {
    let shared = Sandbox::shared();
    Sandbox {
        profile: lacre_domain::SignerProfile { environment, ..shared.profile.clone() },
        rsa: RsaKey(shared.rsa.0.clone()),
        ec: EcKey(shared.ec.0.clone()),
        anchors_pem: shared.anchors_pem.clone(),
        claim_anchor_pem: shared.claim_anchor_pem.clone(),
        seal_anchor_pem: shared.seal_anchor_pem.clone(),
    }
}

fn after(days: i64) -> Value {
    let at = OffsetDateTime::now_utc() + Duration::days(days);
    json!({ "at": lacre_domain::clock::rfc3339(at) })
}

async fn stamped(frame: &[u8]) -> Vec<u8> {
    stamped_at(frame, facts().ingested_at, facts().ingested_at).await
}

async fn stamped_at(frame: &[u8], ingested_at: OffsetDateTime, at: OffsetDateTime) -> Vec<u8> {
    let stamping = Stamping::new(Authority::shared(), at);
    let facts = facts_at(ingested_at);
    Sandbox::shared().seal_with(frame, &facts, Timestamps::Required(&stamping)).await.unwrap().jpeg
}

async fn valid(corpus: &mut Corpus) {
    let frame = synthetic(320, 240, false);
    let photo = sealed(&frame, &facts()).await;
    corpus.add("valid", "accepted", &photo, json!({}));
    corpus.add("valid progressive", "accepted", &sealed(&synthetic(320, 240, true), &facts()).await, json!({}));
    corpus.add("valid with timestamps", "accepted", &stamped(&frame).await, json!({}));
    corpus.add("valid with timestamps in two years", "accepted", &stamped(&frame).await, after(730));
    let nowhere = BrowserClaims { position: Position::NOT_OBTAINED, label: None, ..facts().claims };
    corpus.add(
        "valid without a place",
        "accepted",
        &sealed(&frame, &Facts { claims: nowhere, ..facts() }).await,
        json!({}),
    );
    let user_agent = UserAgent::sanitize("<script>alert(\"1\")</script> & 'Chrome' \\ {}");
    let hostile = BrowserClaims { user_agent, label: Label::parse("Ünïcødé 📷").unwrap(), ..facts().claims };
    corpus.add(
        "valid with markup",
        "accepted",
        &sealed(&frame, &Facts { claims: hostile, ..facts() }).await,
        json!({}),
    );
    let production = in_environment(Environment::Production).seal(&frame, &facts()).await.jpeg;
    corpus.add("valid in production", "accepted", &production, json!({ "environment": "production" }));
    corpus.add("production where sandbox is required", "other_environment", &production, json!({}));
    let staging = in_environment(Environment::Staging).seal(&frame, &facts()).await.jpeg;
    corpus.add(
        "staging where production is required",
        "other_environment",
        &staging,
        json!({ "environment": "production" }),
    );
    corpus.add("not pinned", "not_pinned", &production, json!({ "environment": "production", "seal_holder": null }));
    corpus.add("not pinned in sandbox", "not_pinned", &photo, json!({ "seal_holder": null }));
    corpus.add("another holder required", "refused", &photo, json!({ "seal_holder": "12.ABC.345/01DE-35" }));
    corpus.add("another claim signer required", "refused", &photo, json!({ "claim_subject": "Another Claim Signer" }));
    let subject = json!({ "claim_subject": "Lacre Development Claim Signer" });
    corpus.add("claim signer required", "accepted", &photo, subject);
    corpus.add("expired", "refused", &photo, after(730));
    corpus.add("not yet valid", "refused", &photo, after(-2));
}

async fn changed_bytes(corpus: &mut Corpus) {
    let frame = synthetic(320, 240, false);
    let photo = sealed(&frame, &facts()).await;
    let (start, length) = (Jpeg::parse(&frame).unwrap().manifest_offset(), photo.len() - frame.len());
    let places = (0..8).map(|part| ("a changed byte of the manifest", start + 20 + part * (length - 40) / 7));
    let places = places.chain((1..8).map(|part| ("a changed byte of the photo", photo.len() - part * frame.len() / 9)));
    for (what, at) in places {
        let mut changed = photo.clone();
        changed[at] ^= 1;
        corpus.refuse(what, &changed);
    }
}

async fn changed_structure(corpus: &mut Corpus) {
    let frame = synthetic(320, 240, false);
    let photo = sealed(&frame, &facts()).await;
    let start = Jpeg::parse(&frame).unwrap().manifest_offset();
    let end = start + photo.len() - frame.len();
    let manifest = &photo[start..end];
    let other = synthetic(320, 240, true);
    let offset = Jpeg::parse(&other).unwrap().manifest_offset();
    corpus.refuse("another photo", &[&other[..offset], manifest, &other[offset..]].concat());
    corpus.refuse("the manifest elsewhere", &[&frame[..2], manifest, &frame[2..]].concat());
    corpus.refuse("two manifests", &[&photo[..end], manifest, &photo[end..]].concat());
    corpus.refuse("cut off", &photo[..photo.len() - 1000]);
    corpus.refuse("bytes behind the photo", &[&photo[..], b"PK\x05\x06"].concat());
    corpus.refuse("a segment inserted", &[&photo[..end], &[0xFF, 0xEB, 0x00, 0x02], &photo[end..]].concat());
}

async fn wrapped_again(corpus: &mut Corpus, others: &Sandbox) {
    let frame = synthetic(320, 240, false);
    let genuine = stated(&frame, &facts()).await;
    let (own, other) = (Claimant::of(Sandbox::shared()), Claimant::of(others));
    let mut moved = genuine.clone();
    (moved.browser.gps_lat, moved.browser.gps_lon) = (-3.1, -60.0);
    let mut promoted: Stated = genuine.clone();
    promoted.capture.environment = Environment::Production;
    corpus.add("made by a newer version", "newer_version", &own.wrap_newer(&frame, &genuine), json!({}));
    corpus.refuse("another position under the seal", &own.wrap(&frame, &moved));
    corpus.refuse("another environment under the seal", &own.wrap(&frame, &promoted));
    corpus.refuse("another claim signer under the seal", &other.wrap(&frame, &genuine));
    corpus.refuse("a broken seal", &own.wrap(&frame, &Stated { seal: broken(&genuine.seal), ..genuine.clone() }));
    let mut of_icp_brasil = genuine.clone();
    of_icp_brasil.capture.icp_brasil = true;
    corpus.refuse("a seal of ICP-Brasil in a sandbox", &own.wrap(&frame, &of_icp_brasil));
}

async fn signed_otherwise(corpus: &mut Corpus) {
    let frame = synthetic(320, 240, false);
    corpus.refuse("roots that are not trusted", &Sandbox::new().seal(&frame, &facts()).await.jpeg);
    let sandbox = Sandbox::shared();
    let mut profile = sandbox.profile.clone();
    profile.seal.policy = SignaturePolicy { oid: "2.16.76.1.7.1.1.2.99".into(), ..SignaturePolicy::ad_rb_v2_4() };
    let signers = lacre_sign::Signers::parse(&profile).unwrap();
    let hash = FrameHash::of(&frame);
    let photo = CheckedPhoto::check(frame.as_slice().into()).unwrap();
    let signature = signers.sign_frame(&hash, &facts(), &sandbox.rsa, Timestamps::None).await.unwrap();
    let proof = signers.sign_manifest(&photo, &hash, &signature, &sandbox.ec, Timestamps::None, None).await.unwrap();
    corpus.refuse("an unknown policy", &proof.jpeg);
    let (long_ago, now) = (OffsetDateTime::now_utc() - Duration::days(7 * 365), OffsetDateTime::now_utc());
    corpus.refuse("times of years ago beside timestamps of now", &stamped_at(&frame, long_ago, now).await);
    let signers = sandbox.signers();
    let of_other = FrameHash::of(b"another frame");
    let signature = signers.sign_frame(&of_other, &facts(), &sandbox.rsa, Timestamps::None).await.unwrap();
    let proof = signers.sign_manifest(&photo, &hash, &signature, &sandbox.ec, Timestamps::None, None).await.unwrap();
    corpus.refuse("a seal of another photo", &proof.jpeg);
}

async fn beside(corpus: &mut Corpus) {
    let frame = synthetic(320, 240, false);
    let proof = Sandbox::shared().seal(&frame, &facts()).await;
    corpus.add_beside("valid beside its frame", "accepted", &frame, &proof.manifest);
    corpus.add_beside("beside another frame", "refused", &synthetic(320, 240, true), &proof.manifest);
    let mut changed = proof.manifest.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    corpus.add_beside("changed beside its frame", "refused", &frame, &changed);
}

fn without_proof(corpus: &mut Corpus) {
    let frame = synthetic(320, 240, false);
    corpus.add("a photo without a proof", "no_proof", &frame, json!({}));
    corpus.add("not a photo", "no_proof", b"not a photo", json!({}));
    corpus.add("a document", "no_proof", DOCUMENT, json!({}));
    corpus.add("a manifest of another product", "no_proof", &of_another_product(&frame), json!({}));
}

async fn of_a_kit(corpus: &mut Corpus) {
    let frame = synthetic(320, 240, false);
    let asked = |step: &str| Facts { asked_for: Some(AskedFor { step: step.into(), ..asked_for() }), ..facts() };
    corpus.add("a step of a kit", "accepted", &sealed(&frame, &asked("chassi")).await, json!({}));
    corpus.refuse("a step that no kit has", &sealed(&frame, &asked("<b>chassi</b>")).await);
}

/// With an OCSP response in the manifest: about the claim signer's certificate, and about another one.
async fn stapled(corpus: &mut Corpus, Stapling { ca, sandbox }: &Stapling) {
    let frame = synthetic(320, 240, false);
    // The responses were current when the claim was signed.
    let [own, other] = ["claim", "other"]
        .map(|about| ca.answer("issuing", about, "responder", &["-nmin", "60", "-rother", "issuing.pem"]));
    let stated = stated_by(sandbox, &frame, &facts(), Timestamps::None).await;
    let with = |answer| Claimant { staple: Some(answer), ..Claimant::of(sandbox) }.wrap(&frame, &stated);
    corpus.add("an OCSP response", "accepted", &with(own), json!({}));
    corpus.refuse("an OCSP response about another certificate", &with(other));
}

/// A photo with Content Credentials, as the C2PA library writes them by default.
fn of_another_product(frame: &[u8]) -> Vec<u8> {
    let settings = json!({ "verify": { "verify_after_sign": false } });
    let context = Context::new().with_settings(settings.to_string()).unwrap().into_shared();
    let definition =
        json!({ "title": "photo.jpg", "claim_generator_info": [{ "name": "Another Camera", "version": "1" }] });
    let mut builder = Builder::from_shared_context(&context).with_definition(definition).unwrap();
    builder.set_intent(c2pa::BuilderIntent::Create(DigitalSourceType::DigitalCapture));
    let (mut source, mut output) = (std::io::Cursor::new(frame), std::io::Cursor::new(Vec::new()));
    builder.sign(&Claimant::of(Sandbox::shared()), "image/jpeg", &mut source, &mut output).unwrap();
    output.into_inner()
}
