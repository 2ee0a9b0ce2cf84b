//! Tests kits, whose check needs no deployment, and senders.

use std::path::Path;

use lacre_tests::Service;
use serde_json::{Value, json};

use crate::operator::{Operator, command, printed, run};

const INVALID: &str = r#"{"name":"Auto","steps":[{"id":"a","title":{"pt-BR":"A"},"instruction":{"pt-BR":"A."},
    "framing":"square","\u001b[31m":1}]}"#;

#[tokio::test]
async fn a_valid_kit_is_summarized() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/kits/trator.json");
    let file = file.to_str().unwrap();
    let out = run(command(&["kit", "check", file])).await.ok();
    let summary = format!(
        "{file}: valid\n  name    trator\n  steps   7: frente, lado-direito, traseira, lado-esquerdo, plaqueta, horimetro, pneus\n  \
         sha256  "
    );
    let hash = out.strip_prefix(&summary).unwrap_or_else(|| panic!("{out}")).trim_end();

    let document = run(command(&["kit", "check", file, "--json"])).await.ok();
    let document: Value = serde_json::from_str(&document).unwrap();
    let steps = ["frente", "lado-direito", "traseira", "lado-esquerdo", "plaqueta", "horimetro", "pneus"];
    let kit = json!({ "file": file, "name": "trator", "steps": steps, "sha256": hash });
    assert_eq!(document, json!({ "kits": [kit] }));
}

#[tokio::test]
async fn prints_every_fault_of_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (one, other) = (path("one.json"), path("other.json"));
    std::fs::write(&one, INVALID).unwrap();
    std::fs::write(&other, "{").unwrap();
    let ran = run(command(&["kit", "check", &one, &other])).await;
    assert_eq!((ran.code, ran.err.as_str()), (4, "lacre-admin: 2 of 2 kits are invalid\n"));
    let lines: Vec<_> = ran.out.lines().filter(|line| !line.starts_with("    ")).collect();
    let expected = [
        &format!("{one}: 2 faults"),
        "  /name  name_form",
        r"  /steps/0/\u{1b}[31m  unknown_field",
        &format!("{other}: 1 fault"),
        "  (the file)  not_json",
    ];
    assert_eq!(lines, expected);

    let ran = run(command(&["kit", "check", &one, "--json"])).await;
    assert_eq!((ran.code, ran.err.as_str()), (4, "lacre-admin: the kit is invalid\n"));
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let fault = &document["kits"][0]["faults"][1];
    assert_eq!((&fault["path"], &fault["rule"]), (&json!("/steps/0/\u{1b}[31m"), &json!("unknown_field")));
    assert!(fault["message"].as_str().unwrap().ends_with('.'));
}

#[tokio::test]
async fn names_unreadable_files() {
    let (code, message) = run(command(&["kit", "check", "/nowhere/kit.json"])).await.refused();
    assert_eq!((code, message.starts_with("/nowhere/kit.json: ")), (2, true), "{message}");
    assert_eq!(run(command(&["kit", "check"])).await.code, 2);
    let help = run(command(&["kit", "check", "--help"])).await.ok();
    assert!(help.contains("\nExamples:") && help.lines().all(|line| line.chars().count() <= 120), "{help}");
}

/// The path of a kit of the guide.
fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/kits").join(name).to_str().unwrap().to_owned()
}

