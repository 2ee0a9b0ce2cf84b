//! Generates the tables of the reference pages. In a page a table stands between two marks, of which the first names
//! it:
//!
//! ```text
//! <!-- generated: fields of CreateSession -->
//! <!-- end -->
//! ```

use schemars::{JsonSchema, generate::Contract};
use serde_json::{Map, Value};

use super::{Figure, field::Field, generator};
use crate::{
    CapturedPhoto, CreateHostedSession, CreateSession, IngestRequest, IngestedManifest, IngestedPhoto, LoadedSession,
    NextPhoto, Profile, Refusal, Route, Sender, SessionPhoto, Term,
    admin::{self, Fault},
    kit::{self, Kit, KitRule, KitStep},
    limits,
};

/// The folder of the pages.
pub const FOLDER: &str = "docs/reference";

const BEGIN: &str = "<!-- generated: ";
const BEGUN: &str = " -->\n";
const END: &str = "<!-- end -->";

/// Phrases in doc comments that become links to other pages, with their targets.
const LINKS: &[(&str, &str)] = &[
    ("result is announced", "hosted-flow.md#the-webhook"),
    ("header that differs is recorded", "../concepts/evidence.md#what-is-not-proved"),
    ("transparency log", "../concepts/transparency-log.md"),
    ("a hosted one", "hosted-flow.md"),
    ("seems to show a screen", "../concepts/recapture.md"),
    ("trusted timestamp", "../guides/deploy.md#timestamps"),
];

/// The cells of a table row.
type Row = Vec<String>;

/// Replaces the tables of a page with newly generated ones.
///
/// # Errors
/// Fails for a mark that names no known table, or that has no end mark.
pub fn with_tables(page: &str) -> Result<String, String> {
    let mut parts = page.split(BEGIN);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let fault = || format!("{BEGIN}{}", part.lines().next().unwrap_or_default());
        let (name, rest) = part.split_once(BEGUN).ok_or_else(fault)?;
        let (_, rest) = rest.split_once(END).ok_or_else(fault)?;
        let table = table(name).ok_or_else(fault)?;
        written += &format!("{BEGIN}{name}{BEGUN}\n{table}\n{END}{rest}");
    }
    Ok(written)
}

/// The table with a name.
fn table(name: &str) -> Option<String> {
    let route = |id: &str| Route::ALL.into_iter().find(|route| route.operation_id() == id);
    let (head, rows): (&[&str], _) = match name.split_once(" of ").unwrap_or((name, "")) {
        ("errors", operation) => (&["Status", "`block_reason`", "`error`", "Why"], errors(route(operation)?)),
        ("fields", schema) => (&["Field", "Type", "Meaning"], fields_of(schema)?),
        ("limits", "") => (&["Limit", "Value"], limits(limits::all())),
        ("kit limits", "") => (&["Limit", "Value"], limits(kit::limits::all())),
        ("kit rules", "") => (&["`rule`", "What holds"], words::<KitRule>()),
        ("profiles", "") => (&["`profile`", "Photos", "Framing"], profiles()),
        ("admin routes", "") => (&["Route", "Takes", "What it does", "Response"], admin_routes()),
        ("admin errors", "") => (&["Status", "Why"], admin_errors()),
        ("license terms", "") => (&["Term", "Value", "Default", "Meaning"], terms()),
        _ => return None,
    };
    Some(markdown(head, &rows))
}

fn markdown(head: &[&str], rows: &[Row]) -> String {
    let cell = |text: &String| text.replace('\n', " ").replace('|', "\\|");
    let line = |cells: &Row| format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "));
    let rows: String = rows.iter().map(line).collect();
    format!("| {} |\n|{}\n{}", head.join(" | "), "---|".repeat(head.len()), rows.replace("|  |", "| |"))
}

/// The fields of a schema.
fn fields_of(schema: &str) -> Option<Vec<Row>> {
    Some(match schema {
        "CreateSession" => fields::<CreateSession>(),
        "CreateHostedSession" => fields::<CreateHostedSession>(),
        "LoadedSession" => fields::<LoadedSession>(),
        "IngestRequest" => fields::<IngestRequest>(),
        "IngestedPhoto" => fields::<IngestedPhoto>(),
        "IngestedManifest" => fields::<IngestedManifest>(),
        "NextPhoto" => fields::<NextPhoto>(),
        "Kit" => fields::<Kit>(),
        "KitStep" => fields::<KitStep>(),
        "Sender" => fields::<Sender>(),
        "SessionPhoto" => [fields::<SessionPhoto>(), fields::<CapturedPhoto>()].concat(),
        _ => return None,
    })
}

fn fields<T: JsonSchema>() -> Vec<Row> {
    let row = |field: Field| vec![code(&field.name), field.kind(), linked(&field.meaning())];
    Field::all::<T>().into_iter().map(row).collect()
}

