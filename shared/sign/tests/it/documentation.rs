//! Checks that `docs/reference/manifest.md` documents every field of a manifest.

use std::{collections::BTreeSet, io::Cursor};

use c2pa::Reader;
use lacre_proof_fixtures::{Sandbox, asked_for, facts, synthetic};
use lacre_sign::Facts;
use serde_json::Value;

/// The labels of the assertions and the names of their fields.
fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                found.insert(name.clone());
                names(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn every_field_of_a_manifest_is_documented() {
    let facts = Facts { asked_for: Some(asked_for()), ..facts() };
    let proof = Sandbox::shared().seal(&synthetic(240, 240, false), &facts).await;
    let reader = Reader::default().with_stream("image/jpeg", Cursor::new(&proof.jpeg)).unwrap();
    let manifest: Value = serde_json::from_str(&reader.json()).unwrap();
    let active = manifest["active_manifest"].as_str().unwrap();
    let mut found = BTreeSet::new();
    for assertion in manifest["manifests"][active]["assertions"].as_array().unwrap() {
        found.insert(assertion["label"].as_str().unwrap().to_owned());
        names(&assertion["data"], &mut found);
    }
    assert!(found.contains("asked_for") && found.contains("br.lacre.browser"), "{found:?}");

    let documentation = include_str!("../../../../docs/reference/manifest.md");
    for name in found {
        let documented = documentation.lines().filter(|line| line.starts_with('|')).any(|line| line.contains(&name));
        assert!(documented, "{name} is in no table of docs/reference/manifest.md");
    }
}
