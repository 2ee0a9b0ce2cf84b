#![allow(clippy::unwrap_used, clippy::panic)]

use std::{collections::BTreeSet, fs, path::Path};

use lacre_api::Framing;
use serde::Deserialize;
use serde_json::Value;

use super::*;

/// The vectors that `web/tests/kit.test.js` and the schema are tested with, too.
#[derive(Deserialize)]
struct Vectors {
    base: Value,
    valid: Vec<Valid>,
    invalid: Vec<Invalid>,
    outlines: Vec<Outline>,
    texts: Vec<Text>,
}

#[derive(Deserialize)]
struct Valid {
    why: String,
    #[serde(flatten)]
    document: Document,
    canonical: String,
    sha256: String,
}

#[derive(Deserialize)]
struct Invalid {
    why: String,
    #[serde(flatten)]
    document: Document,
    faults: BTreeSet<(String, String)>,
}

/// A whole document, or the base with changes.
#[derive(Deserialize)]
struct Document {
    text: Option<String>,
    #[serde(default)]
    set: serde_json::Map<String, Value>,
    #[serde(default)]
    remove: Vec<String>,
}

#[derive(Deserialize)]
struct Outline {
    d: String,
    framing: String,
    canonical: Option<String>,
    rule: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    field: String,
    text: String,
    rules: BTreeSet<String>,
}

impl Vectors {
    fn read() -> Self {
        serde_json::from_str(include_str!("../../tests/kits.json")).unwrap()
    }
}

impl Document {
    fn on(&self, base: &Value) -> String {
        let mut kit = base.clone();
        for (pointer, value) in &self.set {
            let (parent, name) = parent(&mut kit, pointer);
            match parent {
                Value::Array(items) if name == items.len().to_string() => items.push(value.clone()),
                Value::Array(items) => items[name.parse::<usize>().unwrap()] = value.clone(),
                parent => parent[name] = value.clone(),
            }
        }
        for pointer in &self.remove {
            let (parent, name) = parent(&mut kit, pointer);
            parent.as_object_mut().unwrap().remove(&name).unwrap();
        }
        self.text.clone().unwrap_or_else(|| kit.to_string())
    }
}

/// The value that holds another, and the name of the other in it.
fn parent<'a>(kit: &'a mut Value, pointer: &str) -> (&'a mut Value, String) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    (kit.pointer_mut(parent).unwrap(), name.replace("~1", "/").replace("~0", "~"))
}

fn named(faults: &[KitFault]) -> BTreeSet<(String, String)> {
    faults.iter().map(|fault| (fault.path.clone(), fault.rule.name().to_owned())).collect()
}

#[test]
fn valid_kits_have_one_canonical_form() {
    let vectors = Vectors::read();
    assert!(vectors.valid.len() >= 20);
    for Valid { why, document, canonical, sha256 } in vectors.valid {
        let kit =
            Kit::parse(document.on(&vectors.base).as_bytes()).unwrap_or_else(|faults| panic!("{why}: {faults:?}"));
        assert_eq!((kit.canonical_json(), kit.hash().hex()), (canonical.as_str(), sha256), "{why}");
        assert_eq!(Kit::parse(canonical.as_bytes()), Ok(kit), "{why}");
    }
}

#[test]
fn invalid_kits_have_all_their_faults() {
    let vectors = Vectors::read();
    assert!(vectors.invalid.len() >= 200);
    for Invalid { why, document, faults } in &vectors.invalid {
        let found = Kit::parse(document.on(&vectors.base).as_bytes()).unwrap_err();
        assert_eq!((found.len(), named(&found)), (faults.len(), faults.clone()), "{why}: {found:?}");
        for KitFault { message, .. } in found {
            let is_sentence = message.starts_with(char::is_uppercase) && message.ends_with('.');
            assert!(is_sentence && !message.contains(char::is_control), "{message}");
        }
    }
    let rules: BTreeSet<_> =
        vectors.invalid.iter().flat_map(|kit| &kit.faults).map(|(_, rule)| rule.as_str()).collect();
    let missing: Vec<_> = KitRule::ALL.iter().filter(|rule| !rules.contains(rule.name())).collect();
    // The first is tested below, the others are of senders.
    let others = [KitRule::KitSize, KitRule::SenderSize, KitRule::LogoForm, KitRule::LogoSize, KitRule::UrlForm];
    assert_eq!(missing, others.each_ref());
}

