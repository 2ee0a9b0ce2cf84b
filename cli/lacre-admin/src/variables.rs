//! Settings of the command line, from the file of `--env-file` and the process's environment.

use std::{collections::HashMap, path::Path};

use crate::{failure::Failure, options::Options};

/// Variables from both sources. The file takes precedence over the environment because the operator named it.
pub(crate) struct Variables {
    file: HashMap<String, String>,
    process: fn(&str) -> Option<String>,
}

impl Variables {
    /// Reads the process's environment and, if `--env-file` is set, a file of `KEY=value` lines.
    pub(crate) fn of(options: &Options) -> Result<Self, Failure> {
        let file = options.env_file.as_deref();
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

    /// The value of a variable. An empty value counts as not set.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.first(&[name]).map(|(_, value)| value)
    }

    /// The first variable of `names` that is set. All variables of the file come before all of the environment.
    pub(crate) fn first<'a>(&self, names: &[&'a str]) -> Option<(&'a str, String)> {
        let found =
            |source: &dyn Fn(&str) -> Option<String>| names.iter().find_map(|name| Some((*name, source(name)?)));
        found(&|name| self.of_the_file(name)).or_else(|| found(&|name| self.of_the_process(name)))
    }

    /// A variable that belongs to `other` and is therefore read from the same source, such as a secret key beside an
    /// access key id.
    pub(crate) fn get_beside(&self, name: &str, other: &str) -> Option<String> {
        match self.of_the_file(other) {
            Some(_) => self.of_the_file(name),
            None => self.of_the_process(name),
        }
    }

    fn of_the_file(&self, name: &str) -> Option<String> {
        self.file.get(name).cloned().filter(|value| !value.is_empty())
    }

    fn of_the_process(&self, name: &str) -> Option<String> {
        (self.process)(name).filter(|value| !value.is_empty())
    }
}

/// Parses lines as a shell parses assignments. Expansions are errors.
fn parse(text: &str) -> Result<HashMap<String, String>, String> {
    let mut variables = HashMap::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // The message does not quote the line, which may contain a secret.
        let read = line.split_once('=').and_then(|(name, value)| Some((name, unquote(value)?)));
        let (name, value) = read.ok_or_else(|| format!("line {number} is not KEY=value, or its value lacks quotes"))?;
        variables.insert(name.to_owned(), value);
    }
    Ok(variables)
}

/// Parses a shell word: plain characters, single-quoted parts, and backslash escapes.
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
    fn reads_files_as_a_shell_would() {
        let read = parse("# local\nURL=http://127.0.0.1:8700/a\n\nNAME='it'\\''s $5'\nEMPTY=\n").unwrap();
        let found = |name: &str| read.get(name).map(String::as_str);
        assert_eq!(found("URL"), Some("http://127.0.0.1:8700/a"));
        assert_eq!((found("NAME"), found("EMPTY"), read.len()), (Some("it's $5"), Some(""), 3));
    }

    #[test]
    fn refuses_expansions_without_quoting_them() {
        for line in ["SECRET", "A=$SECRET", "A=`SECRET`", "A=\"SECRET\"", "A=two SECRET", "A='SECRET"] {
            let found = parse(&format!("OK=1\n{line}\n")).unwrap_err();
            assert!(found.starts_with("line 2 ") && !found.contains("SECRET"), "{found}");
        }
    }

    #[test]
    fn files_take_precedence_without_mixing_credentials() {
        let process = |name: &str| match name {
            "AWS_REGION" | "AWS_PROFILE" => Some("from-process".to_owned()),
            "AWS_ACCESS_KEY_ID" | "AWS_SESSION_TOKEN" => Some("PROCESS".to_owned()),
            _ => None,
        };
        let both = |file: &str| Variables { file: parse(file).unwrap(), process };
        let found = both("AWS_DEFAULT_REGION=from-file\nAWS_ACCESS_KEY_ID=FILE\nAWS_PROFILE=\n");
        assert_eq!(found.get("AWS_REGION").as_deref(), Some("from-process"));
        let region = found.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]);
        assert_eq!(region, Some(("AWS_DEFAULT_REGION", "from-file".to_owned())));
        assert_eq!(found.get("AWS_ACCESS_KEY_ID").as_deref(), Some("FILE"));
        assert_eq!(found.get("AWS_PROFILE").as_deref(), Some("from-process"), "an empty value counts as not set");
        assert_eq!(found.get_beside("AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"), None);
        let found = both("AWS_SESSION_TOKEN=FILE\n");
        assert_eq!(found.get_beside("AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID").as_deref(), Some("PROCESS"));
    }
}
