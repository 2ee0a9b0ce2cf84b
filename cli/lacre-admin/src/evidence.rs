//! `lacre-admin evidence …`

use std::{
    collections::BTreeSet,
    fmt,
    io::{self, BufWriter, Write},
};

use clap::{Args, Subcommand};
use lacre_administration::{
    AtThreshold, CaptureScores, Comparison, Difference, ErasedCapture, EvidenceAdministration, OrphanedObjects,
    Restoration, Restored, Scores, Unprotected,
};
use lacre_domain::{ClientId, LicenseId};
use time::{Date, Duration, macros::format_description};

use crate::{
    confirmation::confirm,
    failure::Failure,
    output::{Details, Output, Table, word},
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
    /// Show how many of a license's captures each recapture threshold would call a photo of a screen.
    #[command(after_help = "\
The command scans the evidence table. It reads neither photos nor personal data. The table counts \
captures that were analysed; those of a gate that is OFF were not. Count under RECORD: what BLOCK \
refused has no record. --tsv and --json list the captures with all scores.

Examples:
  lacre-admin evidence scores --license 2f6f3c1e-… --from 2026-11-01
  lacre-admin evidence scores --license 2f6f3c1e-… --tsv > scores.tsv")]
    Scores {
        /// The license's id.
        #[arg(long, value_name = "ID")]
        license: String,
        /// The first day, in UTC, for example 2026-11-01 [default: the day of the first capture].
        #[arg(long, value_name = "DAY", value_parser = day)]
        from: Option<Date>,
        /// The last day, in UTC, inclusive [default: the day of the last capture].
        #[arg(long, value_name = "DAY", value_parser = day)]
        to: Option<Date>,
        /// Print one line per capture with tab-separated fields, instead of the table.
        #[arg(long)]
        tsv: bool,
    },
    /// Compare all evidence: the records with the export, with personal items and with the stored proofs; and the policies of
    /// tables, buckets and keys with this release.
    #[command(after_help = "\
The command reads the evidence and personal tables, the export, and the hash of each stored object. It \
exits with 1 if something was replaced, deleted or overwritten, or is missing, or if a policy is not as \
this release deploys it. It lists erasures.

Examples:
  lacre-admin evidence compare
  lacre-admin evidence compare --json | jq '.differences'")]
    Compare,
    /// Find what tables and buckets have lost, and restore it with --apply.
    #[command(after_help = "\
Records come from the export and the stream, personal items from the stream (24 hours), frames from \
the records, objects from their versions. Nothing that exists is changed except versions that are not \
the recorded one, and nothing erased comes back. It exits with 1 if something is found nowhere.

Examples:
  lacre-admin evidence restore
  lacre-admin evidence restore --apply")]
    Restore {
        /// Restore it, instead of only listing it.
        #[arg(long)]
        apply: bool,
    },
    /// Withhold a capture: its URLs are not renewed until it is released.
    #[command(after_help = "\
URLs that were issued before are valid for up to seven days.

Example:
  lacre-admin evidence withhold 5b0e…(64 hexadecimal characters) --reason 'case 2026/117'")]
    Withhold(Custody),
    /// Release a withheld capture.
    Release(Custody),
    /// Erase a capture for good: its personal data, photo and manifest. The record stays, with a tombstone.
    #[command(after_help = "\
An erasure cannot be undone, locks in governance mode included. Photos that were delivered still verify. \
Repeat an erasure that was interrupted.

Example:
  lacre-admin evidence erase 5b0e…(64 hexadecimal characters) --reason 'request 2026/41'")]
    Erase {
        #[command(flatten)]
        custody: Custody,
        /// Do not ask for confirmation. Required without a terminal.
        #[arg(long)]
        yes: bool,
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
        /// Delete the objects, instead of only listing them.
        #[arg(long)]
        remove: bool,
    },
}

impl Command {
    pub(crate) fn only_reads(&self) -> bool {
        match self {
            Self::Show { .. } | Self::Export { .. } | Self::Scores { .. } | Self::Compare => true,
            Self::Restore { apply } => !apply,
            Self::Reconcile { remove, .. } => !remove,
            Self::Withhold(_) | Self::Release(_) | Self::Erase { .. } => false,
        }
    }
}

