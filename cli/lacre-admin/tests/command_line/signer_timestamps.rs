//! Tests how an operator sets, shows and removes timestamp authorities.

use lacre_tests::Service;
use serde_json::{Value, json};

use crate::operator::Operator;

/// Creates a folder with the roots, and a file with the URL of the service's authority including a password.
fn folder(service: &Service) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (roots, address) = (path("roots.pem"), path("address.txt"));
    std::fs::write(&roots, service.trust_anchors()).unwrap();
    let url = service.variables()["TSA_URL"].replace("http://", "http://user:hidden-password@");
    std::fs::write(&address, url + "\n").unwrap();
    (folder, roots, address)
}

#[tokio::test]
async fn sets_shows_and_removes_timestamp_authorities() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let url = &service.variables()["TSA_URL"];
    let (_folder, roots, address) = folder(&service);
    let environment = ["--environment", "sand"];

    let name = [&["signer", "timestamps"][..], &environment];
    let from_file = format!("@{address}");
    let named = operator.run(&[name.concat(), vec!["--tsa-url", &from_file, "--roots", &roots]].concat()).await;
    assert_eq!(named.ok(), "SANDBOX: version 2 of the signer profile is in force\n");
    let show = [&["signer", "show"][..], &environment].concat();
    let shown = operator.json(&show).await;
    let timestamps = &shown["environments"][0]["timestamps"];
    assert_eq!((&timestamps["authorities"], &timestamps["policy"]), (&json!([url]), &json!("AD-RT v2.4")));
    let people = operator.run(&show).await.ok();
    assert!(!format!("{shown}{people}").contains("hidden"), "{people}");
    let prints = |parts: &[&str]| people.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(prints(&["SANDBOX", "timestamps", url]), "{people}");
    assert!(prints(&["SANDBOX", "timestamps", "CN=Lacre Development Tim"]), "{people}");

    let taken = operator.json(&[name.concat(), vec!["--none"]].concat()).await;
    let expected = json!({ "environment": "SANDBOX", "installed": { "standing": "in_force", "version": 3 } });
    assert_eq!(taken, expected);
    assert_eq!(operator.json(&show).await["environments"][0]["timestamps"], Value::Null);
}

#[tokio::test]
async fn incomplete_options_are_usage_errors() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let (_folder, roots, _address) = folder(&service);
    let url = service.variables()["TSA_URL"].as_str();
    let name = ["signer", "timestamps", "--environment", "sand"];
    for rest in [
        &[][..],
        &["--tsa-url", url],
        &["--roots", &roots],
        &["--none", "--tsa-url", url, "--roots", &roots],
        &["--tsa-url", "@/nowhere", "--roots", &roots],
        &["--tsa-url", url, "--roots", "/nowhere"],
        &["--tsa-url", url, "--roots", &roots, "--policy", "AD-RB v2.4"],
    ] {
        assert_eq!(operator.run(&[&name, rest].concat()).await.code, 2, "{rest:?}");
    }
    assert_eq!(operator.run(&["signer", "doctor", "--tsa-url", url]).await.code, 2, "which roots?");
}

#[tokio::test]
async fn tries_a_timestamp_authority() {
    let service = Service::start_anew().await;
    let operator = Operator::of(&service);
    let (_folder, roots, address) = folder(&service);
    let from_file = format!("@{address}");
    let try_it = ["signer", "doctor", "--environment", "sand", "--tsa-url", &from_file, "--tsa-roots", &roots];
    let output = operator.run(&try_it).await.ok();
    let url = &service.variables()["TSA_URL"];
    let line = format!("ok       timestamp authority {url}: returned a timestamp; this was a trial\n");
    assert!(output.contains(&line) && !output.contains("hidden"), "{output}");

    let gone = ["signer", "doctor", "--environment", "sand", "--tsa-url", "http://127.0.0.1:1/", "--tsa-roots", &roots];
    let ran = operator.run(&gone).await;
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("BROKEN   timestamp authority http://127.0.0.1:1/: "), "{}", ran.out);
}
