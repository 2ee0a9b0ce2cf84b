//! The file of cells: which stacks there are, and how each is reached.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{failure::Failure, options::Options};

/// The variable that names the file where no option does.
const FILE: &str = "LACRE_CELLS";

/// The cells of an operator's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cells: Vec<CellEntry>,
}

/// One cell of the file. What it does not set comes from the options, or from the AWS variables of the environment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CellEntry {
    /// The name that operators use.
    pub(crate) name: String,
    /// As for --env-file; a relative path starts at the file of cells.
    pub(crate) env_file: PathBuf,
    /// As for --region.
    pub(crate) region: Option<String>,
    /// As for --profile.
    pub(crate) profile: Option<String>,
    /// As for --endpoint-url.
    pub(crate) endpoint_url: Option<String>,
}

impl CellEntry {
    /// The options of a command in this cell.
    pub(crate) fn options(&self, options: &Options) -> Options {
        Options {
            json: options.json,
            env_file: Some(self.env_file.clone()),
            profile: options.profile.clone().or_else(|| self.profile.clone()),
            region: options.region.clone().or_else(|| self.region.clone()),
            endpoint_url: options.endpoint_url.clone().or_else(|| self.endpoint_url.clone()),
            cells: options.cells.clone(),
            cell: Some(self.name.clone()),
        }
    }
}

/// The options with those of the cell that they name, if they name one.
pub(crate) fn selected(options: Options) -> Result<Options, Failure> {
    match &options.cell {
        Some(name) => Ok(named(&read(&options)?, name)?.options(&options)),
        None => Ok(options),
    }
}

/// The cell of a name.
pub(crate) fn named<'a>(cells: &'a [CellEntry], name: &str) -> Result<&'a CellEntry, Failure> {
    cells.iter().find(|cell| cell.name == name).ok_or_else(|| {
        let names: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
        Failure::Usage(format!("there is no cell {name:?}; the cells are {}", names.join(", ")))
    })
}

/// All cells of the file that options or environment name.
pub(crate) fn read(options: &Options) -> Result<Vec<CellEntry>, Failure> {
    let of_process = || std::env::var_os(FILE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let path = options.cells.clone().or_else(of_process);
    let path =
        path.ok_or_else(|| Failure::Usage(format!("no cells are named: name their file by --cells or {FILE}")))?;
    let unusable = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|error| unusable(error.to_string()))?;
    parse(&text, path.parent().unwrap_or(Path::new(""))).map_err(unusable)
}

fn parse(text: &str, directory: &Path) -> Result<Vec<CellEntry>, String> {
    let File { mut cells } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut names = HashSet::new();
    for cell in &mut cells {
        if cell.name.trim().is_empty() || !names.insert(cell.name.clone()) {
            return Err(format!("the name {:?} is empty, or of two cells", cell.name));
        }
        cell.env_file = directory.join(&cell.env_file);
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_start_at_the_file_and_names_are_unique() {
        let cells = r#"{"cells": [{"name": "br-1", "env_file": "br-1.env", "region": "sa-east-1"},
            {"name": "br-2", "env_file": "/etc/br-2.env"}]}"#;
        let read = parse(cells, Path::new("/cells")).unwrap();
        let paths: Vec<&Path> = read.iter().map(|cell| cell.env_file.as_path()).collect();
        assert_eq!(paths, [Path::new("/cells/br-1.env"), Path::new("/etc/br-2.env")]);
        assert!(named(&read, "br-3").unwrap_err().to_string().ends_with("the cells are br-1, br-2"));
        for faulty in [cells.replace("br-2\"", "br-1\""), cells.replace("region", "regoin"), "{}".to_owned()] {
            assert!(parse(&faulty, Path::new("")).is_err(), "{faulty}");
        }
    }
}
