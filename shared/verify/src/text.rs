//! The report in lines. Text from the file has its control characters escaped, so that it cannot play with a terminal.

use std::fmt::{self, Display, Formatter};

use domain::Environment;
use proof::assertions::{Browser, Capture};

use super::report::{Claim, Found, NotChecked, Outcome, Report, RevocationStatus, Seal, Timestamp};

/// The report in lines, with one line for all certificates whose revocation was not checked.
impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_report(f, self, false)
    }
}

/// See [`Report::verbose`].
struct Verbose<'a>(&'a Report);

impl Display for Verbose<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_report(f, self.0, true)
    }
}

impl Report {
    /// The report in lines, with a line for each certificate whose revocation was not checked.
    #[must_use]
    pub fn verbose(&self) -> impl Display + '_ {
        Verbose(self)
    }

    /// The conclusion in one line. It names the holder of the seal's certificate, where that can be read.
    #[must_use]
    pub fn conclusion(&self) -> String {
        let environment = self.environment.map_or("UNKNOWN", Environment::name);
        let holder = self.seal.as_ref().map(holder).unwrap_or_default();
        match (self.outcome, &self.seal) {
            (Outcome::Accepted, _) => format!("VALID: {environment} proof, sealed by {holder}"),
            (Outcome::OtherEnvironment, _) => {
                let required = self.required_environment.name();
                format!(
                    "OTHER ENVIRONMENT: a valid {environment} proof, where {required} is required; sealed by {holder}"
                )
            }
            (Outcome::Refused, None) => "NOT VALID: the file does not have the form of a Lacre proof".into(),
            (Outcome::Refused, Some(_)) => {
                let failed = self.checks.iter().filter(|check| !check.holds).count();
                let fail = if failed == 1 { "checks fails" } else { "checks fail" };
                let made = self.checks.len();
                format!("NOT VALID: {failed} of {made} {fail}; the file names {holder} as the sealer")
            }
        }
    }
}

/// The holder of the seal's certificate, with the CNPJ where the certificate names one.
fn holder(seal: &Seal) -> String {
    let name = shown(&seal.holder.name);
    seal.holder.cnpj_punctuated().map_or(name.clone(), |cnpj| format!("{name} (CNPJ {cnpj})"))
}

fn write_report(f: &mut Formatter<'_>, report: &Report, verbose: bool) -> fmt::Result {
    writeln!(f, "{}", report.conclusion())?;
    if report.environment.is_some_and(|environment| environment != Environment::Production) {
        writeln!(f, "Not a production proof: it shows how the service works, not that a photo is authentic.")?;
    }
    if report.capture.as_ref().is_some_and(|capture| !capture.icp_brasil) {
        writeln!(f, "The service states that the seal certificate is not of ICP-Brasil.")?;
    }
    writeln!(f, "Checked as of {}.", report.judged_at)?;
    if let Some(end) = &report.holds_until {
        writeln!(f, "Valid until {}, when the certificate of {} expires.", end.time, shown(&end.certificate))?;
    }
    for check in &report.checks {
        match &check.fault {
            None => writeln!(f, "  ok    {}", check.name)?,
            Some(fault) => writeln!(f, "  FAIL  {}: {}", check.name, shown(fault))?,
        }
    }
    write_revocations(f, report)?;
    write_not_checked(f, report, verbose)?;
    if let Some(hash) = &report.frame_hash {
        writeln!(f, "frame    SHA-256 {}", hash.hex())?;
    }
    report.seal.iter().try_for_each(|seal| write_seal(f, seal))?;
    report.claim.iter().try_for_each(|claim| write_claim(f, claim))?;
    report.capture.iter().try_for_each(|capture| write_capture(f, capture))?;
    report.browser.iter().try_for_each(|browser| write_browser(f, browser))
}

fn write_revocations(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    report.revocations.iter().try_for_each(|known| {
        let status = match known.status {
            RevocationStatus::Good => "not revoked, published on",
            RevocationStatus::Revoked => "revoked since",
        };
        writeln!(f, "  {}: certificate of {}: {status} {}", known.part, shown(&known.certificate), known.time)
    })
}

/// One line for all unchecked revocations, unless each is requested.
fn write_not_checked(f: &mut Formatter<'_>, report: &Report, verbose: bool) -> fmt::Result {
    let unchecked = report.unchecked_revocations();
    if unchecked > 0 && !verbose {
        let certificates = if unchecked == 1 { "certificate" } else { "certificates" };
        let why = "no CRL or OCSP response given that covers them; list them with --verbose";
        writeln!(f, "  not checked: revocation of {unchecked} {certificates} ({why})")?;
    }
    let is_listed = |gap: &&NotChecked| verbose || gap.certificate.is_none();
    let mut listed = report.not_checked.iter().filter(is_listed);
    listed.try_for_each(|gap| writeln!(f, "  not checked: {}: {}", gap.part, shown(&gap.what)))
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
    let trusted = if timestamp.holds { "trusted time" } else { "untrusted time" };
    write!(f, "         {trusted} {}", timestamp.time)?;
    if let Some(accuracy) = timestamp.accuracy_seconds {
        write!(f, " within {accuracy} s")?;
    }
    writeln!(f, ", by {}", shown(&timestamp.authority))?;
    write_root(f, timestamp.root.as_deref())
}

/// The text in place of a timestamp.
fn without(found: Found) -> &'static str {
    match found {
        Found::Nothing => "no timestamp",
        Found::EmptyRoom => {
            "space for a timestamp is reserved, but empty: none arrived in time, or it was removed later"
        }
        Found::Unreadable | Found::Timestamp => "a timestamp that cannot be decoded",
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
