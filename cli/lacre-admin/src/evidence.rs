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
    /// Shows the evidence of one capture.
    #[command(after_help = "\
A session_id opens the photo, and arguments stand in the shell's history. Its capture id opens nothing:
  printf %s \"$SESSION_ID\" | sha256sum

Example:
  lacre-admin evidence show 5b0e…(64 hexadecimal characters)")]
    Show {
        /// The capture's session_id, or its capture id.
        #[arg(value_name = "SESSION_ID|CAPTURE_ID")]
        id: String,
    },
    /// Prints the evidence of a client's captures in a month, one JSON object to a line, in no order.
    #[command(after_help = "\
This reads the whole table of evidence.

Example:
  lacre-admin evidence export --client 0b6e9c2e-… --month 2026-11 > captures.jsonl")]
    Export {
        /// The client.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The calendar month, UTC: 2026-11.
        #[arg(long)]
        month: String,
    },
    /// Finds stored objects that no record names, and removes them with --remove.
    #[command(after_help = "\
This reads the whole table of evidence, and lists the whole bucket of proofs. Only what ingest stores is looked at. It
is refused when no record names any object: then table and bucket are not of one deployment.

Examples:
  lacre-admin evidence reconcile
  lacre-admin evidence reconcile --older-than 7d --remove")]
    Reconcile {
        /// Only objects older than this: 90m, 24h, 7d. Less than an hour counts as an hour.
        #[arg(long, value_name = "AGE", default_value = "24h", value_parser = age)]
        older_than: Duration,
        /// Removes them. Without it they are only listed.
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

/// What was found, a key to a line, with the sum of it in the last line.
struct Found<'a>(&'a OrphanedObjects);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(OrphanedObjects { keys, removed, examined, failure }) = self;
        removed.iter().try_for_each(|key| writeln!(f, "{key}  removed"))?;
        keys.iter().try_for_each(|key| writeln!(f, "{key}"))?;
        let what = match (keys.len(), removed.len(), failure) {
            (0, 0, _) => String::new(),
            (0, _, _) => "; they were removed".to_owned(),
            (_, 0, None) => "; nothing was removed, --remove does it".to_owned(),
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
    fn what_was_removed_and_what_was_not_are_told_apart() {
        let printed = |keys: &[&str], removed: &[&str]| {
            let owned = |keys: &[&str]| keys.iter().map(ToString::to_string).collect();
            let failure = (!keys.is_empty() && !removed.is_empty()).then(|| "AWS: refused".to_owned());
            let (keys, removed) = (owned(keys), owned(removed));
            Found(&OrphanedObjects { keys, removed, examined: 5, failure }).to_string()
        };
        assert_eq!(printed(&[], &[]), "0 of 5 objects are named by no record\n");
        let found = "a\n1 of 5 objects are named by no record; nothing was removed, --remove does it\n";
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
