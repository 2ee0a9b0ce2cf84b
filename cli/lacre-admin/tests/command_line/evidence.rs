//! Tests the evidence commands: show, export, recount, and compare with the stored objects.

use std::{io, process::Stdio};

use lacre_domain::{Environment, NamedTerms, RecaptureGate, SessionId, StoreAssetPolicy};
use lacre_tests::{
    Service, Storage,
    customer::Customer,
    frame, scene,
    vault::{capture_id, exporting_service},
};
use serde_json::{Value, json};

use crate::operator::{Operator, UNKNOWN, printed, text};

/// Makes a capture; returns the response and the capture id.
async fn captured(customer: &Customer<'_>) -> (Value, String) {
    let captured = customer.capture(&frame::fresh()).await.ok();
    let session_id = SessionId::parse(&text(&captured, "session_id")).unwrap();
    (captured, session_id.capture_id().as_str().to_owned())
}

#[tokio::test]
async fn shows_captures_without_their_session_id() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let (capture, capture_id) = captured(&customer).await;
    let session_id = text(&capture, "session_id");

    let shown = operator.json(&["evidence", "show", &session_id]).await;
    assert_eq!(
        (text(&shown, "capture_id"), text(&shown, "license_id")),
        (capture_id.clone(), customer.license_id.to_string())
    );
    assert_eq!(shown["position"], json!({ "latitude": -23.5505, "longitude": -46.6333, "accuracy": 12.5 }));
    let output = operator.run(&["evidence", "show", &capture_id]).await.ok();
    assert_eq!((printed(&output, "reference_id"), printed(&output, "position.latitude")), ("sinistro-42", "-23.5505"));
    assert!(!output.contains(&session_id) && !shown.to_string().contains(&session_id));

    let unknown = "0".repeat(64);
    let refused = operator.run(&["evidence", "show", &unknown]).await.refused();
    assert_eq!(refused, (3, format!("capture {unknown} does not exist")));
    assert_eq!(operator.run(&["evidence", "show", "sinistro-42"]).await.refused().0, 4);
}

#[tokio::test]
async fn exports_a_month_as_json_lines() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let (_, first) = captured(&customer).await;
    let (_, second) = captured(&customer).await;
    let month = text(&operator.json(&["evidence", "show", &first]).await, "month");
    let client = customer.client_id.to_string();
    let export = ["evidence", "export", "--client", &client, "--month", &month];

    let lines = operator.run(&export).await.ok();
    let ids = |lines: &str| -> Vec<String> {
        lines.lines().map(|line| text(&serde_json::from_str(line).unwrap(), "capture_id")).collect()
    };
    let (mut exported, mut made) = (ids(&lines), vec![first, second]);
    exported.sort();
    made.sort();
    assert_eq!(exported, made);
    let earlier = operator.run(&["evidence", "export", "--client", &client, "--month", "2001-01"]).await;
    assert_eq!(earlier.ok(), "");
    let no_month = operator.run(&["evidence", "export", "--client", &client, "--month", "2026"]).await;
    assert_eq!(no_month.refused().0, 4);
    let unknown = operator.run(&["evidence", "export", "--client", UNKNOWN, "--month", &month]).await;
    assert_eq!(unknown.refused(), (3, format!("client {UNKNOWN} does not exist")));

    // The reader closes the pipe before the first line, as `head` may.
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut command = operator.command(&export);
    command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    let ended =
        tokio::task::spawn_blocking(move || command.spawn().unwrap().wait_with_output().unwrap()).await.unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
}

#[tokio::test]
async fn shows_recapture_scores_without_personal_data() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let terms = NamedTerms { recapture_gate: Some(RecaptureGate::Record), ..NamedTerms::default() };
    let customer = Customer::new(&service, Environment::Sandbox, terms).await;
    let (_, capture_id) = captured(&customer).await;
    let license = customer.license_id.to_string();
    operator.run(&["license", "configure", &license, "--recapture-gate", "off"]).await.ok();
    let (_, unscored) = captured(&customer).await;

    let scores = ["evidence", "scores", "--license", &license];
    let table = operator.run(&scores).await.ok();
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["THRESHOLD", "HIGH", "SHARE"]);
    let tried: Vec<&str> = lines[1..8].iter().map(|line| line[0]).collect();
    assert_eq!(tried, ["1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0"]);
    assert_eq!(table.lines().last(), Some("1 captures were analysed; 1 were not: their gate was OFF"));

    let tsv = operator.run(&[&scores[..], &["--tsv"]].concat()).await.ok();
    let fields: Vec<Vec<&str>> = tsv.lines().map(|line| line.split('\t').collect()).collect();
    let first = ["capture_id", "ingested_at", "recapture_gate", "recapture_risk", "recapture_threshold"];
    assert_eq!((fields.len(), &fields[0][..5]), (3, &first[..]));
    let line = |id: &str| fields.iter().find(|line| line[0] == id).unwrap();
    assert_eq!((line(&capture_id)[2], line(&capture_id)[4]), ("RECORD", "2.5"));
    assert!(line(&capture_id)[5..].iter().all(|score| score.is_empty() || score.parse::<f64>().is_ok()), "{tsv}");
    assert_eq!((line(&unscored)[2], line(&unscored)[4]), ("OFF", ""));
    let json = operator.json(&scores).await;
    assert_eq!((&json["analysed"], &json["off"], &json["earlier"]), (&json!(1), &json!(1), &json!(0)));
    for printed in [tsv, json.to_string()] {
        assert!(!printed.contains("sinistro-42") && !printed.contains("-23.55"), "{printed}");
    }

    let none = operator.json(&[&scores[..], &["--to", "2001-01-01"]].concat()).await;
    assert_eq!((&none["analysed"], &none["off"]), (&json!(0), &json!(0)));
    let turned = [&scores[..], &["--from", "2026-11-02", "--to", "2026-11-01"]].concat();
    assert_eq!(operator.run(&turned).await.refused().0, 4);
    let unknown = operator.run(&["evidence", "scores", "--license", UNKNOWN]).await;
    assert_eq!(unknown.refused(), (3, format!("license {UNKNOWN} has no captures")));
}

