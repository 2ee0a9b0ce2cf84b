//! Tests `signer show` and `signer doctor`, and that unusable key material changes nothing.

use lacre_tests::Service;
use serde_json::Value;

use crate::operator::{Operator, run};

#[tokio::test]
async fn shows_signers() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let all = operator.json(&["signer", "show"]).await;
    let environments: Vec<&Value> =
        all["environments"].as_array().unwrap().iter().map(|view| &view["environment"]).collect();
    assert_eq!(environments, ["PRODUCTION", "STAGING", "SANDBOX"]);
    let output = operator.run(&["signer", "show", "--environment", "sand"]).await.ok();
    assert!(output.contains("SANDBOX") && !output.contains("STAGING"), "{output}");
}

#[tokio::test]
async fn finds_nothing_broken_in_healthy_signers() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let examined = operator.json(&["signer", "doctor", "--environment", "sand"]).await;
    let findings = examined["findings"].as_array().unwrap();
    let is_sound = |finding: &Value| finding["status"] != "broken" && finding["detail"].is_string();
    assert!(!findings.is_empty() && findings.iter().all(is_sound), "{examined}");
    operator.run(&["signer", "doctor", "--environment", "sand"]).await.ok();
}

#[tokio::test]
async fn prints_claim_certificate_requests() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let words =
        ["signer", "request-claim-certificate", "--environment", "sand", "--subject", "C=BR,O=Company,CN=Photo"];
    let ran = operator.run(&words).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("-----BEGIN CERTIFICATE REQUEST-----\n"), "{}", ran.out);
    assert!(ran.err.contains("arn:aws:kms:"), "{}", ran.err);
}

#[tokio::test]
async fn unusable_material_changes_nothing() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let before = operator.json(&["signer", "show"]).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "neither a PFX nor a certificate").unwrap();
    let file = file.to_str().unwrap();

    let mut import = operator.command(&["signer", "import-a1", file, "--environment", "sand", "--stack", "local"]);
    import.env("LACRE_PFX_PASSWORD", "hidden-password");
    let (code, output) = run(import).await.refused();
    assert_eq!((code, output.contains("hidden-password")), (4, false), "{output}");
    let missing = operator.run(&["signer", "install-claim-certificate", "/nowhere.pem", "--environment", "sand"]).await;
    assert!(missing.refused().1.contains("/nowhere.pem"));
    let install = operator.run(&["signer", "install-claim-certificate", file, "--environment", "sand"]).await;
    assert_eq!(install.refused().0, 4);
    assert_eq!(operator.json(&["signer", "show"]).await, before);
}
