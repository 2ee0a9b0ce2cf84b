//! `lacre-admin log …`

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use lacre_administration::{LastingEvidence, LogAdministration, LogAudit, LogDifference, LogRepair, LogRestoration};
use lacre_domain::Environment;
use lacre_transparency::{LogKey, MalformedKey, SignedNote};
use serde::Serialize;

use crate::{failure::Failure, output::Output};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print the public key of an environment's log, as verifiers take it: NAME+ID+KEY.
    Key {
        #[command(flatten)]
        log: Log,
    },
    /// Compare a log with the evidence, both ways, and with the checkpoint of the last audit.
    #[command(after_help = "\
The command reads the whole log, the evidence, personal and log tables. Keep the file of the checkpoint where this \
deployment's operators cannot write: with it, a rewritten log is found. It exits with 1 if something differs.

Examples:
  lacre-admin log audit
  lacre-admin log audit --checkpoint production.checkpoint --key \"$LOG_KEY\"")]
    Audit {
        #[command(flatten)]
        log: Log,
        /// The checkpoint of the last audit. If nothing differs, it is replaced by the current one; the file need not
        /// exist.
        #[arg(long, value_name = "FILE")]
        checkpoint: Option<PathBuf>,
    },
    /// Write the proof that a capture is in its log, with a timestamp once there is one.
    #[command(after_help = "\
A session_id gives access to the photo, and the shell's history keeps arguments: use the capture id.

Example:
  lacre-admin log proof 5b0e…(64 hexadecimal characters) > photo.tlog-proof")]
    Proof {
        /// The capture's session_id or capture id.
        #[arg(value_name = "SESSION_ID|CAPTURE_ID")]
        id: String,
        /// Require this key of the log, instead of the one in KMS.
        #[arg(long, value_name = "KEY", value_parser = log_key)]
        key: Option<LogKey>,
    },
    /// Write the files that prove a capture for decades: its proof under a timestamp, the evidence record (RFC 4998) with
    /// the timestamp's renewals, and the evidence bundles.
    #[command(after_help = "\
Keep the files beside the photo. They are complete until the last timestamp's certificates expire; write them again after \
a renewal.

Example:
  lacre-admin log evidence 5b0e…(64 hexadecimal characters) --to evidence")]
    Evidence {
        /// The capture's session_id or capture id.
        #[arg(value_name = "SESSION_ID|CAPTURE_ID")]
        id: String,
        /// Write to this folder, which is created. Files that exist are replaced.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
        /// Require this key of the log, instead of the one in KMS.
        #[arg(long, value_name = "KEY", value_parser = log_key)]
        key: Option<LogKey>,
    },
    /// Find captures without a leaf, and leaves that the log's table lacks, and restore them with --apply.
    #[command(after_help = "\
The sequencer then adds the leaves. Records that are not the exported ones get none: see `log audit`.

Examples:
  lacre-admin log restore
  lacre-admin log restore --apply")]
    Restore {
        #[command(flatten)]
        log: Log,
        /// Restore them, instead of only listing them.
        #[arg(long)]
        apply: bool,
    },
}

/// Selects a log.
#[derive(Args)]
pub(crate) struct Log {
    /// The environment.
    #[arg(long, default_value = "production", value_parser = environment())]
    environment: Environment,
    /// Require this key of the log, instead of the one in KMS.
    #[arg(long, value_name = "KEY", value_parser = log_key)]
    key: Option<LogKey>,
}

impl Log {
    async fn key(self, admin: &LogAdministration) -> Result<LogKey, Failure> {
        match self.key {
            Some(key) => Ok(key),
            None => Ok(admin.key(self.environment).await?),
        }
    }
}

impl Command {
    pub(crate) fn only_reads(&self) -> bool {
        !matches!(self, Self::Restore { apply: true, .. })
    }
}

