//! Tests the `verify` command through a shell's view, and its extracted parts with OpenSSL.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use lacre_domain::Sha256Digest;
use lacre_proof::{
    TimestampRequest, Timestamps,
    archive::{ArchiveChain, RenewalTree},
    bundle::Bundle,
};
use lacre_proof_fixtures::authority::{Authority, NONE, Stamping};
use lacre_proof_fixtures::log::Log;
use lacre_proof_fixtures::{KIT, Sandbox, asked_for, facts, synthetic};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// Requires the CNPJ of the development seal certificate.
const PIN: [&str; 2] = ["--seal-holder", "11222333000181"];
/// The seal certificate's holder, as the report names it.
const HOLDER: &str = "LACRE DEVELOPMENT:11222333000181 (CNPJ 11.222.333/0001-81)";

struct Scene {
    folder: tempfile::TempDir,
    frame: Vec<u8>,
}

impl Scene {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let frame = synthetic(320, 240, false);
        let proof = Sandbox::shared().seal(&frame, &facts()).await;
        fs::write(folder.path().join("photo.jpg"), &proof.jpeg).unwrap();
        fs::write(folder.path().join("sidecar.c2pa"), &proof.manifest).unwrap();
        fs::write(folder.path().join("anchors.pem"), &Sandbox::shared().anchors_pem).unwrap();
        Self { folder, frame }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `verify` with the required holder.
    fn verify(&self, arguments: &[&str]) -> Output {
        self.verify_unpinned(&[arguments, &PIN].concat())
    }

    fn verify_unpinned(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_verify")).args(arguments).current_dir(&self.folder).output().unwrap()
    }
}

fn exit(output: &Output) -> Option<i32> {
    output.status.code()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn a_valid_proof_exits_0() {
    let scene = Scene::new().await;
    let readable = scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox"]);
    assert_eq!(exit(&readable), Some(0));
    let conclusion = format!("VALID, BUT MADE IN A TEST ENVIRONMENT\nSealed by: {HOLDER}\nEvery check holds: ");
    assert!(text(&readable.stdout).starts_with(&conclusion), "{}", text(&readable.stdout));

    let json = scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox", "--json"]);
    assert_eq!(exit(&json), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&report["outcome"], &report["valid"]), (&json!("accepted"), &json!(true)));
    assert_eq!((&report["environment"], &report["required_environment"]), (&json!("SANDBOX"), &json!("SANDBOX")));
    let holder = json!({ "name": "LACRE DEVELOPMENT:11222333000181", "cnpj": "11222333000181" });
    assert_eq!(report["seal"]["holder"], holder);
    assert_eq!(report["seal"]["policy_name"], "AD-RB v2.4");
    assert_eq!(report["frame_hash"], report["capture"]["frame_hash"]);
    assert_eq!(report["checks"].as_array().unwrap().len(), 14);
    let trusted = json!([{ "title": "anchors.pem", "certificates": 2,
        "roles": ["seal", "seal_timestamp", "claim", "claim_timestamp"] }]);
    assert_eq!(report["trust"], trusted);
}