/// A capture, and the reason for acting on it. The audit entry takes the principal from the credentials.
#[derive(Args)]
pub(crate) struct Custody {
    /// The capture's session_id or capture id.
    #[arg(value_name = "SESSION_ID|CAPTURE_ID")]
    id: String,
    /// The reason, in up to 200 characters. It is kept permanently: name a case, not a person.
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub(crate) async fn run(command: Command, admin: &EvidenceAdministration, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Show { id } => {
            let capture = admin.capture(&id).await?;
            output.show(&capture, Details::of(&capture))
        }
        Command::Export { client, month } => export(admin, &ClientId::parse(&client)?, &month).await,
        Command::Scores { license, from, to, tsv } => {
            let scores = admin.scores(&LicenseId::parse(&license)?, from, to).await?;
            match tsv {
                true => output.show(&scores, Lines(&scores)),
                false => output.show(&scores, Tried(&scores)),
            }
        }
        Command::Compare => {
            let comparison = admin.compare().await?;
            output.show(&comparison, Compared(&comparison))?;
            match comparison.differences.len() + comparison.protection.differences.len() {
                0 => Ok(()),
                count => Err(Failure::Stopped(format!("{count} differences"))),
            }
        }
        Command::Restore { apply } => {
            let restoration = admin.restore(apply).await?;
            output.show(&restoration, Found(&restoration))?;
            match (restoration.lost.len(), restoration.doubtful.len()) {
                (0, 0) => Ok(()),
                (lost, doubtful) => Err(Failure::Stopped(format!("{lost} are found nowhere, {doubtful} are doubtful"))),
            }
        }
        Command::Withhold(custody) => {
            let capture = admin.withhold(&custody.id, &custody.reason).await?;
            output.show(&capture, Details::of(&capture))
        }
        Command::Release(custody) => {
            let capture = admin.release(&custody.id, &custody.reason).await?;
            output.show(&capture, Details::of(&capture))
        }
        Command::Erase { custody, yes } => {
            if !yes {
                let question = "Erase personal data, photo and manifest for good? Nothing brings them back.";
                confirm("an erasure", question, "nothing was erased")?;
            }
            let erased = admin.erase(&custody.id, &custody.reason).await?;
            output.show(&erased, Details::of(&erased))
        }
        Command::Reconcile { older_than, remove } => {
            let unnamed = admin.reconcile(older_than, remove).await?;
            output.show(&unnamed, Unnamed(&unnamed))?;
            match unnamed.failure {
                Some(why) => Err(Failure::Stopped(format!("the removal ended early: {why}"))),
                None => Ok(()),
            }
        }
    }
}

async fn export(admin: &EvidenceAdministration, client: &ClientId, month: &str) -> Result<(), Failure> {
    let mut lines = BufWriter::new(io::stdout());
    let write = |capture| -> Result<(), Failure> {
        serde_json::to_writer(&mut lines, &capture).map_err(io::Error::from)?;
        Ok(lines.write_all(b"\n")?)
    };
    admin.export(client, month, write).await?;
    Ok(lines.flush()?)
}

/// Prints one threshold per line and a summary in the last line.
struct Tried<'a>(&'a Scores);

impl fmt::Display for Tried<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Scores { analysed, off, earlier, thresholds, .. }) = self;
        let mut table = Table::new(["THRESHOLD", "HIGH", "SHARE"]);
        for AtThreshold { threshold, high, share } in thresholds {
            let share = share.map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", share * 100.0));
            table.row([format!("{threshold:.1}"), high.to_string(), share]);
        }
        write!(f, "{table}{analysed} captures were analysed; {off} were not: their gate was OFF")?;
        match earlier {
            0 => writeln!(f),
            _ => writeln!(f, "; {earlier} of before there were thresholds: not counted"),
        }
    }
}