/// The text of a doc comment with its phrases replaced by links.
fn linked(text: &str) -> String {
    let link =
        |text: String, (phrase, target): &(&str, &str)| text.replacen(phrase, &format!("[{phrase}]({target})"), 1);
    LINKS.iter().fold(text.to_owned(), link)
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The refusals of a route.
fn errors(route: Route) -> Vec<Row> {
    let row = |refusal: &Refusal| {
        let reason = refusal.block_reason().map(code).unwrap_or_default();
        vec![refusal.status().to_string(), reason, refusal.text("Lacre").into_owned(), refusal.cause().to_owned()]
    };
    route.refusals().iter().map(row).collect()
}

fn limits(all: Vec<(&str, Figure, &str)>) -> Vec<Row> {
    let row = |(name, figure, documentation): (&str, Figure, &str)| {
        let unit = ["bytes", "seconds"].into_iter().find(|unit| name.to_lowercase().ends_with(&format!("_{unit}")));
        let value = unit.map_or_else(|| figure.to_string(), |unit| format!("{figure} {unit}"));
        vec![documentation.to_owned(), value]
    };
    all.into_iter().map(row).collect()
}

/// The words of an enumeration.
fn words<T: JsonSchema>() -> Vec<Row> {
    let schema = T::json_schema(&mut generator(Contract::Serialize)).to_value();
    let row = |word: &Value| {
        let [word, meaning] = ["const", "description"].map(|name| word[name].as_str().unwrap_or_default());
        vec![code(word), meaning.to_owned()]
    };
    schema["oneOf"].as_array().into_iter().flatten().map(row).collect()
}

fn profiles() -> Vec<Row> {
    let row = |profile: Profile| {
        let (framing, [width, height]) = (profile.framing(), profile.framing().ratio());
        vec![code(profile.name()), profile.total_photos().to_string(), format!("{framing}, {width}:{height}")]
    };
    Profile::ALL.map(row).into()
}

/// The routes of the admin API. What each takes is read from the OpenAPI document.
fn admin_routes() -> Vec<Row> {
    let document = super::admin();
    let row = |route: admin::Route| {
        let operation = &document["paths"][route.path()][route.method().to_lowercase()];
        let (status, success) = route.success();
        vec![
            code(route.key()),
            taken(operation, &document),
            route.documentation().to_owned(),
            format!("{status}: {success}"),
        ]
    };
    admin::Route::ALL.map(row).into()
}

const JSON: &str = "application/json";

/// What an operation takes besides path parameters: query parameters, except those of every list, and fields of the
/// body, or the media types of a body without fields.
fn taken(operation: &Value, document: &Value) -> String {
    let of_query = |parameter: &&Value| parameter["in"] == "query";
    let parameters = operation["parameters"].as_array().into_iter().flatten().filter(of_query);
    let parameters = parameters.filter_map(|parameter| parameter["name"].as_str());
    let parameters =
        parameters.filter(|name| !["limit", "cursor"].contains(name)).map(|name| code(&format!("?{name}")));
    let content = &operation["requestBody"]["content"];
    let media_types = content.as_object().into_iter().flat_map(Map::keys).filter(|name| *name != JSON);
    let body = &content[JSON]["schema"]["$ref"];
    let body = body.as_str().and_then(|reference| document.pointer(reference.trim_start_matches('#')));
    let fields = body.and_then(|schema| schema["properties"].as_object()).into_iter().flat_map(Map::keys);
    let (terms, others): (Vec<_>, Vec<_>) = fields.partition(|name| Term::all().iter().any(|term| term.name == *name));
    let terms = (!terms.is_empty()).then(|| "[terms](#terms-of-a-license)".to_owned());
    let of_body = others.into_iter().chain(media_types).map(|name| code(name));
    parameters.chain(of_body).chain(terms).collect::<Vec<_>>().join(", ")
}

fn admin_errors() -> Vec<Row> {
    Fault::ALL.iter().map(|fault| vec![fault.status().to_string(), fault.cause().to_owned()]).collect()
}

fn terms() -> Vec<Row> {
    let row = |term: &Term| vec![code(term.name), term.requirement(), term.at_issue(), linked(term.documentation)];
    Term::all().iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Fails if a doc comment was reworded and lost its link.
    #[test]
    fn each_phrase_links_somewhere() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOLDER);
        let pages =
            ["api.md", "hosted-flow.md", "admin.md"].map(|page| std::fs::read_to_string(folder.join(page)).unwrap());
        let pages: String = pages.iter().map(|page| with_tables(page).unwrap()).collect();
        for (phrase, target) in LINKS {
            assert!(pages.contains(&format!("[{phrase}]({target})")), "{phrase}");
        }
    }
}
