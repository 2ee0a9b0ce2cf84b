//! `lacre-admin kit …`

use std::{fmt, fs, path::PathBuf};

use clap::Subcommand;
use lacre_administration::Error;
use lacre_api::kit::KitFault;
use lacre_domain::{Kit, Sha256Digest};
use serde::Serialize;

use crate::{failure::Failure, output::Output};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check files of kits, and print every fault with its path, or the kit's name, steps and hash.
    #[command(after_help = "\
The command needs neither a deployment nor credentials. It exits with 4 if a kit is invalid.

Examples:
  lacre-admin kit check docs/guides/kits/auto-previa.json
  lacre-admin kit check *.json --json | jq '.kits[] | select(.faults)'")]
    Check {
        /// Files with one kit each, as JSON.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    let Command::Check { files } = command;
    let kits = files.into_iter().map(CheckedFile::read).collect::<Result<Vec<_>, _>>()?;
    let invalid = kits.iter().filter(|kit| matches!(kit.verdict, Verdict::Invalid { .. })).count();
    let checked = Checked { kits };
    output.show(&checked, &checked)?;
    match (invalid, checked.kits.len()) {
        (0, _) => Ok(()),
        (_, 1) => Err(Error::Invalid("the kit is invalid".into()).into()),
        (invalid, all) => Err(Error::Invalid(format!("{invalid} of {all} kits are invalid")).into()),
    }
}

/// What was found in all files.
#[derive(Serialize)]
struct Checked {
    kits: Vec<CheckedFile>,
}

/// A file and what was found in it.
#[derive(Serialize)]
struct CheckedFile {
    file: String,
    #[serde(flatten)]
    verdict: Verdict,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Verdict {
    /// A valid kit, with the ids of its steps and the hash of its canonical JSON.
    Valid {
        name: String,
        steps: Vec<String>,
        sha256: Sha256Digest,
    },
    Invalid {
        faults: Vec<KitFault>,
    },
}

impl CheckedFile {
    fn read(path: PathBuf) -> Result<Self, Failure> {
        let file = path.display().to_string();
        let bytes = fs::read(path).map_err(|error| Failure::Usage(format!("{file}: {error}")))?;
        let verdict = match Kit::parse(&bytes) {
            Ok(kit) => Verdict::Valid {
                name: kit.content().name.as_str().to_owned(),
                steps: kit.content().steps.iter().map(|step| step.id.as_str().to_owned()).collect(),
                sha256: kit.hash(),
            },
            Err(faults) => Verdict::Invalid { faults },
        };
        Ok(Self { file, verdict })
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kits.iter().try_for_each(|kit| kit.fmt(f))
    }
}

impl fmt::Display for CheckedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = &self.file;
        match &self.verdict {
            Verdict::Valid { name, steps, sha256 } => {
                writeln!(f, "{file}: valid")?;
                writeln!(f, "  name    {name}")?;
                writeln!(f, "  steps   {}: {}", steps.len(), steps.join(", "))?;
                writeln!(f, "  sha256  {}", sha256.hex())
            }
            Verdict::Invalid { faults } => {
                writeln!(f, "{file}: {} {}", faults.len(), if faults.len() == 1 { "fault" } else { "faults" })?;
                faults.iter().try_for_each(|KitFault { path, rule, message }| {
                    // A path has the file's own names in it, which a terminal could take for commands.
                    let path = if path.is_empty() { "(the file)".to_owned() } else { path.escape_debug().to_string() };
                    writeln!(f, "  {path}  {rule}\n    {message}")
                })
            }
        }
    }
}