#[test]
fn judges_outlines_and_texts_like_pages() {
    let vectors = Vectors::read();
    for Outline { d, framing, canonical, rule } in vectors.outlines {
        let found = outline::canonical(&d, Framing::parse(&framing).unwrap());
        assert_eq!(found.map_err(|(rule, _)| rule.name().to_owned()), canonical.ok_or_else(|| rule.unwrap()), "{d:?}");
    }
    for Text { field, text, rules } in vectors.texts {
        let path = format!("/steps/0/{field}/pt-BR");
        let set = [(path.clone(), Value::from(text.as_str()))].into_iter().collect();
        let document = Document { text: None, set, remove: Vec::new() };
        let found = Kit::parse(document.on(&vectors.base).as_bytes()).err().unwrap_or_default();
        let expected = rules.into_iter().map(|rule| (path.clone(), rule)).collect();
        assert_eq!(named(&found), expected, "{field}: {text:?}");
    }
}

#[test]
fn a_kit_has_at_most_32_kib() {
    let mut kit = Vectors::read().base;
    let text = kit.to_string();
    let padded = |bytes: usize| format!("{text}{}", " ".repeat(bytes - text.len()));
    assert!(Kit::parse(padded(limits::KIT_BYTES).as_bytes()).is_ok());
    let found = Kit::parse(padded(limits::KIT_BYTES + 1).as_bytes()).unwrap_err();
    assert_eq!(named(&found), [(String::new(), "kit_size".to_owned())].into());

    // Paths that are longer in canonical form.
    let path = serde_json::json!([{ "d": format!("M0 0H{}", "-1".repeat(1300)) }]);
    let step = |index: usize| {
        let mut step = kit["steps"][1].clone();
        step["id"] = format!("s{index}").into();
        step["outline"] = path.clone();
        step
    };
    kit["steps"] = (0..10).map(step).collect();
    let text = kit.to_string();
    assert!(text.len() < limits::KIT_BYTES);
    assert_eq!(named(&Kit::parse(text.as_bytes()).unwrap_err()), named(&found));
}

#[test]
fn refuses_invalid_utf8() {
    let found = Kit::parse(b"{\"name\":\"\xff\"}").unwrap_err();
    assert_eq!(named(&found), [(String::new(), "not_json".to_owned())].into());
}

#[test]
fn each_profile_has_a_kit() {
    for profile in Profile::ALL {
        let kit = Kit::of_profile(profile).unwrap_or_else(|faults| panic!("{profile:?}: {faults:?}"));
        let content = kit.content();
        assert_eq!((content.name.as_str(), content.steps.len()), (profile.name(), profile.total_photos() as usize));
        let photos = content.steps.iter().map(|step| (step.framing, step.optional));
        assert!(photos.eq(vec![(profile.framing(), false); content.steps.len()]), "{profile:?}");
        for step in &content.steps {
            let tip = step.tip.as_ref().unwrap();
            assert!(step.title.english.is_some() && step.title.spanish.is_some(), "{profile:?}");
            assert!(step.instruction.english.is_some() && step.instruction.spanish.is_some(), "{profile:?}");
            assert!(tip.english.is_some() && tip.spanish.is_some(), "{profile:?}");
        }
        check_written_canonically(&format!("kits/{}.json", profile.name()), &kit);
    }
}

#[test]
fn the_kits_of_the_guide_are_valid() {
    let folder = "../../docs/guides/kits";
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let kit = Kit::parse(text_of(&format!("{folder}/{file}")).as_bytes())
            .unwrap_or_else(|faults| panic!("{file}: {faults:?}"));
        let name = kit.content().name.as_str().to_owned();
        assert_eq!(file, format!("{name}.json"));
        check_written_canonically(&format!("{folder}/{file}"), &kit);
        names.insert(name);
    }
    let guide = text_of("../../docs/guides/describe-what-to-photograph.md");
    assert!(names.iter().all(|name| guide.contains(&format!("](kits/{name}.json)"))), "{names:?}");
}

#[test]
fn the_example_of_the_page_is_valid() {
    let page = text_of("../../docs/reference/kits.md");
    let (_, example) = page.split_once("<<'KIT'\n").unwrap();
    let (example, _) = example.split_once("\nKIT\n").unwrap();
    assert_eq!(Kit::parse(example.as_bytes()).map(|kit| kit.content().steps.len()), Ok(2));
}

/// A file of the repository has no field with its default, and its outlines in canonical form.
fn check_written_canonically(path: &str, kit: &Kit) {
    let [written, canonical] =
        [&text_of(path), kit.canonical_json()].map(|json| serde_json::from_str::<Value>(json).unwrap());
    assert_eq!(written, canonical, "{path}");
}

fn text_of(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}
