//! `lacre-monitor`: verifies a transparency log as an outside observer, from its address and public key.
//!
//! Each run reads the entries added since the last run, computes the tree, and compares it with what the log signed and
//! serves. Exit status 0: the log only grew. 1: the log contradicts what it showed before or its own checkpoint, or a
//! witness's cosignature is missing. 2: bad usage. 3: the log could not be read.

mod public_log;
mod state;

use std::{fmt::Display, io, path::PathBuf, process::ExitCode};

use clap::Parser;
use lacre_transparency::{
    Checkpoint, FollowError, Follower, LogKey, MalformedKey, SignedNote, WitnessKey, read_consistency_proof,
    verify_consistency,
};
use reqwest::Url;
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    public_log::{PublicLog, Unread},
    state::State,
};

const EXAMPLES: &str = "\
Exit status:
  0  the log only grew
  1  the log is not what it showed before, or not what it signed, or a witness did not cosign it
  2  bad usage
  3  the log could not be read; if that lasts, treat it as 1

Run it from a schedule, on a machine that the log's operator does not control.

Example:
  lacre-monitor --url https://log.example/production --key log.example/production+0123abcd+AQID... --state production.checkpoint";

/// Follow a transparency log: check that it only grows, and that it serves what it signs.
#[derive(Parser)]
#[command(name = "lacre-monitor", version, max_term_width = 120, after_help = EXAMPLES)]
struct Arguments {
    /// The log's address, including its environment.
    #[arg(long, value_name = "URL", value_parser = address)]
    url: Url,
    /// The log's key (C2SP signed-note: NAME+ID+KEY).
    #[arg(long, value_name = "KEY", value_parser = log_key)]
    key: LogKey,
    /// The file with the last verified checkpoint. The first run creates it, and each run without a fault replaces it.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// A witness whose cosignature the checkpoint of today or yesterday (UTC) must have (C2SP tlog-cosignature). Repeat it for
    /// more.
    #[arg(long, value_name = "KEY", value_parser = witness_key)]
    witness: Vec<WitnessKey>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Output of a run that found no fault.
#[derive(Serialize)]
struct Followed {
    origin: String,
    /// Number of leaves at the previous run; 0 at the first.
    before: u64,
    leaves: u64,
    /// Root hash of the tree, in hexadecimal.
    root: String,
}

/// Tolerated difference between a witness's clock and this one, in seconds.
const CLOCKS_DIFFER: u64 = 300;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The log is inconsistent, or a witness's cosignature is missing.
    #[error("{0}")]
    Log(String),
    /// The state file or the options cannot be used.
    #[error("{0}")]
    Usage(String),
    /// The log could not be read.
    #[error("{0}")]
    Unread(#[from] Unread),
    /// The log does not serve a file that its signed checkpoint requires.
    #[error("{0}")]
    Withheld(String),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let json = arguments.json;
    let followed = match runtime {
        Ok(runtime) => runtime.block_on(follow(arguments)),
        Err(error) => Err(Failure::Usage(error.to_string())),
    };
    match followed {
        Ok(followed) => print(&followed, json),
        Err(failure) => {
            eprintln!("lacre-monitor: {failure}");
            ExitCode::from(match failure {
                Failure::Log(_) => 1,
                Failure::Usage(_) => 2,
                Failure::Unread(_) | Failure::Withheld(_) => 3,
            })
        }
    }
}

async fn follow(Arguments { url, key, state, witness, .. }: Arguments) -> Result<Followed, Failure> {
    let state = State(state);
    let unusable = |error: io::Error| Failure::Usage(format!("{}: {error}", state.0.display()));
    let known = state.read().map_err(unusable)?;
    let known = known.map(|note| key.verify(&note)).transpose();
    let known = known.map_err(|fault| Failure::Usage(format!("{}: {fault}", state.0.display())))?;
    let log = PublicLog::at(&url).map_err(|error| Failure::Usage(error.to_string()))?;

    let published = log.checkpoint().await?;
    let note: SignedNote = published.parse().map_err(|fault| Failure::Log(format!("the checkpoint: {fault}")))?;
    let checkpoint = key.verify(&note).map_err(|fault| Failure::Log(format!("the checkpoint: {fault}")))?;
    let contradicted = |error| contradiction(error, &[&published], &state);
    let before = known.as_ref().map_or(0, |known| known.size);
    let mut follower = match &known {
        // Two signed checkpoints prove that the log shrank, whichever of them the files match.
        Some(known) if known.size > checkpoint.size => {
            return Err(contradicted(FollowError::Shrunk { before: known.size, size: checkpoint.size }));
        }
        Some(known) if known.size == checkpoint.size && known.root != checkpoint.root => {
            return Err(contradicted(FollowError::Root(known.size)));
        }
        Some(known) => Follower::at(&log, known).await.map_err(contradicted)?,
        None => Follower::at_the_start(&log),
    };
    follower.advance(&checkpoint, |_, _| {}).await.map_err(contradicted)?;
    let mut followed = (checkpoint, published.clone());
    // The log has no daily checkpoint before its first leaf.
    for witness in witness.iter().filter(|_| followed.0.size > 0).collect::<Vec<_>>() {
        check_witness(&log, &key, witness, &mut follower, &mut followed, &state).await?;
    }
    let (checkpoint, published) = followed;
    state.keep(&published).map_err(unusable)?;
    Ok(Followed { origin: checkpoint.origin, before, leaves: checkpoint.size, root: checkpoint.root.hex() })
}

/// Requires a daily checkpoint that the witness cosigned on that day. It must belong to the history that was followed;
/// if it has more leaves, the follower first reads these.
async fn check_witness(
    log: &PublicLog,
    key: &LogKey,
    witness: &WitnessKey,
    follower: &mut Follower<'_, PublicLog>,
    followed: &mut (Checkpoint, String),
    state: &State,
) -> Result<(), Failure> {
    let now = OffsetDateTime::now_utc();
    let today = now.date();
    let seconds = |time: OffsetDateTime| u64::try_from(time.unix_timestamp()).unwrap_or_default();
    for day in [Some(today), today.previous_day()].into_iter().flatten() {
        let Some(text) = log.dated(day).await? else { continue };
        let named = |fault: &dyn Display| Failure::Log(format!("the checkpoint of {day}: {fault}"));
        let note: SignedNote = text.parse().map_err(|error| named(&error))?;
        let dated = key.verify(&note).map_err(|error| named(&error))?;
        // A cosignature from an earlier day covers only the leaves of that day's tree, so it is not accepted.
        let earliest = seconds(day.midnight().assume_utc()).saturating_sub(CLOCKS_DIFFER);
        let times = earliest..=seconds(now) + CLOCKS_DIFFER;
        if !witness.cosigned_at(&note).is_some_and(|time| times.contains(&time)) {
            continue;
        }
        let (checkpoint, published) = &*followed;
        let contradicted = |error| contradiction(error, &[&text, published], state);
        if dated.size > checkpoint.size {
            follower.advance(&dated, |_, _| {}).await.map_err(contradicted)?;
            *followed = (dated, text);
            return Ok(());
        }
        let proof = read_consistency_proof(log, dated.size, checkpoint.size).await.map_err(contradicted)?;
        return match verify_consistency((dated.size, dated.root), (checkpoint.size, checkpoint.root), &proof) {
            true => Ok(()),
            false => Err(contradicted(FollowError::Root(dated.size))),
        };
    }
    let name = witness.name();
    Err(Failure::Log(format!("no checkpoint of today or yesterday has a cosignature of {name} from its day on")))
}

/// Turns a fault of the log into a failure, and keeps the signed checkpoints that prove it. A temporary read error
/// proves nothing and is reported as such.
fn contradiction(error: FollowError<Unread>, notes: &[&str], state: &State) -> Failure {
    match error {
        FollowError::Read(unread) if unread.is_temporary() => Failure::Unread(unread),
        // A log must serve what its checkpoint covers. An operator with a second history may prefer to withhold files.
        FollowError::Read(unread) => Failure::Withheld(with_evidence(&unread, notes, state)),
        fault => Failure::Log(with_evidence(&fault, notes, state)),
    }
}

/// Describes a fault and names the files that hold the signed checkpoints that prove it.
fn with_evidence(fault: &dyn Display, notes: &[&str], state: &State) -> String {
    let mut text = fault.to_string();
    for note in notes {
        text += &match state.keep_contradiction(note) {
            Ok(beside) => format!("; the checkpoint is kept in {}", beside.display()),
            Err(error) => format!("; the checkpoint could not be kept: {error}\n{note}"),
        };
    }
    text
}

fn print(followed: &Followed, json: bool) -> ExitCode {
    let Followed { origin, before, leaves, root } = followed;
    match json {
        // Serialization cannot fail: the structure holds only strings and numbers.
        true => println!("{}", serde_json::to_string(followed).unwrap_or_default()),
        false => println!("{origin}: {leaves} leaves, {} more than before; root {root}", leaves - before),
    }
    ExitCode::SUCCESS
}

fn address(text: &str) -> Result<Url, String> {
    let address = Url::parse(text).map_err(|error| error.to_string())?;
    match address.scheme() {
        "http" | "https" => Ok(address),
        _ => Err("an address begins with https:// or http://".into()),
    }
}

fn log_key(text: &str) -> Result<LogKey, MalformedKey> {
    text.parse()
}

fn witness_key(text: &str) -> Result<WitnessKey, MalformedKey> {
    text.parse()
}
