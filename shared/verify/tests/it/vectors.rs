//! Tests that the verifier gives the results that the published vectors state.

use std::{fs, path::Path};

use lacre_proof::Anchors;
use lacre_verify::join;
use serde_json::{Value, json};

use super::vector::{failed, judged};

#[test]
fn published_vectors_have_their_stated_outcome() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vectors");
    let read = |name: &Value| fs::read(folder.join(name.as_str().unwrap())).unwrap();
    let roots = Anchors::from_pem(&fs::read_to_string(folder.join("roots.pem")).unwrap()).unwrap();
    let cases: Vec<Value> = serde_json::from_slice(&read(&json!("cases.json"))).unwrap();
    assert!(cases.len() > 50);
    for case in cases {
        let photo = read(&case["photo"]);
        let file = case.get("manifest").map_or_else(|| photo.clone(), |name| join(&photo, &read(name)).unwrap());
        let report = judged(&file, &roots, &case["options"]);
        let found = (json!(report.outcome), json!(failed(&report)));
        assert_eq!(found, (case["outcome"].clone(), case["failed"].clone()), "{}: {report}", case["photo"]);
    }
}