/// Prints one capture per line with tab-separated fields, after a heading. A missing score is an empty field.
struct Lines<'a>(&'a Scores);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Scores { captures, .. }) = self;
        let names: BTreeSet<&String> = captures.iter().flat_map(|capture| capture.recapture_scores.keys()).collect();
        write!(f, "capture_id\tingested_at\trecapture_gate\trecapture_risk\trecapture_threshold")?;
        names.iter().try_for_each(|name| write!(f, "\t{name}"))?;
        writeln!(f)?;
        let number = |number: Option<&f64>| number.map(f64::to_string).unwrap_or_default();
        for capture in captures {
            let CaptureScores { capture_id, ingested_at, recapture_gate, recapture_risk, .. } = capture;
            write!(f, "{capture_id}\t{ingested_at}\t{}\t{}", word(recapture_gate), word(recapture_risk))?;
            write!(f, "\t{}", number(capture.recapture_threshold.as_ref()))?;
            names.iter().try_for_each(|name| write!(f, "\t{}", number(capture.recapture_scores.get(*name))))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Prints one object key per line and a summary in the last line.
struct Unnamed<'a>(&'a OrphanedObjects);

impl fmt::Display for Unnamed<'_> {
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

/// Prints one difference per line, then the erasures, and a summary in the last line.
struct Compared<'a>(&'a Comparison);

impl fmt::Display for Compared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Comparison { records, exported, pending, objects, erased, differences, protection }) = self;
        for Difference { capture_id, what, how } in differences {
            writeln!(f, "{capture_id}  {what}: {how}")?;
        }
        for Unprotected { resource, how } in &protection.differences {
            writeln!(f, "{resource}  {how}")?;
        }
        for ErasedCapture { capture_id, at, reason, principal } in erased {
            writeln!(f, "{capture_id}  erased at {at} by {principal}: {reason}")?;
        }
        let (erased, differing) = (erased.len(), differences.len());
        write!(f, "{records} records, {exported} exported, {pending} not exported yet; ")?;
        writeln!(f, "{objects} objects as recorded; {erased} captures erased; {differing} differences")?;
        match protection.compared {
            0 => writeln!(f, "no policies were compared: scripts/stack-env STACK > lacre.env, --env-file lacre.env"),
            compared => writeln!(f, "{compared} policies compared; {} differences", protection.differences.len()),
        }
    }
}

/// Prints one lost item per line and a summary in the last line.
struct Found<'a>(&'a Restoration);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Restoration { applied, records, restored, lost, doubtful }) = self;
        for Restored { capture_id, what, from } in restored.iter().chain(lost) {
            match from {
                Some(from) => writeln!(f, "{capture_id}  {what}: from {from}")?,
                None => writeln!(f, "{capture_id}  {what}: found nowhere")?,
            }
        }
        for Restored { capture_id, what, .. } in doubtful {
            writeln!(f, "{capture_id}  {what}: doubtful, so nothing was done: run `evidence compare`")?;
        }
        let (restored, lost, doubtful) = (restored.len(), lost.len(), doubtful.len());
        let how = match (restored, applied) {
            (0, _) => "",
            (_, true) => ", restored",
            (_, false) => "; nothing was changed: use --apply",
        };
        writeln!(
            f,
            "{records} records; {restored} losses found elsewhere{how}; {lost} found nowhere; {doubtful} doubtful"
        )
    }
}

fn day(text: &str) -> Result<Date, String> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]"));
    day.map_err(|_| "a day, for example 2026-11-20".to_owned())
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
            Unnamed(&OrphanedObjects { keys, removed, examined: 5, failure }).to_string()
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
    fn accepts_full_dates_only() {
        assert!(day("2026-11-20").is_ok());
        for other in ["", "2026-11", "2026-11-31", "20.11.2026", "2026-11-20T12:00:00Z"] {
            assert!(day(other).is_err(), "{other}");
        }
    }

    #[test]
    fn an_age_needs_a_unit() {
        assert_eq!(age("90m"), Ok(Duration::minutes(90)));
        assert_eq!(age("24h"), Ok(Duration::hours(24)));
        assert_eq!(age("7d"), Ok(Duration::days(7)));
        for other in ["", "24", "h", "-1h", "1.5h", "24H", "1w", "99999999999d"] {
            assert!(age(other).is_err(), "{other}");
        }
    }
}