#[tokio::test]
async fn compares_a_count_with_the_evidence() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let (_, capture_id) = captured(&customer).await;
    let license = customer.license_id.to_string();
    let output = operator.run(&["license", "recount", &license]).await.ok();
    assert_eq!((printed(&output, "counted"), printed(&output, "evidence")), ("1", "1"));
    let earlier = operator.json(&["license", "recount", &license, "--month", "2001-01"]).await;
    let nothing = json!({ "license_id": license, "month": "2001-01", "counted": 0, "evidence": 0 });
    assert_eq!(earlier, nothing);
    let shown = operator.json(&["license", "show", &license]).await;
    assert_eq!(shown["usage"]["captures_used"], 1);
    let unknown = operator.run(&["license", "recount", UNKNOWN]).await.refused();
    assert_eq!(unknown, (3, format!("license {UNKNOWN} does not exist")));

    Storage::of(&service).delete("EVIDENCE_TABLE", &[("capture_id", capture_id)]).await;
    let refused = operator.run(&["license", "recount", &license]).await.refused();
    let why = "the evidence has 0 captures, and the counter has 1: if EVIDENCE_TABLE is correct, use --lower";
    assert_eq!(refused, (5, why.to_owned()));
    let output = operator.run(&["license", "recount", &license, "--lower"]).await.ok();
    assert_eq!((printed(&output, "counted"), printed(&output, "evidence")), ("1", "0"));
}

#[tokio::test]
async fn keeps_recently_stored_objects() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    captured(&customer).await;
    let found = operator.run(&["evidence", "reconcile", "--older-than", "1m", "--remove"]).await.ok();
    assert_eq!(found, "0 of 0 objects are named by no record\n");
    let found = operator.json(&["evidence", "reconcile"]).await;
    assert_eq!(found, json!({ "keys": [], "removed": [], "examined": 0 }));
    assert_eq!(operator.run(&["evidence", "reconcile", "--older-than", "soon"]).await.code, 2);
}

#[tokio::test]
async fn reports_a_missing_evidence_table() {
    let service = Service::start().await;
    let elsewhere = [("EVIDENCE_TABLE".to_owned(), "lacre-evidence-of-no-service".to_owned())];
    let operator = Operator::with_variables(&service, &elsewhere.into());
    let ran = operator.run(&["evidence", "reconcile"]).await.refused();
    assert_eq!(ran.0, 1);
    assert!(ran.1.starts_with("AWS: Scan was refused (code ResourceNotFoundException"), "{}", ran.1);
}

#[tokio::test]
async fn compares_and_restores_evidence() {
    let service = exporting_service().await;
    let operator = Operator::of(&service);
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let (_, capture_id) = captured(&customer).await;
    service.exported().await;
    let compared = operator.run(&["evidence", "compare"]).await.ok();
    let whole = "1 records, 1 exported, 0 not exported yet; 1 objects as recorded; 0 captures erased; 0 differences\n\
                 no policies were compared: scripts/stack-env STACK > lacre.env, --env-file lacre.env\n";
    assert_eq!(compared, whole);

    let storage = Storage::of(&service);
    let [manifest] = &storage.keys("PROOFS_BUCKET").await[..] else { panic!("one manifest") };
    storage.hide("PROOFS_BUCKET", manifest).await;
    let compared = operator.run(&["evidence", "compare"]).await;
    assert_eq!((compared.code, compared.err.as_str()), (1, "lacre-admin: 1 differences\n"));
    let difference = format!("{capture_id}  {manifest}: the object was overwritten or deleted\n");
    assert!(compared.out.starts_with(&difference), "{}", compared.out);

    let looked = operator.run(&["evidence", "restore"]).await.ok();
    let found = format!("{capture_id}  {manifest}: from versions\n");
    let summary =
        "1 records; 1 losses found elsewhere; nothing was changed: use --apply; 0 found nowhere; 0 doubtful\n";
    assert_eq!(looked, format!("{found}{summary}"));
    let restored = operator.run(&["evidence", "restore", "--apply"]).await.ok();
    assert_eq!(
        restored,
        format!("{found}1 records; 1 losses found elsewhere, restored; 0 found nowhere; 0 doubtful\n")
    );
    assert_eq!(operator.run(&["evidence", "compare"]).await.ok(), whole);

    storage.destroy("PROOFS_BUCKET", manifest).await;
    let lost = operator.run(&["evidence", "restore", "--apply"]).await;
    assert_eq!((lost.code, lost.err.as_str()), (1, "lacre-admin: 1 are found nowhere, 0 are doubtful\n"));
    assert!(lost.out.starts_with(&format!("{capture_id}  {manifest}: found nowhere\n")), "{}", lost.out);
}