#[tokio::test]
async fn a_proof_of_another_environment_exits_3() {
    let scene = Scene::new().await;
    let trust = ["photo.jpg", "--trust", "anchors.pem"];
    for (environment, required) in [
        (&[][..], "PRODUCTION"),
        (&["--environment", "production"], "PRODUCTION"),
        (&["--environment", "staging"], "STAGING"),
    ] {
        let output = scene.verify(&[&trust[..], environment].concat());
        assert_eq!(exit(&output), Some(3), "{environment:?}");
        let conclusion = format!(
            "VALID, BUT OF ANOTHER ENVIRONMENT THAN THE REQUIRED ONE\nSealed by: {HOLDER}\nEvery check holds: "
        );
        assert!(text(&output.stdout).starts_with(&conclusion), "{}", text(&output.stdout));
        let environments = format!("\nEnvironment: SANDBOX, required: {required}.\n");
        assert!(text(&output.stdout).contains(&environments), "{}", text(&output.stdout));
        let output = scene.verify(&[&trust[..], environment, &["--json"]].concat());
        assert_eq!(exit(&output), Some(3), "{environment:?}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["outcome"], &report["valid"]), (&json!("other_environment"), &json!(true)));
        assert_eq!(report["required_environment"], required);
    }
    let (mut changed, end) = (fs::read(scene.path("photo.jpg")).unwrap(), 100);
    let at = changed.len() - end;
    changed[at] ^= 1;
    fs::write(scene.path("changed.jpg"), changed).unwrap();
    let output = scene.verify(&["changed.jpg", "--trust", "anchors.pem", "--environment", "staging"]);
    assert_eq!(exit(&output), Some(1), "a failed check outweighs the environment");
}

#[tokio::test]
async fn a_production_proof_needs_no_option() {
    let scene = Scene::new().await;
    let shared = Sandbox::shared();
    let production = Sandbox {
        profile: lacre_domain::SignerProfile {
            environment: lacre_domain::Environment::Production,
            ..shared.profile.clone()
        },
        rsa: lacre_proof_fixtures::RsaKey(shared.rsa.0.clone()),
        ec: lacre_proof_fixtures::EcKey(shared.ec.0.clone()),
        anchors_pem: shared.anchors_pem.clone(),
        claim_anchor_pem: shared.claim_anchor_pem.clone(),
        seal_anchor_pem: shared.seal_anchor_pem.clone(),
    };
    fs::write(scene.path("production.jpg"), production.seal(&scene.frame, &facts()).await.jpeg).unwrap();
    let output = scene.verify(&["production.jpg", "--trust", "anchors.pem"]);
    assert_eq!(exit(&output), Some(0));
    let printed = text(&output.stdout);
    let icp_brasil = "The service itself states that the seal is not signed with a certificate of ICP-Brasil.";
    assert!(printed.starts_with(&format!("VALID\nSealed by: {HOLDER}\nEvery check holds: ")), "{printed}");
    assert!(printed.contains(&format!("\n{icp_brasil}\n")), "{printed}");
    let output = scene.verify(&["production.jpg", "--trust", "anchors.pem", "--environment", "sandbox"]);
    assert_eq!(exit(&output), Some(3));
    let conclusion = "VALID, BUT OF ANOTHER ENVIRONMENT THAN THE REQUIRED ONE\n";
    assert!(text(&output.stdout).starts_with(conclusion));
}

#[tokio::test]
async fn an_unpinned_valid_proof_exits_4() {
    let scene = Scene::new().await;
    let sandbox = ["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox"];
    let output = scene.verify_unpinned(&sandbox);
    assert_eq!(exit(&output), Some(4));
    let conclusion = format!("VALID, SIGNER NOT PINNED\nSealed by: {HOLDER}\n");
    assert!(text(&output.stdout).starts_with(&conclusion), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("\nNo CNPJ was required, and any holder "));
    let json = scene.verify_unpinned(&[&sandbox[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&report["outcome"], &report["valid"]), (&json!("not_pinned"), &json!(true)));
    // A different environment and a failed check take precedence over the missing holder. `--claim-subject` does not
    // replace `--seal-holder`.
    assert_eq!(exit(&scene.verify_unpinned(&sandbox[..3])), Some(3));
    let subject = ["--claim-subject", "Lacre Development Claim Signer"];
    assert_eq!(exit(&scene.verify_unpinned(&[&sandbox[..], &subject].concat())), Some(4));
    assert_eq!(exit(&scene.verify_unpinned(&["photo.jpg", "--environment", "sandbox"])), Some(1));
}

#[tokio::test]
async fn trusts_built_in_lists_unless_replaced() {
    let scene = Scene::new().await;
    let trusted = |arguments: &[&str]| {
        let output = scene.verify(&[&["photo.jpg", "--environment", "sandbox", "--json"], arguments].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let lists = report["trust"].as_array().unwrap().iter();
        let described = lists.map(|list| format!("{} {}", list["title"].as_str().unwrap(), list["roles"]));
        (exit(&output), described.collect::<Vec<_>>())
    };
    let everything = "[\"seal\",\"seal_timestamp\",\"claim\",\"claim_timestamp\"]";
    let built_in = [
        "ICP-Brasil root certificates: those of the policy AD-RB v2.4 [\"seal\",\"seal_timestamp\",\"claim_timestamp\"]",
        "C2PA trust list [\"claim\"]",
        "C2PA timestamp authority trust list [\"claim_timestamp\"]",
    ];
    assert_eq!(trusted(&[]), (Some(1), built_in.map(str::to_owned).to_vec()));
    let mut added = built_in.map(str::to_owned).to_vec();
    added.push(format!("anchors.pem {everything}"));
    assert_eq!(trusted(&["--add-trust", "anchors.pem"]), (Some(0), added));
    assert_eq!(trusted(&["--trust", "anchors.pem"]), (Some(0), vec![format!("anchors.pem {everything}")]));
    let (status, lists) = trusted(&["--trust-seal", "anchors.pem", "--trust-claim", "anchors.pem"]);
    assert_eq!((status, lists.len()), (Some(0), 4), "{lists:?}");
    assert_eq!(lists[0], built_in[0].replace("\"seal\",", ""));

    let output = scene.verify(&["photo.jpg", "--add-trust", "anchors.pem", "--environment", "sandbox"]);
    let printed = text(&output.stdout);
    let line = "\ntrusted  ICP-Brasil root certificates: those of the policy AD-RB v2.4 (20";
    assert!(printed.contains(line) && printed.contains("\ntrusted  anchors.pem, 2 certificates, for: "), "{printed}");
}

#[tokio::test]
async fn roots_are_read_in_every_form() {
    let scene = Scene::new().await;
    let pem = &Sandbox::shared().anchors_pem;
    for (form, file) in [
        ("Latin-1", [b"# AC Ra\xEDz\n", pem.as_bytes()].concat()),
        ("spaces", pem.replace('\n', " \n").into_bytes()),
        ("BOM and CRLF", format!("\u{FEFF}{pem}").replace('\n', "\r\n").into_bytes()),
        ("one line", pem.replace('\n', "").into_bytes()),
    ] {
        fs::write(scene.path("form.pem"), file).unwrap();
        let output = scene.verify(&["photo.jpg", "--trust", "form.pem", "--environment", "sandbox"]);
        assert_eq!((exit(&output), text(&output.stderr)), (Some(0), String::new()), "{form}");
    }
    for (name, pem) in
        [("claim.crt", &Sandbox::shared().claim_anchor_pem), ("seal.crt", &Sandbox::shared().seal_anchor_pem)]
    {
        fs::write(scene.path(name), &lacre_proof::certificates_of_file(pem).unwrap()[0]).unwrap();
    }
    let der = ["--trust-claim", "claim.crt", "--trust-seal", "seal.crt"];
    assert_eq!(exit(&scene.verify(&[&["photo.jpg", "--environment", "sandbox"][..], &der].concat())), Some(0));
}

#[tokio::test]
async fn checks_a_frame_with_its_sidecar() {
    let scene = Scene::new().await;
    fs::write(scene.path("frame.jpg"), &scene.frame).unwrap();
    fs::write(scene.path("other.jpg"), synthetic(240, 240, false)).unwrap();
    fs::write(scene.path("large.c2pa"), vec![0; 70_000]).unwrap();
    let beside = |photo: &str, manifest: &str| {
        let sandbox = ["--trust", "anchors.pem", "--environment", "sandbox"];
        scene.verify(&[&[photo, "--manifest", manifest], &sandbox[..]].concat())
    };
    assert_eq!(exit(&beside("frame.jpg", "sidecar.c2pa")), Some(0));
    let other = beside("other.jpg", "sidecar.c2pa");
    assert_eq!(exit(&other), Some(1));
    assert!(text(&other.stdout).contains("  FAIL  hashes agree: "));
    for (photo, manifest, fault) in [
        (
            "photo.jpg",
            "sidecar.c2pa",
            "photo.jpg: the photo carries a manifest of its own; check it without the other one",
        ),
        ("anchors.pem", "sidecar.c2pa", "anchors.pem: the photo beside the manifest: "),
        ("frame.jpg", "large.c2pa", "frame.jpg: the manifest is larger than 65536 bytes"),
        ("frame.jpg", "frame.jpg", "frame.jpg: the file beside the photo is not a C2PA manifest"),
        ("frame.jpg", "missing.c2pa", "missing.c2pa: "),
    ] {
        let output = beside(photo, manifest);
        assert_eq!(exit(&output), Some(2), "{photo} {manifest}");
        assert!(text(&output.stderr).contains(fault), "{}", text(&output.stderr));
    }
}

#[tokio::test]
async fn checks_the_required_signers() {
    let scene = Scene::new().await;
    let base = ["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox"];
    let json = scene.verify(&[&base[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let subject = report["claim"]["signer"].as_str().unwrap();
    for (pins, status) in [
        (&["--seal-holder", "11222333000181"][..], 0),
        (&["--seal-holder", "11.222.333/0001-81"], 0),
        (&["--claim-subject", "Lacre Development Claim Signer"], 4),
        (&["--claim-subject", subject], 4),
        (&["--seal-holder", "11222333000181", "--claim-subject", subject], 0),
        (&["--seal-holder", "12.ABC.345/01DE-35"], 1),
        (&["--claim-subject", "Claim Signer"], 1),
        (&["--claim-subject", "lacre development claim signer"], 1),
        (&["--seal-holder", "11222333000180"], 2),
        (&["--seal-holder", "1122233300018"], 2),
        (&["--seal-holder", "11222333/0001-81"], 2),
        (&["--seal-holder", ""], 2),
        (&["--claim-subject", ""], 2),
    ] {
        let output = scene.verify_unpinned(&[&base[..], pins].concat());
        let printed = text(&output.stdout);
        assert_eq!(exit(&output), Some(status), "{pins:?}: {printed}{}", text(&output.stderr));
        for (option, check) in [("--seal-holder", "seal holder"), ("--claim-subject", "claim subject")] {
            let is_made = printed.contains(&format!("  {check}"));
            assert_eq!(is_made, status != 2 && pins.contains(&option), "{pins:?}: {printed}");
        }
    }

    let output = scene.verify_unpinned(&[&base[..], &["--seal-holder", "12ABC34501DE35"]].concat());
    let printed = text(&output.stdout);
    let fails = format!("NOT VALID\nThe file names as the sealer (not proven): {HOLDER}\n");
    assert!(printed.starts_with(&fails), "{printed}");
    let fault = "        the certificate of LACRE DEVELOPMENT:11222333000181 names the CNPJ \
                 11.222.333/0001-81, and 12.ABC.345/01DE-35 is required\n";
    assert!(printed.contains(fault), "{printed}");
    let output = scene.verify(&[&base[..], &["--claim-subject", "Another"]].concat());
    let fault = format!("        the certificate belongs to {subject}, but Another is required\n");
    assert!(text(&output.stdout).contains(&fault), "{}", text(&output.stdout));
}

/// The kit of [`KIT`] with a change to its JSON.
fn changed_kit(change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
    let mut kit = serde_json::from_slice(KIT).unwrap();
    change(&mut kit);
    serde_json::to_vec(&kit).unwrap()
}

#[tokio::test]
async fn compares_the_kit_of_a_photo() {
    let scene = Scene::new().await;
    let mut facts = facts();
    facts.asked_for = Some(asked_for());
    fs::write(scene.path("asked.jpg"), Sandbox::shared().seal(&scene.frame, &facts).await.jpeg).unwrap();
    facts.asked_for.as_mut().unwrap().step = "nenhuma".into();
    fs::write(scene.path("no-step.jpg"), Sandbox::shared().seal(&scene.frame, &facts).await.jpeg).unwrap();
    fs::write(scene.path("kit.json"), KIT).unwrap();
    // In one line, and with the members of each step in another order.
    let reordered = changed_kit(|kit| {
        for step in kit["steps"].as_array_mut().unwrap() {
            *step = step.as_object().unwrap().clone().into_iter().rev().collect();
        }
    });
    assert!(!text(&reordered).contains(r#"{"id":"chassi""#));
    fs::write(scene.path("reordered.json"), reordered).unwrap();
    let renamed = changed_kit(|kit| kit["name"] = "auto-previb".into());
    fs::write(scene.path("renamed.json"), renamed).unwrap();
    let file = String::from_utf8(KIT.to_vec()).unwrap();
    fs::write(scene.path("one-byte.json"), file.replacen("veículo inteiro", "veículo inteirO", 1)).unwrap();

    let verify = |photo: &str, kit: &str, form: &[&str]| {
        let base = [photo, "--trust", "anchors.pem", "--environment", "sandbox", "--kit", kit];
        scene.verify(&[&base[..], form].concat())
    };
    for kit in ["kit.json", "reordered.json"] {
        let output = verify("asked.jpg", kit, &[]);
        let printed = text(&output.stdout);
        assert_eq!(exit(&output), Some(0), "{kit}: {printed}{}", text(&output.stderr));
        for line in [
            "\n  ok    kit: The kit that the verifier gave is the one that the proof states",
            "\n         Asked for as: step chassi of the kit auto-previa, version 3 (what the customer was asked for; ",
            "\n         Title of the step, in Portuguese: Número do chassi\n",
            "\n         Instruction of the step, in Portuguese: ",
        ] {
            assert!(printed.contains(line), "{line:?} is missing in {printed}");
        }
    }
    let report: serde_json::Value =
        serde_json::from_slice(&verify("asked.jpg", "kit.json", &["--json"]).stdout).unwrap();
    assert_eq!(report["capture"]["asked_for"], json!(asked_for()));
    assert_eq!(report["kit_step"]["title"], "Número do chassi");

    for (photo, kit, fault) in [
        ("photo.jpg", "kit.json", "the proof names no kit, but auto-previa is required"),
        ("asked.jpg", "renamed.json", "the proof names the kit auto-previa, but the given kit is auto-previb"),
        ("asked.jpg", "one-byte.json", "the proof names version 3 of the kit auto-previa with the SHA-256 "),
        ("no-step.jpg", "kit.json", "the proof names the step nenhuma, which the kit auto-previa does not have"),
    ] {
        let output = verify(photo, kit, &[]);
        let printed = text(&output.stdout);
        assert_eq!(exit(&output), Some(1), "{photo} {kit}: {printed}");
        assert!(printed.contains(&format!("        {fault}")), "{photo} {kit}: {printed}");
        assert_eq!(printed.matches("FAIL").count(), 1, "{printed}");
        assert!(!printed.contains("Title of the step"), "{printed}");
    }
}

#[tokio::test]
async fn an_invalid_kit_exits_2() {
    let scene = Scene::new().await;
    let verify = |kit: &str| scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--kit", kit]);
    fs::write(scene.path("faulty.json"), r#"{"name":"Auto","steps":[],"\u001b[2J":1}"#).unwrap();
    let output = verify("faulty.json");
    let printed = text(&output.stderr);
    assert_eq!((exit(&output), output.stdout.len()), (Some(2), 0), "{printed}");
    assert!(printed.starts_with("verify: faulty.json: the kit is invalid:\n  /name (name_form): "), "{printed}");
    for fault in ["\n  /steps (count): ", "\n  /\\u{1b}[2J (unknown_field): "] {
        assert!(printed.contains(fault), "{fault:?} is missing in {printed}");
    }
    assert!(!printed.contains('\u{1b}'), "{printed}");

    fs::write(scene.path("large.json"), [KIT, &[b' '; 32 * 1024]].concat()).unwrap();
    fs::write(scene.path("profile.json"), changed_kit(|kit| kit["name"] = "demo".into())).unwrap();
    for (kit, fault) in [
        ("large.json", "(kit_size)"),
        ("profile.json", "(name_reserved)"),
        ("photo.jpg", "(not_json)"),
        ("missing.json", "missing.json: "),
    ] {
        let output = verify(kit);
        assert_eq!(exit(&output), Some(2), "{kit}");
        assert!(text(&output.stderr).contains(fault), "{kit}: {}", text(&output.stderr));
    }
}

#[tokio::test]
async fn checks_a_transparency_proof() {
    let scene = Scene::new().await;
    let (log, manifest) = (Log::new(), fs::read(scene.path("sidecar.c2pa")).unwrap());
    let authority = Authority::shared();
    let stamp = |text: &[u8]| authority.stamp(text, OffsetDateTime::now_utc(), &NONE).unwrap().der().to_vec();
    fs::write(scene.path("unstamped.tlog-proof"), log.prove(&manifest).to_string()).unwrap();
    fs::write(scene.path("stamped.tlog-proof"), log.prove_since(&manifest, stamp).to_string()).unwrap();
    fs::write(scene.path("another.tlog-proof"), log.prove(b"another manifest").to_string()).unwrap();
    fs::write(scene.path("authority.pem"), &authority.anchors_pem).unwrap();
    let (key, others_key) = (log.key.to_string(), Log::of_seed(8).key.to_string());
    let verify = |proof: &str, key: &str, more: &[&str]| {
        let base = ["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox", "--json"];
        let output = scene.verify(&[&base[..], &["--log-proof", proof, "--log-key", key], more].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let failed = report["checks"].as_array().unwrap().iter().filter(|check| check["holds"] == json!(false));
        let failed: Vec<_> = failed.map(|check| check["name"].as_str().unwrap().to_owned()).collect();
        (exit(&output), failed, report)
    };
    let (status, failed, report) = verify("unstamped.tlog-proof", &key, &[]);
    assert_eq!((status, failed.is_empty()), (Some(0), true));
    let entry = json!({ "origin": "log.example/production", "index": 2, "size": 5, "timestamp_found": "nothing",
        "timestamp": null, "renewals": [], "other_record_is_broken": false });
    assert_eq!((&report["transparency_log"], &report["times"]["log_trusted"]), (&entry, &json!(null)));

    let trusted = ["--add-trust", "authority.pem"];
    let (status, failed, report) = verify("stamped.tlog-proof", &key, &trusted);
    assert_eq!((status, failed.is_empty()), (Some(0), true), "{report}");
    assert_eq!(report["transparency_log"]["timestamp"]["holds"], json!(true));
    assert_eq!(report["times"]["log_trusted"], report["transparency_log"]["timestamp"]["time"]);
    assert_eq!(verify("stamped.tlog-proof", &key, &[]).1, ["log timestamp"], "its authority is not trusted");

    for (proof, key) in [("another.tlog-proof", &key), ("unstamped.tlog-proof", &others_key)] {
        let (status, failed, report) = verify(proof, key, &trusted);
        assert_eq!((status, failed), (Some(1), vec!["transparency log".to_owned()]), "{proof}");
        assert_eq!((&report["outcome"], &report["transparency_log"]), (&json!("refused"), &json!(null)));
    }
}

#[tokio::test]
async fn checks_records_bundles_and_policies() {
    let scene = Scene::new().await;
    let (log, manifest) = (Log::new(), fs::read(scene.path("sidecar.c2pa")).unwrap());
    let authority = Authority::shared();
    let stamp = |text: &[u8]| authority.stamp(text, OffsetDateTime::now_utc(), &NONE).unwrap().der().to_vec();
    let proof = log.prove_since(&manifest, stamp);
    let token = proof.extra.timestamp.clone().unwrap();
    let second = stamp(proof.checkpoint.text.as_bytes());
    let token_sha256 = *Sha256Digest::of(&token).as_bytes();
    let bundle = Bundle { token_sha256, ..Bundle::default() }.to_der().unwrap();
    let tree = RenewalTree::of(&[(token_sha256, *Sha256Digest::of(&bundle).as_bytes())]).unwrap();
    let mut record = ArchiveChain::new(token);
    let request = TimestampRequest::new(tree.root(), [7; 16]).unwrap();
    let answer = authority.answer(request.der(), OffsetDateTime::now_utc(), &NONE);
    let renewal = request.open(&answer, &authority.anchors(), OffsetDateTime::now_utc()).unwrap();
    record.renew(tree.renewal(0, renewal.der().to_vec()).unwrap());
    fs::write(scene.path("a.tlog-proof"), proof.to_string()).unwrap();
    fs::write(scene.path("a.ers"), record.to_der().unwrap()).unwrap();
    fs::write(scene.path("second.ers"), ArchiveChain::new(second).to_der().unwrap()).unwrap();
    fs::write(scene.path("day.p7b"), &bundle).unwrap();
    fs::write(scene.path("other.p7b"), Bundle::default().to_der().unwrap()).unwrap();
    fs::write(scene.path("roots.pem"), format!("{}{}", Sandbox::shared().anchors_pem, authority.anchors_pem)).unwrap();
    let key = log.key.to_string();
    let base = [
        "photo.jpg",
        "--trust",
        "roots.pem",
        "--environment",
        "sandbox",
        "--log-key",
        &key,
        "--log-proof",
        "a.tlog-proof",
    ];
    let verify = |more: &[&str]| scene.verify(&[&base[..], more].concat());
    let accepted = verify(&["--evidence-record", "a.ers", "--evidence-bundle", "day.p7b"]);
    let lines = text(&accepted.stdout);
    assert_eq!(exit(&accepted), Some(0), "{lines}");
    for line in ["ok    renewals: ", "ok    evidence bundles: ", "Timestamp renewed at "] {
        assert!(lines.contains(line), "{line}: {lines}");
    }
    let both = verify(&["--evidence-record", "second.ers", "--evidence-record", "a.ers"]);
    assert_eq!(exit(&both), Some(0), "{}", text(&both.stdout));
    assert!(!text(&both.stdout).contains("Timestamp renewed at "), "the first that holds counts");
    fs::write(scene.path("witness.policy"), "quorum none\nquorum one\n").unwrap();
    let policy = verify(&["--witness-policy", "witness.policy"]);
    assert_eq!(exit(&policy), Some(2));
    assert!(text(&policy.stderr).contains("witness.policy: line 2: the quorum is not defined above"));
    let other = verify(&["--evidence-record", "a.ers", "--evidence-bundle", "other.p7b"]);
    assert!(text(&other.stdout).contains("an evidence bundle belongs to another timestamp"));
    assert_eq!(exit(&other), Some(1));
    let unreadable = verify(&["--evidence-record", "a.ers", "--evidence-bundle", "photo.jpg"]);
    assert_eq!(exit(&unreadable), Some(2));
    assert!(text(&unreadable.stderr).contains("photo.jpg: not an evidence bundle"));
    let alone = scene.verify(&["photo.jpg", "--evidence-record", "a.ers"]);
    assert!(text(&alone.stderr).contains("--log-proof"), "{}", text(&alone.stderr));
    assert_eq!(exit(&alone), Some(2));
}

/// The report's verdict is on the photo alone. For a valid photo the exit status is that of unreadable input, because
/// the required check was not made.
#[tokio::test]
async fn an_unreadable_log_proof_exits_2() {
    let scene = Scene::new().await;
    let (log, manifest) = (Log::new(), fs::read(scene.path("sidecar.c2pa")).unwrap());
    let proof = log.prove(&manifest).to_string();
    let key = log.key.to_string();
    let verify = |file: &[u8]| {
        fs::write(scene.path("a.tlog-proof"), file).unwrap();
        let base = ["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox"];
        scene.verify(&[&base[..], &["--log-proof", "a.tlog-proof", "--log-key", &key]].concat())
    };
    for damaged in [proof.replace('\n', "\r\n"), format!("\u{FEFF}{proof}"), proof.trim_end().to_owned()] {
        let output = verify(damaged.as_bytes());
        assert_eq!((exit(&output), text(&output.stderr)), (Some(0), String::new()), "{damaged}");
        assert!(text(&output.stdout).contains("The capture is in the public log"), "{damaged}");
    }
    for other in [&b"not a proof"[..], b"", &proof.as_bytes()[..proof.len() / 2], &[0xFF; 70_000]] {
        let output = verify(other);
        let printed = text(&output.stdout);
        assert!(printed.starts_with("VALID, BUT MADE IN A TEST ENVIRONMENT\n"), "{printed}");
        assert!(printed.contains("is not a proof of a public log, and was not used"), "{printed}");
        let fault = "verify: a.tlog-proof: not a proof of this service in the form c2sp.org/tlog-proof@v1; the public log that \
                     --log-proof requires was not checked\n";
        assert_eq!((exit(&output), &*text(&output.stderr)), (Some(2), fault));
    }
    let mut changed = fs::read(scene.path("photo.jpg")).unwrap();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(scene.path("photo.jpg"), changed).unwrap();
    assert_eq!(exit(&verify(b"not a proof")), Some(1), "a photo that is not valid stays so");
}

#[tokio::test]
async fn log_proof_and_key_belong_together() {
    let scene = Scene::new().await;
    let key = Log::new().key.to_string();
    for (arguments, said) in [
        (&["--log-proof", "sidecar.c2pa"][..], "--log-key"),
        (&["--log-key", &key], "--log-proof"),
        (&["--log-proof", "sidecar.c2pa", "--log-key", &key[1..]], "not a verifier key"),
        (&["--log-proof", "missing.tlog-proof", "--log-key", &key], "missing.tlog-proof"),
    ] {
        let output = scene.verify(&[&["photo.jpg", "--trust", "anchors.pem"][..], arguments].concat());
        assert_eq!((exit(&output), text(&output.stdout)), (Some(2), String::new()), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}

#[tokio::test]
async fn only_verbose_lists_unchecked_revocations() {
    let scene = Scene::new().await;
    let base = ["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox"];
    let (short, long) = (scene.verify(&base), scene.verify(&[&base[..], &["--verbose"]].concat()));
    assert_eq!((exit(&short), exit(&long)), (Some(0), Some(0)));
    let (short, long) = (text(&short.stdout), text(&long.stdout));
    let lines = |text: &str| text.lines().filter(|line| line.contains("not checked: ")).count();
    assert_eq!(lines(&short), 2, "{short}");
    assert!(short.contains("  not checked: transparency log: ") && long.contains("  not checked: transparency log: "));
    assert!(short.contains("  not checked: revocation of ") && short.contains("list them with --verbose"), "{short}");
    assert!(lines(&long) > 2 && !long.contains("--verbose"), "{long}");
}

#[tokio::test]
async fn extracts_frame_sidecar_and_signature() {
    let scene = Scene::new().await;
    let output =
        scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox", "--extract", "parts/of/it"]);
    assert_eq!(exit(&output), Some(0));
    let part = |name: &str| scene.path("parts/of/it").join(name);
    assert!(fs::read(part("frame.jpg")).unwrap() == scene.frame);
    assert_eq!(fs::read(part("manifest.c2pa")).unwrap(), fs::read(scene.path("sidecar.c2pa")).unwrap());

    let openssl = |content: &Path| {
        let output = Command::new("openssl")
            .args(["cms", "-verify", "-cades", "-binary", "-inform", "DER", "-purpose", "any", "-out", "/dev/null"])
            .arg("-in")
            .arg(part("signature.p7s"))
            .arg("-content")
            .arg(content)
            .arg("-CAfile")
            .arg(scene.path("anchors.pem"))
            .output()
            .unwrap();
        (output.status.success(), text(&output.stderr))
    };
    let (accepted, said) = openssl(&part("frame.jpg"));
    assert!(accepted && said.contains("CAdES Verification successful"), "{said}");
    assert!(!openssl(&scene.path("photo.jpg")).0, "another content is refused");
}

#[tokio::test]
async fn judges_at_the_given_time() {
    let scene = Scene::new().await;
    let in_two_years = OffsetDateTime::now_utc().date() + Duration::days(2 * 365);
    let day = in_two_years.to_string();
    for (at, judged_at) in [
        ("2020-02-29", "2020-02-29T23:59:59.000Z"),
        ("2020-02-29T21:30:00-03:00", "2020-03-01T00:30:00.000Z"),
        (&day, &format!("{day}T23:59:59.000Z")),
    ] {
        let output = scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--at", at, "--json"]);
        assert_eq!(exit(&output), Some(1), "{at}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["judged_at"], judged_at);
    }
    let today = OffsetDateTime::now_utc().date().to_string();
    let on_its_day = scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox", "--at", &today]);
    assert_eq!(exit(&on_its_day), Some(0), "a photo is valid on its own day");
}

#[tokio::test]
async fn a_timestamped_proof_outlasts_its_certificates() {
    let scene = Scene::new().await;
    let stamping = Stamping::new(Authority::shared(), OffsetDateTime::now_utc());
    let proof = Sandbox::shared().seal_with(&scene.frame, &facts(), Timestamps::Required(&stamping)).await.unwrap();
    fs::write(scene.path("stamped.jpg"), &proof.jpeg).unwrap();
    let anchors = Sandbox::shared().anchors_pem.clone() + &Authority::shared().anchors_pem;
    fs::write(scene.path("all.pem"), anchors).unwrap();

    let in_two_years = (OffsetDateTime::now_utc().date() + Duration::days(2 * 365)).to_string();
    let sandbox = ["--trust", "all.pem", "--environment", "sandbox"];
    let stamped = ["stamped.jpg", "--at", &in_two_years, "--extract", "parts"];
    let output = scene.verify(&[&stamped[..], &sandbox].concat());
    assert_eq!(exit(&output), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("trusted time"));
    let token = |name: &str| fs::read(scene.path("parts").join(name)).unwrap();
    assert_ne!(token("signature.tst"), token("claim.tst"));
    let unstamped = ["photo.jpg", "--extract", "others"];
    assert_eq!(exit(&scene.verify(&[&unstamped[..], &sandbox].concat())), Some(0));
    assert!(!scene.path("others/signature.tst").exists(), "no timestamp, no file");
}

#[tokio::test]
async fn role_lists_replace_the_common_list() {
    let scene = Scene::new().await;
    let sandbox = Sandbox::shared();
    for (name, pem) in [
        ("claim.pem", &sandbox.claim_anchor_pem),
        ("seal.pem", &sandbox.seal_anchor_pem),
        ("timestamps.pem", &Authority::shared().anchors_pem),
    ] {
        fs::write(scene.path(name), pem).unwrap();
    }
    let (claim, seal) = (["--trust-claim", "claim.pem"], ["--trust-seal", "seal.pem"]);
    let timestamps = ["--trust-timestamps", "timestamps.pem"];
    for (lists, status) in [
        (&[claim, seal, timestamps][..], 0),
        (&[["--trust", "seal.pem"], claim], 0),
        (&[["--trust", "claim.pem"], seal], 0),
        (&[["--trust", "anchors.pem"], ["--trust-seal", "claim.pem"]], 1),
        (&[["--trust", "anchors.pem"], ["--trust-claim", "seal.pem"]], 1),
        (&[["--trust", "anchors.pem"], ["--trust-timestamps", "missing.pem"]], 2),
        (&[claim, seal], 0),
        (&[claim, timestamps], 1),
    ] {
        let output = scene.verify(&[&["photo.jpg", "--environment", "sandbox"], lists.as_flattened()].concat());
        assert_eq!(exit(&output), Some(status), "{lists:?}: {}", text(&output.stderr));
    }
}

#[tokio::test]
async fn a_proof_that_fails_exits_1() {
    let scene = Scene::new().await;
    let mut changed = fs::read(scene.path("photo.jpg")).unwrap();
    let middle = changed.len() - 100;
    changed[middle] ^= 1;
    fs::write(scene.path("changed.jpg"), changed).unwrap();
    fs::write(scene.path("frame.jpg"), &scene.frame).unwrap();
    fs::write(scene.path("empty.jpg"), b"").unwrap();
    fs::write(scene.path("text.jpg"), b"not a photo").unwrap();
    fs::write(scene.path("others.pem"), Sandbox::new().anchors_pem).unwrap();

    for arguments in [
        ["changed.jpg", "--trust", "anchors.pem"],
        ["frame.jpg", "--trust", "anchors.pem"],
        ["empty.jpg", "--trust", "anchors.pem"],
        ["text.jpg", "--trust", "anchors.pem"],
        ["photo.jpg", "--trust", "others.pem"],
    ] {
        let output = scene.verify(&arguments);
        assert_eq!(exit(&output), Some(1), "{arguments:?}");
        let printed = text(&output.stdout);
        let conclusion = match arguments[0] {
            "frame.jpg" => "PHOTO WITHOUT A PROOF\nThis photo carries no proof. ",
            "empty.jpg" | "text.jpg" => "NOT A PHOTO OF LACRE\n",
            _ => "NOT VALID\nThe file names as the sealer (not proven): ",
        };
        assert!(printed.starts_with(conclusion), "{arguments:?}: {printed}");
    }

    let changed = text(&scene.verify(&["changed.jpg", "--trust", "anchors.pem"]).stdout);
    let failed = "To be valid, the following should hold, and does not:\n  - The photo is the one that was signed: ";
    assert!(changed.contains(failed), "{changed}");
    assert!(changed.contains("\n  FAIL  hashes agree: The photo is the one that was signed: "), "{changed}");

    let output = scene.verify(&["text.jpg", "--trust", "anchors.pem", "--extract", "nothing", "--json"]);
    assert_eq!(exit(&output), Some(1));
    assert!(!scene.path("nothing").exists(), "nothing is parsed, so nothing is extracted");
}

#[tokio::test]
async fn unread_reports_keep_the_exit_status() {
    let scene = Scene::new().await;
    fs::write(scene.path("frame.jpg"), &scene.frame).unwrap();
    for (photo, environment, status) in
        [("photo.jpg", "sandbox", 0), ("photo.jpg", "staging", 3), ("frame.jpg", "sandbox", 1)]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_verify"))
            .args([photo, "--trust", "anchors.pem", "--environment", environment])
            .args(PIN)
            .current_dir(&scene.folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{photo}");
    }
}

#[tokio::test]
async fn bad_usage_exits_2() {
    let scene = Scene::new().await;
    fs::write(scene.path("empty.pem"), "").unwrap();
    fs::File::create(scene.path("huge.jpg")).unwrap().set_len(64 * 1024 * 1024 + 1).unwrap();
    for arguments in [
        &[][..],
        &["photo.jpg", "--trust"],
        &["photo.jpg", "--add-trust", "empty.pem"],
        &["photo.jpg", "--trust", "anchors.pem", "--unknown"],
        &["photo.jpg", "--trust", "anchors.pem", "--environment", "test"],
        &["photo.jpg", "--trust", "anchors.pem", "--environment", ""],
        &["missing.jpg", "--trust", "anchors.pem"],
        &["huge.jpg", "--trust", "anchors.pem"],
        &["photo.jpg", "--trust", "missing.pem"],
        &["photo.jpg", "--trust", "empty.pem"],
        &["photo.jpg", "--trust", "anchors.pem", "--at", "yesterday"],
        &["photo.jpg", "--trust", "anchors.pem", "--at", "9999-12-31T23:59:59-03:00"],
        &["photo.jpg", "--trust", "anchors.pem", "--crl", "missing.crl"],
        &["photo.jpg", "--trust", "anchors.pem", "--crl", "photo.jpg"],
        &["photo.jpg", "--trust", "anchors.pem", "--ocsp", "photo.jpg"],
        &["photo.jpg", "--trust", "photo.jpg"],
        &["photo.jpg", "--trust", "anchors.pem", "--extract", "anchors.pem"],
    ] {
        assert_eq!(exit(&scene.verify_unpinned(arguments)), Some(2), "{arguments:?}");
    }
}

#[tokio::test]
async fn report_replaces_no_file() {
    let scene = Scene::new().await;
    let photo = fs::read(scene.path("photo.jpg")).unwrap();
    fs::write(scene.path("frame.jpg"), &scene.frame).unwrap();
    fs::hard_link(scene.path("photo.jpg"), scene.path("link.html")).unwrap();
    let report = |photo: &str, report: &str| {
        let trust = ["--trust", "anchors.pem", "--environment", "sandbox"];
        exit(&scene.verify(&[&[photo], &trust[..], &["--report", report]].concat()))
    };
    assert_eq!(report("photo.jpg", "report.html"), Some(0));
    let written = fs::read_to_string(scene.path("report.html")).unwrap();
    assert!(written.contains("photo.jpg") && written.contains("Válida, mas feita em ambiente de testes"), "{written}");
    assert_eq!(report("frame.jpg", "invalid.html"), Some(1), "a proof that fails has a report too");
    assert!(fs::read_to_string(scene.path("invalid.html")).unwrap().contains("Foto sem prova"));

    for taken in ["photo.jpg", "./photo.jpg", "link.html", "anchors.pem", "report.html", "missing/report.html"] {
        assert_eq!(report("photo.jpg", taken), Some(2), "{taken}");
    }
    assert!(fs::read(scene.path("photo.jpg")).unwrap() == photo);
    assert_eq!(fs::read_to_string(scene.path("report.html")).unwrap(), written);
}
