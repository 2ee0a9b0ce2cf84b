//! `lacre-admin evidence …`

mod shown;

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
};

use clap::{Args, Subcommand};
use lacre_administration::EvidenceAdministration;
use lacre_domain::{ClientId, Environment, LicenseId};
use time::{Date, Duration, macros::format_description};

use self::shown::{Compared, Found, Indexed, Lines, Matched, Tried, Unnamed};
use crate::{
    confirmation::confirm,
    document,
    failure::Failure,
    options::environment,
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
    /// Find the captures that a copy of a photo may show, such as one that was sent through a messenger.
    #[command(after_help = "\
The copy is a JPEG, PNG or WebP of at most 4,194,304 bytes and 40 megapixels. Captures are found if their \
license had fingerprints, and unless they are withheld or erased. A match is a lead, not a proof: verify \
the capture's own photo. The lookup is recorded in the audit log, without the copy.

Example:
  lacre-admin evidence find copy.jpg --client 0b6e9c2e-… --environment live")]
    Find {
        /// The file with the copy.
        #[arg(value_name = "PHOTO")]
        copy: PathBuf,
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
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
    /// Compare the index of fingerprints with the captures, and repair it with --apply.
    #[command(after_help = "\
A search for copies reads this index. The command scans the table Prints and the evidence table, and \
reads the personal item of each capture. It adds the entries that the index lacks, and removes those \
whose capture is erased. Run it after an outage of the function prints of more than a day. Captures of \
the last seconds may count as missing, because prints has yet to add them.

Examples:
  lacre-admin evidence index
  lacre-admin evidence index --apply")]
    Index {
        /// Repair the index, instead of only counting.
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
    /// Erase what is recorded of the refused photos of a reference.
    #[command(after_help = "\
An erasure of a capture does so for the capture's reference. This command is for references without captures.

Example:
  lacre-admin evidence erase-refused sinistro-42 --client 0b6e9c2e-… --environment live")]
    EraseRefused {
        /// The client's reference.
        #[arg(value_name = "REFERENCE")]
        reference: String,
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
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
            Self::Restore { apply } | Self::Index { apply } => !apply,
            Self::Reconcile { remove, .. } => !remove,
            Self::Find { .. } | Self::Withhold(_) | Self::Release(_) => false,
            Self::Erase { .. } | Self::EraseRefused { .. } => false,
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
        Command::Find { copy, client, environment } => {
            let copy = document::read(&copy)?;
            let found = admin.copies.find(&ClientId::parse(&client)?, environment, copy).await?;
            output.show(&found, Matched(&found))
        }
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
        Command::Index { apply } => {
            let repair = admin.repair_index(apply).await?;
            output.show(&repair, Indexed(&repair))
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
        Command::EraseRefused { reference, client, environment } => {
            let erased = admin.erase_refused(&ClientId::parse(&client)?, environment, &reference).await?;
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
