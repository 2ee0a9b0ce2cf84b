//! `lacre-admin kit …`

use std::{
    fmt,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use lacre_administration::{Error, Kits};
use lacre_api::admin::KitVersionView;
use lacre_domain::{ClientId, Environment, Kit, Sha256Digest};
use serde::Serialize;
use serde_json::json;

use crate::{
    document::{self, FaultyFile},
    failure::Failure,
    options::environment,
    output::{Details, Output, Table, word},
    pages,
};

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
    /// Store a kit: its first version, or its next one, which new sessions then use. A retired kit can be used again.
    #[command(after_help = "\
The file is checked first, as by `kit check`. A version never changes, so sessions that exist keep theirs.

Example:
  lacre-admin kit put --client 0b6e9c2e-… --environment live docs/guides/kits/auto-previa.json")]
    Put {
        #[command(flatten)]
        of: OfClient,
        /// The file with the kit, as JSON.
        file: PathBuf,
    },
    /// List a client's kits in an environment by name.
    #[command(after_help = "Example:\n  lacre-admin kit list --client 0b6e9c2e-… --environment live")]
    List {
        #[command(flatten)]
        of: OfClient,
    },
    /// Show a kit: its current version, or another one.
    #[command(after_help = "\
Examples:
  lacre-admin kit show --client 0b6e9c2e-… --environment live auto-previa
  lacre-admin kit show --client 0b6e9c2e-… --environment live auto-previa --version 2 --json | jq .kit")]
    Show {
        #[command(flatten)]
        of: OfClient,
        /// The kit's name.
        name: String,
        /// The version, from 1 [default: the current one].
        #[arg(long, value_name = "NUMBER")]
        version: Option<u32>,
    },
    /// Retire a kit: new sessions cannot use it until another version is put. Open sessions keep it.
    #[command(after_help = "Example:\n  lacre-admin kit retire --client 0b6e9c2e-… --environment live auto-previa")]
    Retire {
        #[command(flatten)]
        of: OfClient,
        /// The kit's name.
        name: String,
    },
}

/// The client and the environment of a kit.
#[derive(clap::Args)]
pub(crate) struct OfClient {
    /// The client's id.
    #[arg(long, value_name = "ID")]
    client: String,
    /// The environment: live, stag or sand.
    #[arg(long, value_parser = environment)]
    environment: Environment,
}

impl OfClient {
    fn parse(self) -> Result<(ClientId, Environment), Failure> {
        Ok((ClientId::parse(&self.client)?, self.environment))
    }
}

impl Command {
    pub(crate) fn only_reads(&self) -> bool {
        matches!(self, Self::Check { .. } | Self::List { .. } | Self::Show { .. })
    }
}

pub(crate) async fn run(command: Command, kits: &Kits, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Check { files } => check(&files, output),
        Command::Put { of, file } => {
            let (client, environment) = of.parse()?;
            let json = document::read(&file)?;
            if let Err(faults) = Kit::parse(&json) {
                let faulty = FaultyFile { file: file.display().to_string(), faults };
                return show_checked(vec![CheckedFile::Invalid(faulty)], output);
            }
            let put = kits.put(&client, environment, &json).await?;
            let KitVersionView { view, version, sha256, put_at, .. } = &put;
            let details = json!({ "name": view.name, "version": version, "sha256": sha256, "put_at": put_at });
            output.show(&put, Details::of(&details))
        }
        Command::List { of } => {
            let (client, environment) = of.parse()?;
            let found = pages::all(async |page| kits.list(&client, environment, page).await).await?;
            let mut table = Table::new(["NAME", "VERSION", "STATE"]);
            for kit in &found {
                let state = if kit.retired { "retired" } else { "in use" };
                table.row([word(&kit.name), kit.current_version.to_string(), state.to_owned()]);
            }
            output.show(&json!({ "kits": found }), table)
        }
        Command::Show { of, name, version } => {
            let (client, environment) = of.parse()?;
            let found = kits.read(&client, environment, &name, version).await?;
            let KitVersionView { view, version, sha256, put_at, kit } = &found;
            let beside = json!({
                "client_id": view.client_id, "environment": view.environment, "name": view.name, "version": version,
                "current_version": view.current_version, "retired": view.retired, "sha256": sha256, "put_at": put_at,
            });
            output.show(&found, document::shown(&beside, kit)?)
        }
        Command::Retire { of, name } => {
            let (client, environment) = of.parse()?;
            let retired = kits.retire(&client, environment, &name).await?;
            output.show(&retired, Details::of(&retired))
        }
    }
}

/// Checks files, without a deployment.
pub(crate) fn check(files: &[PathBuf], output: &Output) -> Result<(), Failure> {
    show_checked(files.iter().map(|file| CheckedFile::read(file)).collect::<Result<_, _>>()?, output)
}

fn show_checked(kits: Vec<CheckedFile>, output: &Output) -> Result<(), Failure> {
    let invalid = kits.iter().filter(|kit| matches!(kit, CheckedFile::Invalid(_))).count();
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

/// What was found in a file.
#[derive(Serialize)]
#[serde(untagged)]
enum CheckedFile {
    /// A valid kit, with the ids of its steps and the hash of its canonical JSON.
    Valid {
        file: String,
        name: String,
        steps: Vec<String>,
        sha256: Sha256Digest,
    },
    Invalid(FaultyFile),
}

impl CheckedFile {
    fn read(path: &Path) -> Result<Self, Failure> {
        let file = path.display().to_string();
        Ok(match Kit::parse(&document::read(path)?) {
            Ok(kit) => Self::Valid {
                file,
                name: kit.content().name.as_str().to_owned(),
                steps: kit.content().steps.iter().map(|step| step.id.as_str().to_owned()).collect(),
                sha256: kit.hash(),
            },
            Err(faults) => Self::Invalid(FaultyFile { file, faults }),
        })
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kits.iter().try_for_each(|kit| kit.fmt(f))
    }
}

impl fmt::Display for CheckedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid { file, name, steps, sha256 } => {
                writeln!(f, "{file}: valid")?;
                writeln!(f, "  name    {name}")?;
                writeln!(f, "  steps   {}: {}", steps.len(), steps.join(", "))?;
                writeln!(f, "  sha256  {}", sha256.hex())
            }
            Self::Invalid(faulty) => faulty.fmt(f),
        }
    }
}
