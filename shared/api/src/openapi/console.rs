//! The terms of a license for the console: generates `web/console/license-terms.js`.

use serde_json::{Value, json};

use crate::{
    Environment, Term,
    terms::{Bounds, Kind},
};

/// The JavaScript module with a row for each term, in the order of the form.
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
    // The form field of an empty list or of `null` is empty.
    let field = |default: String| if default == "[]" || default == "null" { String::new() } else { default };
    let defaults: Vec<_> = Environment::ALL
        .map(|environment| {
            (environment.name(), term.default(environment).map_or(Value::Null, |text| field(text).into()))
        })
        .into();
    let fields = [
        ("name", Value::from(term.name).to_string()),
        ("kind", Value::from(kind).to_string()),
        ("options", json!(options).to_string()),
        ("least", number(least).to_string()),
        ("most", number(most).to_string()),
        ("above", number(above).to_string()),
        ("defaults", object(&defaults)),
        ("title", object(&[("pt", term.title_pt.into()), ("en", term.title.into())])),
        ("help", object(&[("pt", plain(term.documentation_pt).into()), ("en", plain(term.documentation).into())])),
    ];
    fields.iter().map(|(name, value)| format!("    {name}: {value},\n")).collect()
}

/// A JavaScript object literal with its fields in the given order, independent of `serde_json`'s features.
fn object(fields: &[(&str, Value)]) -> String {
    let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{{ {} }}", fields.join(", "))
}