#[tokio::test]
async fn stores_and_retires_a_kit() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let of = ["--client", client.as_str(), "--environment", "live"];
    let (file, name) = (example("trator.json"), "trator");
    let kit = async |action: &str, more: &[&str]| operator.run(&[&["kit", action], &of[..], more].concat()).await;

    let put = kit("put", &[&file]).await.ok();
    assert_eq!((printed(&put, "name"), printed(&put, "version")), (name, "1"));
    let hash = printed(&put, "sha256").to_owned();
    let checked = run(command(&["kit", "check", &file])).await.ok();
    assert!(checked.contains(&format!("sha256  {hash}")), "{checked}");
    let (code, message) = kit("put", &[&file]).await.refused();
    assert_eq!((code, message.as_str()), (5, "the kit equals the current version, trator@1; there is nothing to put"));

    let list = kit("list", &[]).await.ok();
    let row: Vec<_> = list.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row, [name, "1", "in", "use"]);
    let retired = kit("retire", &[name]).await.ok();
    assert_eq!((printed(&retired, "name"), printed(&retired, "retired")), (name, "true"));
    assert_eq!(kit("put", &[&file]).await.code, 0);

    let shown = operator.json(&[&["kit", "show"], &of[..], &[name, "--version", "1"]].concat()).await;
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let expected = json!({
        "client_id": client, "environment": "PRODUCTION", "name": name, "current_version": 2, "retired": false, "version": 1,
        "sha256": hash, "put_at": shown["put_at"], "kit": document,
    });
    assert_eq!(shown, expected);
    let shown = kit("show", &[name]).await.ok();
    assert_eq!((printed(&shown, "version"), printed(&shown, "retired")), ("2", "false"));
    let (_, printed) = shown.split_once("\n\n").unwrap();
    assert_eq!(serde_json::from_str::<Value>(printed).unwrap(), document);
    let (code, message) = kit("show", &["other"]).await.refused();
    assert_eq!((code, message), (3, format!("client {client} has no kit other in PRODUCTION")));
}

#[tokio::test]
async fn an_invalid_kit_is_not_stored() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kit.json").to_str().unwrap().to_owned();
    std::fs::write(&file, INVALID).unwrap();
    let of = ["--client", client.as_str(), "--environment", "sand"];
    let put = operator.run(&[&["kit", "put"], &of[..], &[&file]].concat()).await;
    let checked = run(command(&["kit", "check", &file])).await;
    assert_eq!((put.code, &put.out, &put.err), (4, &checked.out, &checked.err));
    assert_eq!(operator.json(&[&["kit", "list"], &of[..]].concat()).await, json!({ "kits": [] }));
}

#[tokio::test]
async fn sets_and_shows_the_sender() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    let client = operator.new_client("Seguradora").await;
    let of = ["--client", client.as_str(), "--environment", "stag"];
    let (code, message) = operator.run(&[&["sender", "show"], &of[..]].concat()).await.refused();
    let advice = format!("set it with lacre-admin sender set --client {client} --environment stag FILE");
    assert_eq!((code, message), (3, format!("client {client} has no sender in STAGING; {advice}")));

    let guide = include_str!("../../../../docs/guides/tell-customers-who-asks.md");
    let (_, example) = guide.split_once("<<'SENDER'\n").unwrap();
    let (example, _) = example.split_once("\nSENDER\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sender.json").to_str().unwrap().to_owned();
    std::fs::write(&file, example.replace("Seguradora Exemplo\"", "<Seguradora>\"").replace("https:", "http:"))
        .unwrap();
    let ran = operator.run(&[&["sender", "set"], &of[..], &[&file]].concat()).await;
    assert_eq!((ran.code, ran.err.as_str()), (4, "lacre-admin: the sender is invalid\n"));
    let lines: Vec<_> = ran.out.lines().filter(|line| !line.starts_with("    ")).collect();
    assert_eq!(lines, [&format!("{file}: 2 faults"), "  /name  text_markup", "  /notice_url  url_form"]);

    std::fs::write(&file, example).unwrap();
    let set = operator.json(&[&["sender", "set"], &of[..], &[&file]].concat()).await;
    let sender: Value = serde_json::from_str(example).unwrap();
    assert_eq!((&set["sender"], &set["environment"]), (&sender, &json!("STAGING")));
    assert_eq!(operator.json(&[&["sender", "show"], &of[..]].concat()).await, set);
    let shown = operator.run(&[&["sender", "show"], &of[..]].concat()).await.ok();
    assert_eq!(printed(&shown, "client_id"), client);
    let (_, document) = shown.split_once("\n\n").unwrap();
    assert_eq!(serde_json::from_str::<Value>(document).unwrap(), sender);
}
