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
    verify::{Anchors, Contents, Page, Revocations, check_with},
};
use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

/// Larger files are no photos of the service: its largest photo has 16 megapixels.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Checks an authenticated photo offline: both signatures, both certificate chains, their timestamps, the signature policy,
/// the hashes.
#[derive(Parser)]
#[command(name = "verify")]
struct Arguments {
    /// The authenticated photo.
    photo: PathBuf,
    /// The root certificates to trust, in PEM: of the ICP-Brasil signature, of the C2PA claim, of the timestamps.
    #[arg(long, value_name = "ANCHORS.pem")]
    trust: PathBuf,
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
    let trusted = fs::read_to_string(&arguments.trust).map_err(|error| named(&arguments.trust, &error))?;
    let anchors = Anchors::from_pem(&trusted).map_err(|error| named(&arguments.trust, &error))?;
    let photo = read(&arguments.photo).map_err(|error| named(&arguments.photo, &error))?;

    let now = OffsetDateTime::now_utc();
    let verdict = check_with(&photo, &anchors, &revocations(arguments)?, arguments.at.unwrap_or(now));
    if let (Some(folder), Some(contents)) = (&arguments.extract, &verdict.contents) {
        extract(folder, contents)?;
    }
    if let Some(path) = &arguments.report {
        let roots = certificates_of_pem(&trusted).map_err(|error| named(&arguments.trust, &error))?;
        let name = arguments.photo.file_name().unwrap_or_default().to_string_lossy();
        let page = Page { verdict: &verdict, file: &photo, name: &name, roots: &roots, made_at: now };
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
    day.or_else(|_| OffsetDateTime::parse(text, &Rfc3339)).map_err(|_| "neither RFC 3339 nor a date".into())
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
