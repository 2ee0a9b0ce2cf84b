//! Tests the check of kits, which needs no deployment.

use std::path::Path;

use serde_json::{Value, json};

use crate::operator::{command, run};

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
