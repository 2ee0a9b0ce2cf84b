//! The `verify` command as a shell sees it, and its extracted parts as OpenSSL sees them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod authority;
mod fixture;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use authority::{Authority, Stamping};
use fixture::{Sandbox, facts, synthetic};
use proof::Timestamps;
use time::{Duration, OffsetDateTime};

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

    fn verify(&self, arguments: &[&str]) -> Output {
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
async fn a_valid_proof_exits_0_and_is_reported_readably_and_as_json() {
    let scene = Scene::new().await;
    let readable = scene.verify(&["photo.jpg", "--trust", "anchors.pem"]);
    assert_eq!(exit(&readable), Some(0));
    assert!(text(&readable.stdout).starts_with("VALID, environment SANDBOX\nNot a production proof"));

    let json = scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--json"]);
    assert_eq!(exit(&json), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(report["valid"], true);
    assert_eq!(report["environment"], "SANDBOX");
    assert_eq!(report["seal"]["policy_name"], "AD-RB v2.4");
    assert_eq!(report["frame_hash"], report["capture"]["frame_hash"]);
    assert_eq!(report["checks"].as_array().unwrap().len(), 9);
}

#[tokio::test]
async fn the_extracted_parts_are_the_upload_the_sidecar_and_what_openssl_accepts() {
    let scene = Scene::new().await;
    let output = scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--extract", "parts/of/it"]);
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
async fn the_moment_of_the_judgement_is_now_or_given() {
    let scene = Scene::new().await;
    let in_two_years = OffsetDateTime::now_utc().date() + Duration::days(2 * 365);
    let day = in_two_years.to_string();
    for (at, judged_at) in [
        ("2020-02-29", "2020-02-29T00:00:00.000Z"),
        ("2020-02-29T21:30:00-03:00", "2020-03-01T00:30:00.000Z"),
        (&day, &format!("{day}T00:00:00.000Z")),
    ] {
        let output = scene.verify(&["photo.jpg", "--trust", "anchors.pem", "--at", at, "--json"]);
        assert_eq!(exit(&output), Some(1), "{at}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["judged_at"], judged_at);
    }
}

#[tokio::test]
async fn a_proof_with_timestamps_holds_at_a_later_time_and_gives_its_tokens_out() {
    let scene = Scene::new().await;
    let stamping = Stamping::new(Authority::shared(), OffsetDateTime::now_utc());
    let proof = Sandbox::shared().seal_with(&scene.frame, &facts(), Timestamps::Required(&stamping)).await.unwrap();
    fs::write(scene.path("stamped.jpg"), &proof.jpeg).unwrap();
    let anchors = Sandbox::shared().anchors_pem.clone() + &Authority::shared().anchors_pem;
    fs::write(scene.path("all.pem"), anchors).unwrap();

    let in_two_years = (OffsetDateTime::now_utc().date() + Duration::days(2 * 365)).to_string();
    let output = scene.verify(&["stamped.jpg", "--trust", "all.pem", "--at", &in_two_years, "--extract", "parts"]);
    assert_eq!(exit(&output), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("trusted time"));
    let token = |name: &str| fs::read(scene.path("parts").join(name)).unwrap();
    assert_ne!(token("signature.tst"), token("claim.tst"));
    assert_eq!(exit(&scene.verify(&["photo.jpg", "--trust", "all.pem", "--extract", "others"])), Some(0));
    assert!(!scene.path("others/signature.tst").exists(), "no timestamp, no file");
}

#[tokio::test]
async fn each_list_of_roots_replaces_the_one_for_everything() {
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
        (&[claim, seal], 2),
        (&[claim, timestamps], 2),
    ] {
        let output = scene.verify(&[&["photo.jpg"], lists.as_flattened()].concat());
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
        assert!(text(&output.stdout).starts_with("NOT VALID"), "{arguments:?}");
    }

    let output = scene.verify(&["text.jpg", "--trust", "anchors.pem", "--extract", "nothing", "--json"]);
    assert_eq!(exit(&output), Some(1));
    assert!(!scene.path("nothing").exists(), "nothing to tell apart, nothing to extract");
}

#[tokio::test]
async fn the_exit_status_is_the_verdict_also_when_nobody_reads_the_report() {
    let scene = Scene::new().await;
    fs::write(scene.path("frame.jpg"), &scene.frame).unwrap();
    for (photo, status) in [("photo.jpg", 0), ("frame.jpg", 1)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_verify"))
            .args([photo, "--trust", "anchors.pem"])
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
    for arguments in [
        &[][..],
        &["photo.jpg"],
        &["photo.jpg", "--trust"],
        &["photo.jpg", "--trust", "anchors.pem", "--unknown"],
        &["missing.jpg", "--trust", "anchors.pem"],
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
        assert_eq!(exit(&scene.verify(arguments)), Some(2), "{arguments:?}");
    }
}
