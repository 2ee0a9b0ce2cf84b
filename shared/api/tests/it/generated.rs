//! The documents in `openapi/` are those of the types. `scripts/generate` writes them.

use std::{fs, path::Path};

use lacre_api::openapi;
use serde_json::Value;

/// What stands above each document.
const NOTICE: &str = "# Generated from shared/api by scripts/generate.\n";

fn check(name: &str, document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi").join(name);
    let text = format!("{NOTICE}{}", openapi::yaml(document).expect("a document can be written as YAML"));
    if std::env::var_os("GENERATE").is_some() {
        fs::write(&path, &text).expect("openapi/ can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "openapi/{name} is not what the types say: run scripts/generate");
}

#[test]
fn the_documents_are_generated() {
    check("web.yaml", &openapi::web());
    check("hosted.yaml", &openapi::hosted());
}
