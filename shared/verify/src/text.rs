//! The report as lines of text: the conclusion first, then the same sentences as on the page. Control characters in
//! text from the file are escaped, so that they cannot manipulate a terminal.

use std::fmt::{self, Display, Formatter};

use lacre_proof::assertions::{BrowserAssertion, CaptureAssertion};

use super::{
    report::{ClaimReport, Found, KitStep, LogEntry, NotChecked, Report, RevocationStatus, SealReport, Timestamp},
    trust::Trusted,
    wording::{
        Language::English,
        Words,
        checks::{counts, must_hold},
        conclusion::{self, failed, reasons},
        kit, log, meaning,
        sentences::{ENVIRONMENT, FRAME_HASH, IN_LOG, OF_BROWSER, OF_SERVICE, SEALED_BY, STAPLED},
        shown,
        times::existed,
    },
};

/// Formats the report as lines, with a single line for all certificates whose revocation was not checked.
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
    /// The report as lines, with one line for each certificate whose revocation was not checked.
    #[must_use]
    pub fn verbose(&self) -> impl Display + '_ {
        Verbose(self)
    }
}

fn write_report(f: &mut Formatter<'_>, report: &Report, verbose: bool) -> fmt::Result {
    write_conclusion(f, report)?;
    write_list(
        f,
        meaning::PROVED.in_language(English),
        meaning::proved(report).iter().map(|words| words.in_language(English)),
    )?;
    report.seal.iter().try_for_each(|seal| write_seal(f, seal))?;
    report.claim.iter().try_for_each(|claim| write_claim(f, report, claim))?;
    report.transparency_log.iter().try_for_each(|entry| write_log(f, report, entry))?;
    write_times(f, report)?;
    write_checks(f, report)?;
    write_revocations(f, report)?;
    write_title(f, report.capture.as_ref().and_then(|_| OF_SERVICE.on(report)))?;
    report.capture.iter().try_for_each(|capture| write_capture(f, capture))?;
    report.kit_step.iter().try_for_each(|step| write_kit_step(f, step))?;
    write_title(f, report.browser.as_ref().and_then(|_| OF_BROWSER.on(report)))?;
    report.browser.iter().try_for_each(|browser| write_browser(f, browser))?;
    if report.is_judged() {
        let limits = meaning::not_proved(report).into_iter().map(|words| words.in_language(English));
        write_list(f, meaning::NOT_PROVED.in_language(English), limits)?;
        write_not_checked(f, report, verbose)?;
    }
    report.trust.iter().try_for_each(|trusted| write_trusted(f, trusted))
}

/// Writes each check with its requirement; nothing for a file that was not checked as a proof.
fn write_checks(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    if !report.is_judged() {
        return Ok(());
    }
    writeln!(f, "Checks")?;
    report.checks.iter().try_for_each(|check| {
        let sentence = must_hold(check.name).in_language(English);
        match &check.fault {
            None => {
                writeln!(f, "  ok    {}: {sentence}", check.name)?;
                if counts(check.name, report) {
                    Ok(())
                } else {
                    writeln!(f, "        does not count: it depends on what does not hold")
                }
            }
            Some(fault) => writeln!(f, "  FAIL  {}: {sentence}\n        {}", check.name, shown(fault)),
        }
    })
}

/// Writes the conclusion in capital letters, the holder, and the reasons.
fn write_conclusion(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    write!(f, "{}", conclusion::word(report).in_language(English).to_uppercase())?;
    if let (Some(seal), Some(is)) = (&report.seal, SEALED_BY.on(report)) {
        write!(f, "\n{}: {}", is.in_language(English), shown(&conclusion::holder(seal)))?;
    }
    writeln!(f)?;
    for reason in reasons(report) {
        writeln!(f, "{}", reason.words.in_language(English))?;
        if !reason.is_warning {
            failed(report).try_for_each(|words| writeln!(f, "  - {}", words.in_language(English)))?;
        }
    }
    if let (Some(environment), Some(name)) = (report.environment, ENVIRONMENT.on(report)) {
        let (name, required) = (name.in_language(English), report.required_environment.name());
        writeln!(f, "{name}: {}, required: {required}.", environment.name())?;
    }
    writeln!(f, "Checked as of {}.", report.judged_at)?;
    if let Some(end) = &report.holds_until {
        writeln!(f, "Valid until {}, when the certificate of {} expires.", end.time, shown(&end.certificate))?;
    }
    match (&report.frame_hash, FRAME_HASH.on(report)) {
        (Some(hash), Some(name)) => writeln!(f, "{}: {}", name.in_language(English), hash.hex()),
        _ => Ok(()),
    }
}

fn write_list<'a>(f: &mut Formatter<'_>, title: &str, sentences: impl Iterator<Item = &'a str>) -> fmt::Result {
    writeln!(f, "{title}")?;
    let mut sentences = sentences;
    sentences.try_for_each(|sentence| writeln!(f, "  - {sentence}"))
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

/// Writes what was not checked, with a single line for all revocations unless `verbose`.
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

