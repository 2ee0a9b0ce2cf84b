//! `verify`: checks a delivered JPEG offline.
//!
//! Exit status 0 when everything holds, 1 when the proof fails, 2 for bad usage: wrong arguments, a file or anchors that
//! cannot be read, a folder or a report that cannot be written. A file that is no JPEG is a proof that fails.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use proof::{
    certificates_of_pem,
    verify::{Anchors, Contents, Page, Revocations, Roots, Trust, check_with},
};
use time::{Date, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339, macros::format_description};

/// Larger files are no photos of the service: its largest photo has 16 megapixels.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Checks an authenticated photo offline: both signatures, both certificate chains, their timestamps, the signature policy,
/// the hashes.
#[derive(Parser)]
#[command(name = "verify")]
struct Arguments {
    /// The authenticated photo.
    photo: PathBuf,
    /// The root certificates to trust for everything that has no list of its own, in PEM. One list for everything is made for
    /// development: with it each root may vouch for any part.
    #[arg(long, value_name = "ROOTS.pem", required_unless_present_all = ["trust_claim", "trust_seal", "trust_timestamps"])]
    trust: Option<PathBuf>,
    /// The root certificates to trust for the C2PA claim, instead of those of --trust.
    #[arg(long, value_name = "ROOTS.pem")]
    trust_claim: Option<PathBuf>,
    /// The root certificates to trust for the ICP-Brasil signature, instead of those of --trust.
    #[arg(long, value_name = "ROOTS.pem")]
    trust_seal: Option<PathBuf>,
    /// The root certificates to trust for the timestamps, instead of those of --trust.
    #[arg(long, value_name = "ROOTS.pem")]
    trust_timestamps: Option<PathBuf>,
    /// Judge as of this moment instead of now: RFC 3339, or a date, which is its first second in UTC.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at: Option<OffsetDateTime>,
    /// A certificate revocation list (CRL) in DER or PEM; may be given again.
    #[arg(long, value_name = "FILE")]
    crl: Vec<PathBuf>,
    /// An OCSP answer in DER; may be given again.
    #[arg(long, value_name = "FILE")]
    ocsp: Vec<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Write the report as a page for people, in Portuguese and English, to a new file: HTML to read, to print and to file.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write frame.jpg, signature.p7s, manifest.c2pa and the timestamps signature.tst and claim.tst there, when the file's form
    /// allows to tell them apart.
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,
}

/// A list of roots: to judge by, and to tell of.
struct List {
    anchors: Anchors,
    certificates: Vec<Vec<u8>>,
}

/// The lists that were given. Each is read once: it may be a pipe.
struct Lists {
    everything: Option<List>,
    own: [Option<List>; 3],
}

impl List {
    fn read(path: &PathBuf) -> Result<Self, String> {
        let pem = fs::read_to_string(path).map_err(|error| named(path, &error))?;
        let anchors = Anchors::from_pem(&pem).map_err(|error| named(path, &error))?;
        let certificates = certificates_of_pem(&pem).map_err(|error| named(path, &error))?;
        Ok(Self { anchors, certificates })
    }
}

impl Lists {
    fn read(arguments: &Arguments) -> Result<Self, String> {
        let read = |path: &Option<PathBuf>| path.as_ref().map(List::read).transpose();
        Ok(Self {
            everything: read(&arguments.trust)?,
            own: [read(&arguments.trust_claim)?, read(&arguments.trust_seal)?, read(&arguments.trust_timestamps)?],
        })
    }

    /// The list of the claim, of the seal, of the timestamps.
    fn by_part(&self) -> Result<[&List; 3], String> {
        let lists = self.own.each_ref().map(|own| own.as_ref().or(self.everything.as_ref()).ok_or("no roots to trust"));
        let [claim, seal, timestamps] = lists;
        Ok([claim?, seal?, timestamps?])
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(fault) => {
            eprintln!("verify: {fault}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    let lists = Lists::read(arguments)?;
    let [claim, seal, timestamps] = lists.by_part()?;
    let trust = Trust { claim: &claim.anchors, seal: &seal.anchors, timestamps: &timestamps.anchors };
    let photo = read(&arguments.photo).map_err(|error| named(&arguments.photo, &error))?;

    let now = OffsetDateTime::now_utc();
    let verdict = check_with(&photo, trust, &revocations(arguments)?, arguments.at.unwrap_or(now));
    if let (Some(folder), Some(contents)) = (&arguments.extract, &verdict.contents) {
        extract(folder, contents)?;
    }
    if let Some(path) = &arguments.report {
        let roots =
            Roots { claim: &claim.certificates, seal: &seal.certificates, timestamps: &timestamps.certificates };
        let name = arguments.photo.file_name().unwrap_or_default().to_string_lossy();
        let page = Page { verdict: &verdict, file: &photo, name: &name, roots, made_at: now };
        write_new(path, &page.html()).map_err(|error| named(path, &error))?;
    }
    let report = match arguments.json {
        true => serde_json::to_string_pretty(&verdict.report).map_err(|error| error.to_string())? + "\n",
        false => verdict.report.to_string(),
    };
    // The exit status is the verdict also where nobody reads the report to its end.
    let _ = io::stdout().write_all(report.as_bytes());
    Ok(verdict.report.valid)
}

fn moment(text: &str) -> Result<OffsetDateTime, String> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).map(|day| day.midnight().assume_utc());
    let moment = day.or_else(|_| OffsetDateTime::parse(text, &Rfc3339)).map_err(|_| "neither RFC 3339 nor a date")?;
    moment.checked_to_offset(UtcOffset::UTC).ok_or_else(|| "after the year 9999, UTC".into())
}

fn revocations(arguments: &Arguments) -> Result<Revocations, String> {
    let mut revocations = Revocations::default();
    for path in &arguments.crl {
        let list = fs::read(path).map_err(|error| named(path, &error))?;
        revocations.add_list(&list).map_err(|fault| named(path, &fault))?;
    }
    for path in &arguments.ocsp {
        let answer = fs::read(path).map_err(|error| named(path, &error))?;
        revocations.add_answer(&answer).map_err(|fault| named(path, &fault))?;
    }
    Ok(revocations)
}

fn extract(folder: &Path, contents: &Contents) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let files = [
        ("frame.jpg", Some(&contents.frame)),
        ("signature.p7s", Some(&contents.signature)),
        ("signature.tst", contents.signature_timestamp.as_ref()),
        ("manifest.c2pa", Some(&contents.manifest)),
        ("claim.tst", contents.claim_timestamp.as_ref()),
    ];
    for (name, bytes) in files.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))) {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|error| named(&path, &error))?;
    }
    Ok(())
}

/// Writes a file that was not there: no report takes the place of the photo, or of an earlier report.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

/// Reads a file, or a pipe, up to the bound: what is cut off there is no whole JPEG.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut photo = Vec::new();
    fs::File::open(path)?.take(MAX_FILE).read_to_end(&mut photo)?;
    Ok(photo)
}

fn named(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}
