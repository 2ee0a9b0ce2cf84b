//! Compares the committed files that are generated from the types (documents, tables, limits) with what the types give.
//! `scripts/generate` writes them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lacre_api::{Route, openapi};
use serde_json::Value;

/// The first line of each document.
const NOTICE: &str = "# Generated from shared/api by scripts/generate.\n";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_default()
}

/// Compares a file with its generated text; writes it first if `GENERATE` is set.
fn check(name: &str, text: &str) {
    if std::env::var_os("GENERATE").is_some() {
        fs::write(path(name), text).expect("the file can be written");
    }
    assert!(read(name) == text, "{name} is not what the types say: run scripts/generate");
}

#[test]
fn the_documents_are_generated() {
    let yaml =
        |document: &Value| format!("{NOTICE}{}", openapi::yaml(document).expect("a document can be written as YAML"));
    check("openapi/web.yaml", &yaml(&openapi::web()));
    check("openapi/hosted.yaml", &yaml(&openapi::hosted()));
    check("openapi/admin.yaml", &yaml(&openapi::admin()));
    check("openapi/proofs.yaml", &yaml(&openapi::proofs()));
}

/// The paths of the pages with tables.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(path(openapi::FOLDER)).expect("the pages have a folder");
    let names = entries.map(|entry| entry.expect("the folder can be read").file_name());
    names.map(|name| format!("{}/{}", openapi::FOLDER, name.to_string_lossy())).collect()
}

#[test]
fn the_tables_of_the_pages_are_generated() {
    for page in pages() {
        check(&page, &openapi::with_tables(&read(&page)).expect("each mark has a table"));
    }
}

#[test]
fn each_routes_errors_are_documented() {
    let pages: String = pages().iter().map(|page| read(page)).collect();
    for route in Route::ALL {
        assert!(pages.contains(&format!("errors of {} -->", route.operation_id())), "{}", route.name());
    }
}

#[test]
fn the_schemas_of_documents_are_generated() {
    for (name, schema) in [("kit", openapi::kit_schema()), ("dossier", openapi::dossier_schema())] {
        let schema = serde_json::to_string_pretty(&schema).expect("a schema can be written");
        check(&format!("openapi/{name}.schema.json"), &format!("{schema}\n"));
    }
}

#[test]
fn other_languages_have_the_limits() {
    check("web/src/limits.js", &openapi::javascript());
    check("web/src/kit-limits.js", &openapi::kit_limits());
    check("scripts/python/lacre_api.py", &openapi::python());
}

#[test]
fn the_console_s_terms_are_generated() {
    check("web/console/license-terms.js", &openapi::license_terms());
}

/// The operation ids in a document: those that links refer to, or those of the operations themselves.
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
