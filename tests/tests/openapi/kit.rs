//! Compares the JSON Schema of a capture kit with the vectors of the kit's rules, by a validator of others.

use jsonschema::Validator;
use lacre_api::kit::KitRule;
use serde_json::Value;

/// The rules that the schema cannot express, or only in part, as docs/reference/kits.md#the-schema says.
const BEYOND_THE_SCHEMA: [KitRule; 11] = [
    KitRule::KitSize,
    KitRule::NotJson,
    KitRule::DuplicateField,
    KitRule::IdRepeated,
    KitRule::LastOptional,
    KitRule::TitleForm,
    KitRule::TextInvisible,
    KitRule::PathSyntax,
    KitRule::PathCommand,
    KitRule::PathCanvas,
    KitRule::OutlineSize,
];

fn schema() -> Validator {
    let schema: Value = serde_json::from_str(include_str!("../../../openapi/kit.schema.json")).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    jsonschema::validator_for(&schema).unwrap()
}

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../shared/domain/tests/kits.json")).unwrap()
}

fn each<'a>(vectors: &'a Value, list: &str) -> &'a Vec<Value> {
    vectors[list].as_array().unwrap()
}

/// The kit of a vector: its own, or the base with its changes. `None` if it is not JSON.
fn kit(vector: &Value, base: &Value) -> Option<Value> {
    if let Some(text) = vector["text"].as_str() {
        return serde_json::from_str(text).ok();
    }
    let mut kit = base.clone();
    for (pointer, value) in vector["set"].as_object().into_iter().flatten() {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        match kit.pointer_mut(parent).unwrap() {
            Value::Array(items) if name == items.len().to_string() => items.push(value.clone()),
            Value::Array(items) => items[name.parse::<usize>().unwrap()] = value.clone(),
            parent => parent[name.replace("~1", "/").replace("~0", "~")] = value.clone(),
        }
    }
    for pointer in vector["remove"].as_array().into_iter().flatten() {
        let (parent, name) = pointer.as_str().unwrap().rsplit_once('/').unwrap();
        kit.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name).unwrap();
    }
    Some(kit)
}

#[test]
fn the_schema_accepts_every_valid_kit() {
    let (schema, vectors) = (schema(), vectors());
    for vector in each(&vectors, "valid") {
        let given = kit(vector, &vectors["base"]).unwrap();
        let canonical = serde_json::from_str(vector["canonical"].as_str().unwrap()).unwrap();
        for kit in [given, canonical] {
            schema.validate(&kit).unwrap_or_else(|fault| panic!("{}: {fault}", vector["why"]));
        }
    }
}

#[test]
fn the_schema_enforces_every_expressible_rule() {
    let (schema, vectors) = (schema(), vectors());
    let mut refused = 0;
    for vector in each(&vectors, "invalid") {
        let rules = each(vector, "faults").iter().map(|fault| KitRule::parse(fault[1].as_str().unwrap()).unwrap());
        let is_expressed = rules.into_iter().any(|rule| !BEYOND_THE_SCHEMA.contains(&rule));
        let is_refused = kit(vector, &vectors["base"]).is_none_or(|kit| !schema.is_valid(&kit));
        assert!(is_refused || !is_expressed, "{vector}");
        refused += usize::from(is_refused);
    }
    assert!(refused > 250, "{refused}");
}

#[test]
fn documents_the_rules_beyond_the_schema() {
    let page = include_str!("../../../docs/reference/kits.md");
    let section = page.split_once("## The schema").unwrap().1.split_once("\n## ").unwrap().0;
    for rule in KitRule::ALL {
        let named = section.contains(&format!("`{rule}`"));
        assert_eq!(named, BEYOND_THE_SCHEMA.contains(rule), "{rule}");
    }
}