pub(crate) async fn run(command: Command, admin: &LogAdministration, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Key { log } => {
            let key = log.key(admin).await?.to_string();
            output.show(&Key { key: &key }, format!("{key}\n"))
        }
        Command::Audit { log, checkpoint } => {
            let earlier = checkpoint.as_deref().map(read_checkpoint).transpose()?.flatten();
            let environment = log.environment;
            let audit = admin.audit(environment, &log.key(admin).await?, earlier.as_ref()).await?;
            output.show(&audit, Audited(&audit))?;
            if !audit.differences.is_empty() {
                return Err(Failure::Stopped(format!("{} differences", audit.differences.len())));
            }
            match (checkpoint, audit.checkpoint) {
                (Some(file), Some(note)) => keep_checkpoint(&file, &note),
                _ => Ok(()),
            }
        }
        Command::Proof { id, key } => {
            let proof = admin.proof(&id, key.as_ref()).await?;
            output.show(&Proof { transparency_proof: &proof }, &proof)
        }
        Command::Evidence { id, to, key } => {
            let written = write_evidence(&to, admin.evidence(&id, key.as_ref()).await?)?;
            let lines: String = written.iter().map(|file| format!("{}\n", file.display())).collect();
            output.show(&Written { files: &written }, lines)
        }
        Command::Restore { log, apply } => {
            let environment = log.environment;
            let restoration = admin.restore(environment, &log.key(admin).await?, apply).await?;
            output.show(&restoration, Found(&restoration))?;
            match restoration.doubtful.len() {
                0 => Ok(()),
                count => Err(Failure::Stopped(format!("{count} are doubtful"))),
            }
        }
    }
}

#[derive(Serialize)]
struct Key<'a> {
    key: &'a str,
}

#[derive(Serialize)]
struct Proof<'a> {
    transparency_proof: &'a str,
}

#[derive(Serialize)]
struct Written<'a> {
    files: &'a [PathBuf],
}

/// Writes the files to a folder, and returns their paths.
fn write_evidence(folder: &Path, evidence: LastingEvidence) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder)?;
    let LastingEvidence { transparency_proof, evidence_record, second_evidence_record, bundles, .. } = evidence;
    let named =
        [("photo.tlog-proof".to_owned(), transparency_proof.into_bytes()), ("photo.ers".to_owned(), evidence_record)];
    let second = second_evidence_record.map(|record| ("photo-second.ers".to_owned(), record));
    let write = |(name, bytes): (String, Vec<u8>)| {
        let path = folder.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    };
    named.into_iter().chain(second).chain(bundles).map(write).collect()
}

/// Reads a checkpoint from a file; `None` if the file does not exist yet.
fn read_checkpoint(file: &Path) -> Result<Option<SignedNote>, Failure> {
    let unreadable = |cause: String| Failure::Usage(format!("{}: {cause}", file.display()));
    match fs::read_to_string(file) {
        Ok(note) => note.parse().map(Some).map_err(|_| unreadable("not a checkpoint".into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

/// Replaces the file atomically.
fn keep_checkpoint(file: &Path, note: &str) -> Result<(), Failure> {
    let beside = file.with_added_extension("new");
    fs::write(&beside, note)?;
    Ok(fs::rename(beside, file)?)
}

/// Prints one difference per line and a summary in the last line.
struct Audited<'a>(&'a LogAudit);

impl fmt::Display for Audited<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(LogAudit { origin, leaves, records, pending, unlogged, erased, differences, .. }) = self;
        for LogDifference { capture_id, index, how } in differences {
            let index = index.map(|index| format!("leaf {index}: ")).unwrap_or_default();
            writeln!(f, "{}  {index}{how}", capture_id.as_deref().unwrap_or(origin))?;
        }
        write!(f, "{origin}: {leaves} leaves, {records} records; {pending} not in the log yet, ")?;
        writeln!(f, "{unlogged} older than the log, {erased} erased; {} differences", differences.len())
    }
}

/// Prints one missing item per line and a summary in the last line.
struct Found<'a>(&'a LogRestoration);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(LogRestoration { applied, restored, doubtful }) = self;
        for LogRepair { capture_id, what } in restored {
            writeln!(f, "{capture_id}  {what}")?;
        }
        for LogRepair { capture_id, what } in doubtful {
            writeln!(f, "{capture_id}  {what}: doubtful, so nothing was done: run `log audit`")?;
        }
        let how = match (restored.len(), applied) {
            (0, _) => "",
            (_, true) => ", put back",
            (_, false) => "; nothing was changed: use --apply",
        };
        writeln!(f, "{} lacking{how}; {} doubtful", restored.len(), doubtful.len())
    }
}

/// Parser of `production`, `staging` and `sandbox`.
fn environment() -> impl TypedValueParser<Value = Environment> {
    PossibleValuesParser::new(["production", "staging", "sandbox"])
        .try_map(|name| Environment::parse(&name).ok_or("not an environment"))
}

fn log_key(text: &str) -> Result<LogKey, MalformedKey> {
    text.parse()
}
