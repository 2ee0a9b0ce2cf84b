//! Where the command line finds its settings: the process's environment, and a file beside it.

use std::{collections::HashMap, path::Path};

use crate::failure::Failure;

/// Variables. What the process's environment tells wins over the file.
pub(crate) struct Environment {
    file: HashMap<String, String>,
    process: fn(&str) -> Option<String>,
}

impl Environment {
    /// The process's environment, with a file of `KEY=value` lines where one is named.
    pub(crate) fn of_process(file: Option<&Path>) -> Result<Self, Failure> {
        let unusable = |path: &Path, why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let file = match file {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| unusable(path, error.to_string()))?;
                parse(&text).map_err(|why| unusable(path, why))?
            }
            None => HashMap::new(),
        };
        Ok(Self { file, process: |name| std::env::var(name).ok() })
    }

    /// A variable's value; one that is empty is not told.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.of_the_process(name).or_else(|| self.file.get(name).cloned().filter(|value| !value.is_empty()))
    }

    /// A variable that belongs to another one, and so comes from where that one is told.
    pub(crate) fn get_beside(&self, name: &str, other: &str) -> Option<String> {
        match self.of_the_process(other) {
            Some(_) => self.of_the_process(name),
            None => self.get(name),
        }
    }

    fn of_the_process(&self, name: &str) -> Option<String> {
        (self.process)(name).filter(|value| !value.is_empty())
    }
}

/// Reads lines as a shell reads assignments, but for expansions, which it refuses.
fn parse(text: &str) -> Result<HashMap<String, String>, String> {
    let mut variables = HashMap::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // The line itself is not told: it may hold a secret.
        let read = line.split_once('=').and_then(|(name, value)| Some((name, unquote(value)?)));
        let (name, value) = read.ok_or_else(|| format!("line {number} is not KEY=value, or its value lacks quotes"))?;
        variables.insert(name.to_owned(), value);
    }
    Ok(variables)
}

/// A word of a shell: plain characters, parts in single quotes, and characters after a backslash.
fn unquote(text: &str) -> Option<String> {
    let (mut value, mut chars, mut quoted) = (String::new(), text.chars(), false);
    while let Some(char) = chars.next() {
        match char {
            '\'' => quoted = !quoted,
            '\\' if !quoted => value.push(chars.next()?),
            ' ' | '\t' | '"' | '$' | '`' | ';' | '&' | '|' | '<' | '>' | '(' | ')' if !quoted => return None,
            other => value.push(other),
        }
    }
    (!quoted).then_some(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_is_read_as_a_shell_would() {
        let read = parse("# local\nURL=http://127.0.0.1:8700/a\n\nNAME='it'\\''s $5'\nEMPTY=\n").unwrap();
        let told = |name: &str| read.get(name).map(String::as_str);
        assert_eq!(told("URL"), Some("http://127.0.0.1:8700/a"));
        assert_eq!((told("NAME"), told("EMPTY"), read.len()), (Some("it's $5"), Some(""), 3));
    }

    #[test]
    fn what_a_shell_would_expand_is_refused_by_its_line_and_not_told() {
        for line in ["SECRET", "A=$SECRET", "A=`SECRET`", "A=\"SECRET\"", "A=two SECRET", "A='SECRET"] {
            let told = parse(&format!("OK=1\n{line}\n")).unwrap_err();
            assert!(told.starts_with("line 2 ") && !told.contains("SECRET"), "{told}");
        }
    }

    #[test]
    fn the_process_wins_and_credentials_do_not_mix() {
        let file = "AWS_REGION=from-file\nAWS_ACCESS_KEY_ID=FILE\nAWS_SESSION_TOKEN=FILE\nAWS_PROFILE=from-file\n";
        let process = |name: &str| match name {
            "AWS_REGION" => Some("from-process".to_owned()),
            "AWS_ACCESS_KEY_ID" => Some("PROCESS".to_owned()),
            "AWS_PROFILE" => Some(String::new()),
            _ => None,
        };
        let both = Environment { file: parse(file).unwrap(), process };
        assert_eq!(both.get("AWS_REGION").as_deref(), Some("from-process"));
        assert_eq!(both.get("AWS_PROFILE").as_deref(), Some("from-file"));
        assert_eq!(both.get_beside("AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"), None);
        let file_only = Environment { process: |_| None, ..both };
        assert_eq!(file_only.get_beside("AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID").as_deref(), Some("FILE"));
    }
}