fn write_seal(f: &mut Formatter<'_>, seal: &SealReport) -> fmt::Result {
    let policy = seal.policy_name.unwrap_or("unknown policy");
    writeln!(f, "seal     {}", shown(&seal.signer))?;
    writeln!(f, "         {policy} ({})", seal.policy)?;
    writeln!(f, "         claimed signing time {}", seal.signing_time)?;
    write_root(f, seal.root.as_deref())?;
    write_timestamp(f, seal.timestamp_found, seal.timestamp.as_ref())
}

fn write_claim(f: &mut Formatter<'_>, report: &Report, claim: &ClaimReport) -> fmt::Result {
    writeln!(f, "claim    {}", shown(&claim.signer))?;
    write_root(f, claim.root.as_deref())?;
    write_timestamp(f, claim.timestamp_found, claim.timestamp.as_ref())?;
    let stapled = claim.staple.as_ref().zip(STAPLED.on(report));
    stapled
        .map_or(Ok(()), |(staple, words)| writeln!(f, "         {} {}", words.in_language(English), staple.this_update))
}

fn write_log(f: &mut Formatter<'_>, report: &Report, entry: &LogEntry) -> fmt::Result {
    let Some(included) = IN_LOG.on(report).map(|words| words.in_language(English)) else { return Ok(()) };
    let [leaf, of] = [log::LEAF, log::OF].map(|words| words.in_language(English));
    writeln!(f, "log      {included}: {}, {leaf} {} {of} {}", shown(&entry.origin), entry.index, entry.size)?;
    let [before, by] = [log::BEFORE, log::STATED_BY].map(|words| words.in_language(English));
    match log::since(entry) {
        Ok(timestamp) => {
            writeln!(f, "         {before} {}, {by} {}", timestamp.time, shown(&timestamp.authority))?;
            write_root(f, timestamp.root.as_deref())?;
        }
        Err(words) => writeln!(f, "         {}", words.in_language(English))?,
    }
    entry.renewals.iter().try_for_each(|renewal| {
        let renewed = log::renewed(renewal).in_language(English);
        writeln!(f, "         {renewed} {}, {by} {}", renewal.time, shown(&renewal.authority))?;
        write_root(f, renewal.root.as_deref())
    })?;
    match entry.other_record_is_broken {
        true => writeln!(f, "         {}", log::OTHER_IS_BROKEN.in_language(English)),
        false => Ok(()),
    }
}

/// Writes what existed at each trusted time.
fn write_times(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let mut existed = existed(report).into_iter();
    existed.try_for_each(|(what, time)| writeln!(f, "existed  by {time}: {}", what.in_language(English)))
}

fn write_title(f: &mut Formatter<'_>, title: Option<Words>) -> fmt::Result {
    title.map_or(Ok(()), |title| writeln!(f, "{}", title.in_language(English)))
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

/// The text that explains why there is no timestamp.
fn without(found: Found) -> &'static str {
    match found {
        Found::Nothing => "no timestamp",
        Found::EmptyRoom => {
            "space for a timestamp is reserved, but empty: none arrived in time, or it was removed later"
        }
        Found::Unreadable | Found::Timestamp => "a timestamp that cannot be decoded",
    }
}

fn write_capture(f: &mut Formatter<'_>, capture: &CaptureAssertion) -> fmt::Result {
    writeln!(f, "capture  {}", shown(capture.capture_id.as_str()))?;
    writeln!(f, "         claimed ingest time {}", shown(&capture.ingested_at))?;
    writeln!(f, "         recapture risk {:?}, position {:?}", capture.recapture_risk, capture.gps_result)?;
    let Some(asked) = &capture.asked_for else { return Ok(()) };
    let [as_step, of_kit] = [kit::ASKED_FOR, kit::SHA_256].map(|words| words.in_language(English));
    writeln!(f, "         {as_step}: {}", shown(&kit::step(asked, English)))?;
    writeln!(f, "         {of_kit}: {}", asked.sha256.hex())
}

fn write_kit_step(f: &mut Formatter<'_>, step: &KitStep) -> fmt::Result {
    for (name, text) in [(kit::TITLE, &step.title), (kit::INSTRUCTION, &step.instruction)] {
        writeln!(f, "         {}: {}", name.in_language(English), shown(text))?;
    }
    writeln!(f, "         {}", kit::FROM_FILE.in_language(English))
}

fn write_browser(f: &mut Formatter<'_>, browser: &BrowserAssertion) -> fmt::Result {
    write!(f, "browser  captured at {} ms", browser.captured_at_ms)?;
    writeln!(f, ", position {}, {} within {} m", browser.gps_lat, browser.gps_lon, browser.gps_accuracy)?;
    browser.photo_label.iter().try_for_each(|label| writeln!(f, "         label \"{}\"", shown(label)))
}

fn write_trusted(f: &mut Formatter<'_>, trusted: &Trusted) -> fmt::Result {
    let list = &trusted.list;
    let date = list.date.as_ref().map(|date| format!(" ({})", shown(date))).unwrap_or_default();
    let roles: Vec<_> = trusted.roles.iter().map(|role| role.name()).collect();
    writeln!(
        f,
        "trusted  {}{date}, {} certificates, for: {}",
        shown(&list.title),
        list.certificates.len(),
        roles.join(", ")
    )
}
