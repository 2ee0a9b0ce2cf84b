//! `lacre-admin evidence …`

use std::{
    fmt,
    io::{self, BufWriter, Write},
};

use administration::{Administration, OrphanedObjects};
use clap::Subcommand;
use domain::ClientId;
use time::Duration;

use crate::{
    failure::Failure,
    output::{Details, Output},
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show the evidence of one capture.
    #[command(after_help = "\
A session_id gives access to the photo, and the shell's history keeps arguments. The capture id gives access to nothing:
  printf %s \"$SESSION_ID\" | sha256sum

Example:
  lacre-admin evidence show 5b0e…(64 hexadecimal characters)")]
    Show {
        /// The capture's session_id or capture id.
        #[arg(value_name = "SESSION_ID|CAPTURE_ID")]
        id: String,
    },
    /// Print the evidence of a client's captures in a month: one JSON object a line, unordered.
    #[command(after_help = "\
The command scans the evidence table.

Example:
  lacre-admin evidence export --client 0b6e9c2e-… --month 2026-11 > captures.jsonl")]
    Export {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The calendar month in UTC, for example 2026-11.
        #[arg(long)]
        month: String,
    },
    /// List stored objects that no evidence refers to, and delete them with --remove.
    #[command(after_help = "\
The command scans the evidence table and lists the proofs bucket. It is refused if no evidence \
refers to any object of the bucket, because they then belong to different deployments.

Examples:
  lacre-admin evidence reconcile
  lacre-admin evidence reconcile --older-than 7d --remove")]
    Reconcile {
        /// Only objects older than this: 90m, 24h, 7d. The minimum is one hour.
        #[arg(long, value_name = "AGE", default_value = "24h", value_parser = age)]
        older_than: Duration,
        /// Delete them, instead of listing them only.
        #[arg(long)]
        remove: bool,
    },
}

pub(crate) async fn run(command: Command, admin: &Administration, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Show { id } => {
            let capture = admin.capture(&id).await?;
            output.show(&capture, Details::of(&capture))
        }
        Command::Export { client, month } => export(admin, &ClientId(client), &month).await,
        Command::Reconcile { older_than, remove } => {
            let unnamed = admin.reconcile(older_than, remove).await?;
            output.show(&unnamed, Found(&unnamed))?;
            match unnamed.failure {
                Some(why) => Err(Failure::Stopped(format!("the removal ended early: {why}"))),
                None => Ok(()),
            }
        }
    }
}

async fn export(admin: &Administration, client: &ClientId, month: &str) -> Result<(), Failure> {
    let mut lines = BufWriter::new(io::stdout());
    let write = |capture| -> Result<(), Failure> {
        serde_json::to_writer(&mut lines, &capture).map_err(io::Error::from)?;
        Ok(lines.write_all(b"\n")?)
    };
    admin.export(client, month, write).await?;
    Ok(lines.flush()?)
}

/// The objects found, one key a line, and a summary in the last line.
struct Found<'a>(&'a OrphanedObjects);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(OrphanedObjects { keys, removed, examined, failure }) = self;
        removed.iter().try_for_each(|key| writeln!(f, "{key}  removed"))?;
        keys.iter().try_for_each(|key| writeln!(f, "{key}"))?;
        let what = match (keys.len(), removed.len(), failure) {
            (0, 0, _) => String::new(),
            (0, _, _) => "; they were removed".to_owned(),
            (_, 0, None) => "; no object was deleted: use --remove".to_owned(),
            (left, removed, _) => format!("; {removed} were removed, {left} were not"),
        };
        writeln!(f, "{} of {examined} objects are named by no record{what}", keys.len() + removed.len())
    }
}

fn age(text: &str) -> Result<Duration, String> {
    let unit = |suffix: &str, seconds: i64| {
        let count: u32 = text.strip_suffix(suffix)?.parse().ok()?;
        Some(Duration::seconds(i64::from(count) * seconds))
    };
    let age = unit("m", 60).or_else(|| unit("h", 3600)).or_else(|| unit("d", 86_400));
    age.ok_or_else(|| "a whole number of minutes (90m), hours (24h) or days (7d)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deleted_and_remaining_objects_are_distinguished() {
        let printed = |keys: &[&str], removed: &[&str]| {
            let owned = |keys: &[&str]| keys.iter().map(ToString::to_string).collect();
            let failure = (!keys.is_empty() && !removed.is_empty()).then(|| "AWS: refused".to_owned());
            let (keys, removed) = (owned(keys), owned(removed));
            Found(&OrphanedObjects { keys, removed, examined: 5, failure }).to_string()
        };
        assert_eq!(printed(&[], &[]), "0 of 5 objects are named by no record\n");
        let found = "a\n1 of 5 objects are named by no record; no object was deleted: use --remove\n";
        assert_eq!(printed(&["a"], &[]), found);
        let removed = "a  removed\n1 of 5 objects are named by no record; they were removed\n";
        assert_eq!(printed(&[], &["a"]), removed);
        let some = "a  removed\nb\n2 of 5 objects are named by no record; 1 were removed, 1 were not\n";
        assert_eq!(printed(&["b"], &["a"]), some);
    }

    #[test]
    fn an_age_has_a_unit() {
        assert_eq!(age("90m"), Ok(Duration::minutes(90)));
        assert_eq!(age("24h"), Ok(Duration::hours(24)));
        assert_eq!(age("7d"), Ok(Duration::days(7)));
        for other in ["", "24", "h", "-1h", "1.5h", "24H", "1w", "99999999999d"] {
            assert!(age(other).is_err(), "{other}");
        }
    }
}
