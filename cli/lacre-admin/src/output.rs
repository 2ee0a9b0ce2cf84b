//! Output of commands: tables and lists of fields for people, or JSON.

use std::{
    fmt,
    io::{self, Write},
};

use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

/// Maximum width of a table, in characters.
const COLUMNS: usize = 120;
const GAP: &str = "  ";

/// Standard output, in the requested format.
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// Writes JSON if `json` is set, otherwise text.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Writes a result, as a JSON document or as text.
    pub(crate) fn show(&self, document: &impl Serialize, text: impl fmt::Display) -> Result<(), Failure> {
        let text = match self.json {
            true => serde_json::to_string_pretty(document).map_err(io::Error::from)? + "\n",
            false => text.to_string(),
        };
        Ok(io::stdout().lock().write_all(text.as_bytes())?)
    }
}

/// A table of aligned columns. The last column holds free text and is cut where the line would exceed [`COLUMNS`].
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table without rows.
    pub(crate) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self { rows: vec![headings.map(str::to_owned).to_vec()] }
    }

    /// Adds a row with one cell per heading.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| chars(cell)).max();
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(&format!("{cell:width$}{GAP}"));
            }
            writeln!(f, "{}", shortened(line.trim_end()))?;
        }
        Ok(())
    }
}

/// A newly issued key with the stored fields of its record.
pub(crate) struct IssuedKey<'a> {
    /// The key, which is shown only once.
    pub(crate) key: &'a str,
    /// The fields of the key's record.
    pub(crate) details: Details,
}

impl fmt::Display for IssuedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The key. It is shown this once, so keep it now:\n{}\n\n{}", self.key, self.details)
    }
}

/// The fields of one record, each on its own line with its name and full value.
pub(crate) struct Details {
    fields: Vec<(String, String)>,
}

impl Details {
    /// Lists the fields of a record under their JSON names. Fields of a nested object get the outer field's name as a
    /// prefix.
    pub(crate) fn of(record: &impl Serialize) -> Self {
        let mut fields = Vec::new();
        // A record that cannot be serialized has no fields.
        flatten("", &serde_json::to_value(record).unwrap_or_default(), &mut fields);
        Self { fields }
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.fields.iter().map(|(name, _)| chars(name)).max().unwrap_or(0);
        self.fields.iter().try_for_each(|(name, value)| writeln!(f, "{name:width$}{GAP}{value}"))
    }
}

/// A value that serializes to a single word, such as a status, an environment or an origin.
pub(crate) fn word(value: &impl Serialize) -> String {
    plain(&serde_json::to_value(value).unwrap_or_default())
}

fn flatten(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                let name = if name.is_empty() { member.clone() } else { format!("{name}.{member}") };
                flatten(&name, value, fields);
            }
        }
        Value::Array(items) => fields.push((name.to_owned(), items.iter().map(plain).collect::<Vec<_>>().join(" "))),
        other => fields.push((name.to_owned(), plain(other))),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

fn shortened(line: &str) -> String {
    match chars(line) > COLUMNS {
        true => line.chars().take(COLUMNS - 1).chain(['…']).collect(),
        false => line.to_owned(),
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_fit_their_widest_cell() {
        let mut table = Table::new(["ID", "STATUS", "NAME"]);
        table.row(["1".into(), "suspended".into(), "Seguradora São João".into()]);
        table.row(["222".into(), "active".into(), "B".into()]);
        let expected = "ID   STATUS     NAME\n1    suspended  Seguradora São João\n222  active     B\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn truncates_lines_to_the_terminal() {
        let mut table = Table::new(["ID", "NAME"]);
        table.row(["1".into(), "ã".repeat(200)]);
        let expected = table.to_string();
        let line = expected.lines().nth(1).unwrap_or_default();
        assert_eq!(chars(line), COLUMNS);
        assert!(line.ends_with("ã…"), "{line}");
    }

    #[test]
    fn fields_keep_order_and_whole_value() {
        let record = json!({ "z": 1, "none": null, "list": ["x", "y"], "in": { "b": true, "a": "é".repeat(200) } });
        let expected = format!("z     1\nnone  -\nlist  x y\nin.b  true\nin.a  {}\n", "é".repeat(200));
        assert_eq!(Details::of(&record).to_string(), expected);
    }
}
