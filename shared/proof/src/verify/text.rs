//! The report in lines. Text from the file has its control characters escaped, so that it cannot play with a terminal.

use std::fmt::{self, Formatter};

use domain::Environment;

use super::report::{Claim, Found, Report, RevocationStatus, Seal, Timestamp};
use crate::assertions::{Browser, Capture};

impl fmt::Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let verdict = if self.valid { "VALID" } else { "NOT VALID" };
        let environment = self.environment.map_or("UNKNOWN", Environment::name);
        writeln!(f, "{verdict}, environment {environment}")?;
        if self.environment.is_some_and(|environment| environment != Environment::Production) {
            writeln!(f, "Not a production proof: it shows how the service works, not that a photo is authentic.")?;
        }
        writeln!(f, "Judged as of {}.", self.judged_at)?;
        if let Some(end) = &self.holds_until {
            writeln!(f, "Holds until {}: then the certificate of {} ends.", end.time, shown(&end.certificate))?;
        }
        for check in &self.checks {
            match &check.fault {
                None => writeln!(f, "  ok    {}", check.name)?,
                Some(fault) => writeln!(f, "  FAIL  {}: {}", check.name, shown(fault))?,
            }
        }
        for known in &self.revocations {
            let status = match known.status {
                RevocationStatus::Good => "not revoked, published",
                RevocationStatus::Revoked => "revoked",
            };
            let certificate = shown(&known.certificate);
            writeln!(f, "  {}: the certificate of {certificate}: {status} {}", known.part, known.time)?;
        }
        for gap in &self.not_checked {
            writeln!(f, "  not checked: {}: {}", gap.part, shown(&gap.what))?;
        }
        if let Some(hash) = &self.frame_hash {
            writeln!(f, "frame    SHA-256 {}", hash.hex())?;
        }
        self.seal.iter().try_for_each(|seal| write_seal(f, seal))?;
        self.claim.iter().try_for_each(|claim| write_claim(f, claim))?;
        self.capture.iter().try_for_each(|capture| write_capture(f, capture))?;
        self.browser.iter().try_for_each(|browser| write_browser(f, browser))
    }
}

fn write_seal(f: &mut Formatter<'_>, seal: &Seal) -> fmt::Result {
    let policy = seal.policy_name.unwrap_or("unknown policy");
    writeln!(f, "seal     {}", shown(&seal.signer))?;
    writeln!(f, "         {policy} ({})", seal.policy)?;
    writeln!(f, "         claimed signing time {}", seal.signing_time)?;
    write_root(f, seal.root.as_deref())?;
    write_timestamp(f, seal.timestamp_found, seal.timestamp.as_ref())
}

fn write_claim(f: &mut Formatter<'_>, claim: &Claim) -> fmt::Result {
    writeln!(f, "claim    {}", shown(&claim.signer))?;
    write_root(f, claim.root.as_deref())?;
    write_timestamp(f, claim.timestamp_found, claim.timestamp.as_ref())
}

fn write_root(f: &mut Formatter<'_>, root: Option<&str>) -> fmt::Result {
    root.map_or(Ok(()), |root| writeln!(f, "         trusted root {}", shown(root)))
}

fn write_timestamp(f: &mut Formatter<'_>, found: Found, timestamp: Option<&Timestamp>) -> fmt::Result {
    let Some(timestamp) = timestamp else { return writeln!(f, "         {}", without(found)) };
    let trusted = if timestamp.holds { "trusted time" } else { "not to be trusted: time" };
    write!(f, "         {trusted} {}", timestamp.time)?;
    if let Some(accuracy) = timestamp.accuracy_seconds {
        write!(f, " within {accuracy} s")?;
    }
    writeln!(f, ", by {}", shown(&timestamp.authority))?;
    write_root(f, timestamp.root.as_deref())
}

/// What there is where no timestamp can be told of.
fn without(found: Found) -> &'static str {
    match found {
        Found::Nothing => "no timestamp",
        Found::EmptyRoom => "room for a timestamp, and none in it: none was given in time, or it was removed since",
        Found::Unreadable | Found::Timestamp => "a timestamp that cannot be read",
    }
}

fn write_capture(f: &mut Formatter<'_>, capture: &Capture) -> fmt::Result {
    writeln!(f, "capture  {}", shown(capture.capture_id.as_str()))?;
    writeln!(f, "         claimed ingest time {}", shown(&capture.ingested_at))?;
    writeln!(f, "         recapture risk {:?}, position {:?}", capture.recapture_risk, capture.gps_result)
}

fn write_browser(f: &mut Formatter<'_>, browser: &Browser) -> fmt::Result {
    write!(f, "browser  captured at {} ms", browser.captured_at_ms)?;
    writeln!(f, ", position {}, {} within {} m", browser.gps_lat, browser.gps_lon, browser.gps_accuracy)?;
    browser.photo_label.iter().try_for_each(|label| writeln!(f, "         label \"{}\"", shown(label)))
}

/// Text with its control characters escaped, and with its quotes as they are.
fn shown(text: &str) -> String {
    let escaped = |char: char| match char {
        '\'' | '"' => char.to_string(),
        char => char.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}
