//! The documents in `openapi/` are those of the types. `scripts/generate` writes them.

use std::{fs, path::Path};

use lacre_api::openapi;
use serde_json::Value;

/// What stands above each document.
const NOTICE: &str = "# Generated from shared/api by scripts/generate.\n";

/// Writes a file where it is asked for, and compares it.
fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    if std::env::var_os("GENERATE").is_some() {
        fs::write(&path, text).expect("the file can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "{name} is not what the types say: run scripts/generate");
}

#[test]
fn the_documents_are_generated() {
    let yaml =
        |document: &Value| format!("{NOTICE}{}", openapi::yaml(document).expect("a document can be written as YAML"));
    check("openapi/web.yaml", &yaml(&openapi::web()));
    check("openapi/hosted.yaml", &yaml(&openapi::hosted()));
}

#[test]
fn the_console_s_terms_are_generated() {
    check("web/console/license-terms.js", &openapi::license_terms());
}

/// The identifiers of operations in a value: those of links, or those of the operations themselves.
fn operation_ids<'a>(value: &'a Value, of_links: bool, found: &mut Vec<&'a str>) {
    for (name, inner) in value.as_object().into_iter().flatten() {
        match name.as_str() {
            "links" if of_links => inner.as_object().into_iter().flatten().for_each(|(_, link)| {
                found.extend(link["operationId"].as_str());
            }),
            "links" | "example" => {}
            "operationId" if !of_links => found.extend(inner.as_str()),
            _ => operation_ids(inner, of_links, found),
        }
    }
}

#[test]
fn links_lead_to_operations_of_their_document() {
    for document in [openapi::web(), openapi::hosted()] {
        let (mut linked, mut known) = (Vec::new(), Vec::new());
        operation_ids(&document["paths"], true, &mut linked);
        operation_ids(&document["paths"], false, &mut known);
        assert!(!linked.is_empty());
        assert!(linked.iter().all(|id| known.contains(id)), "{linked:?}, {known:?}");
    }
}