#[tokio::test]
async fn withholds_releases_and_erases_captures() {
    let service = exporting_service().await;
    let operator = Operator::of(&service);
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let (_, capture_id) = captured(&customer).await;
    let withheld = operator.json(&["evidence", "withhold", &capture_id, "--reason", "case 7"]).await;
    let act = &withheld["acts"][0];
    assert_eq!((text(&withheld, "state"), text(act, "reason")), ("withheld".into(), "case 7".into()));
    assert!(text(act, "principal").starts_with("arn:aws:"), "{act}");
    let again = operator.run(&["evidence", "withhold", &capture_id, "--reason", "case 7"]).await.refused();
    assert_eq!(again, (5, "the capture is already withheld".to_owned()));
    let released = operator.run(&["evidence", "release", &capture_id, "--reason", "case 7 closed"]).await.ok();
    assert_eq!(printed(&released, "state"), "held");

    let erase = ["evidence", "erase", &capture_id, "--reason", "request 41"];
    let asked = operator.run(&erase).await.refused();
    let why = "an erasure is permanent: confirm in a terminal or pass --yes";
    assert_eq!(asked, (2, why.to_owned()));
    let erased = operator.run(&[&erase[..], &["--yes"]].concat()).await.ok();
    assert_eq!((printed(&erased, "versions_removed"), printed(&erased, "capture.state")), ("1", "erased"));
    assert!(!erased.contains("sinistro-42"), "{erased}");
    service.exported().await;
    let compared = operator.json(&["evidence", "compare"]).await;
    assert_eq!((text(&compared["erased"][0], "reason"), &compared["differences"]), ("request 41".into(), &json!([])));
    let long = "x".repeat(201);
    assert_eq!(operator.run(&["evidence", "withhold", &capture_id, "--reason", &long]).await.refused().0, 4);
    assert_eq!(operator.run(&["evidence", "withhold", &capture_id]).await.code, 2, "a reason is required");
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_the_capture_of_a_copy() {
    let service = scene::service().await;
    let operator = Operator::of(&service);
    let customer = scene::customer(&service, StoreAssetPolicy::Never).await;
    let captured = customer.capture(&scene::photo(7)).await.ok();
    let capture_id = capture_id(&captured);
    scene::indexed(&service, 18).await;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (copy, other, text_file) =
        (file("copy.jpg", &scene::copy(7)), file("other.jpg", &scene::copy(8)), file("copy.txt", b"GIF89a"));
    let client = customer.client_id.to_string();
    let find = |photo: &'_ str, client: &'_ str| {
        ["evidence", "find", photo, "--client", client, "--environment", "sand"].map(str::to_owned)
    };
    let run = async |photo: &str, client: &str| operator.run(&find(photo, client).each_ref().map(String::as_str)).await;

    let found = operator.json(&find(&copy, &client).each_ref().map(String::as_str)).await;
    assert_eq!(found["matches"][0]["capture"]["capture_id"], json!(capture_id));
    assert_eq!(found["truncated"], json!(false));
    let printed = run(&copy, &client).await.ok();
    let lines: Vec<_> = printed.lines().collect();
    assert!(lines[1].contains(&capture_id) && lines[1].contains(" held "), "{printed}");
    assert_eq!(lines[2..], ["1 captures may show what the copy shows"]);
    assert_eq!(run(&other, &client).await.ok(), "0 captures may show what the copy shows\n");
    let refused = (4, "the file is neither a JPEG, a PNG nor a WebP".to_owned());
    assert_eq!(run(&text_file, &client).await.refused(), refused);
    assert_eq!(run(&copy, UNKNOWN).await.refused(), (3, format!("client {UNKNOWN} does not exist")));
    assert_eq!(run("nowhere.jpg", &client).await.refused().0, 2);

    let index = operator.run(&["evidence", "index"]).await.ok();
    let counts =
        "1 captures with a fingerprint, of which the index lacked entries of 0; 17 entries, of which 0 are stale\n";
    assert_eq!(index, counts);
    let repaired = operator.json(&["evidence", "index", "--apply"]).await;
    let expected = json!({ "applied": true, "captures": 1, "missing": 0, "entries": 17, "stale": 0 });
    assert_eq!(repaired, expected);
}
