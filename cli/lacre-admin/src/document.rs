//! Files with documents that operators write: capture kits and senders.

use std::{fmt, fs, path::Path};

use lacre_api::kit::KitFault;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{failure::Failure, output::Details};

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// The faults of a file.
#[derive(Serialize)]
pub(crate) struct FaultyFile {
    pub(crate) file: String,
    pub(crate) faults: Vec<KitFault>,
}

impl fmt::Display for FaultyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, faults } = self;
        writeln!(f, "{file}: {} {}", faults.len(), if faults.len() == 1 { "fault" } else { "faults" })?;
        faults.iter().try_for_each(|KitFault { path, rule, message }| {
            // A path has the file's own names in it, which a terminal could take for commands.
            let path = if path.is_empty() { "(the file)".to_owned() } else { path.escape_debug().to_string() };
            writeln!(f, "  {path}  {rule}\n    {message}")
        })
    }
}

/// A stored document for people: the fields beside it, then the document as JSON that is easy to read.
pub(crate) fn shown(beside: &impl Serialize, document: &RawValue) -> Result<String, Failure> {
    let document: serde_json::Value = serde_json::from_str(document.get()).map_err(std::io::Error::from)?;
    let document = serde_json::to_string_pretty(&document).map_err(std::io::Error::from)?;
    Ok(format!("{}\n{document}\n", Details::of(beside)))
}
