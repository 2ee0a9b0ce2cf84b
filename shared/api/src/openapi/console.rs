//! The terms of a license as the console shows them: `web/console/license-terms.js`.

use serde_json::{Value, json};

use crate::{
    Environment, Term,
    terms::{Bounds, Kind},
};

/// A module with a row for each term, in the order of the form.
#[must_use]
pub fn license_terms() -> String {
    let rows: Vec<String> = Term::all().iter().map(|term| format!("  {{\n{}  }},\n", row(term))).collect();
    format!(
        "// The terms of a license, a row each. Generated from shared/api by scripts/generate.\n\n\
         /** @satisfies {{readonly import(\"./terms.js\").Term[]}} */\n\
         export const LICENSE_TERMS = /** @type {{const}} */ ([\n{}]);\n",
        rows.concat()
    )
}

fn row(term: &Term) -> String {
    let (kind, options) = match term.kind {
        Kind::Time => ("time", &[][..]),
        Kind::Count => ("count", &[][..]),
        Kind::CountOrNull => ("count_or_null", &[][..]),
        Kind::Number => ("number", &[][..]),
        Kind::Flag => ("flag", &[][..]),
        Kind::Origins => ("origins", &[][..]),
        Kind::Word(words) => ("word", words),
    };
    let (least, most, above) = match term.bounds {
        Bounds::Any => (None, None, None),
        Bounds::Above(above) => (None, None, Some(above)),
        Bounds::AtLeast(least) => (Some(least), None, None),
        Bounds::AtMost(most) => (Some(0.0), Some(most), None),
        Bounds::Within(least, most) => (Some(least), Some(most), None),
    };
    let plain = |text: &str| text.replace('`', "");
    let number = |bound: Option<f64>| bound.map_or(Value::Null, crate::terms::exact_json);
    // A field that names nothing is empty.
    let field = |default: String| if default == "[]" || default == "null" { String::new() } else { default };
    let defaults: serde_json::Map<String, Value> = Environment::ALL
        .iter()
        .map(|environment| (environment.name().to_owned(), term.default(*environment).map(field).into()))
        .collect();
    let fields = [
        ("name", term.name.into()),
        ("kind", kind.into()),
        ("options", json!(options)),
        ("least", number(least)),
        ("most", number(most)),
        ("above", number(above)),
        ("defaults", defaults.into()),
        ("title", json!({ "pt": term.title_pt, "en": term.title })),
        ("help", json!({ "pt": plain(term.documentation_pt), "en": plain(term.documentation) })),
    ];
    fields.iter().map(|(name, value)| format!("    {name}: {value},\n")).collect()
}
