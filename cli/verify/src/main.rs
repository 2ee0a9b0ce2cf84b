//! `verify`: verifies a delivered JPEG, or a dossier of them, offline.
//!
//! Exit statuses:
//! - 0: every check passes, the environment is the required one, and the seal certificate's holder is that of
//!   `--seal-holder`.
//! - 1: a check fails, or the file contains no proof.
//! - 2: bad usage: wrong arguments, files, pictures or trust anchors that cannot be read, an invalid kit, a folder or report that
//!   cannot be written; also a valid photo whose `--log-proof` cannot be parsed.
//! - 3: every check passes, but the environment is another one.
//! - 4: every check passes in the required environment, but no holder was required.
//! - 5: the file states that it has a newer format version.
//! - 7: what is checked of `--original` is as for 0 or 4, but the copy is not confirmed to show it, or a region differs.

mod copy;
mod dossier;

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{
    Parser,
    builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser},
};
use copy::Copy;
use lacre_compare::Picture as Pixels;
use lacre_domain::{Environment, Kit};
use lacre_proof::{Cnpj, bundle::BundleFile};
use lacre_verify::{
    Contents, LogEvidence, LogKey, MalformedKey, Outcome, Page, Picture, Report, Requirements, Revocations, Role,
    TrustList, TrustStore, WitnessKey, WitnessPolicy, join,
};
use time::{
    Date, OffsetDateTime, Time, UtcOffset,
    format_description::well_known::Rfc3339,
    macros::{format_description, time},
};

/// A date means the end of that day, so that it includes signatures made on the day.
const END_OF_DAY: Time = time!(23:59:59);

/// Maximum size of a file, in bytes. The service's largest photos have 16 megapixels, so larger files are no photos of
/// the service.
const MAX_FILE: u64 = 64 * 1024 * 1024;

const NOT_A_LOG_PROOF: &str = "not a proof of this service in the form c2sp.org/tlog-proof@v1; the public log that --log-proof \
                               requires was not checked";

const EXAMPLES: &str = "\
Exit status:
  0  every check holds, the environment is the required one, and so is the seal's holder
  1  a check fails, or the file carries no proof
  2  bad usage
  3  every check holds, and the environment is another one
  4  VALID, SIGNER NOT PINNED: every check holds, and no --seal-holder was required
  5  the file says that it is of a newer version: nothing was checked; update this program
  7  with --original: the original is as for 0 or 4, and the copy differs from it, or is not confirmed to show it

Examples:
  verify photo.jpg --seal-holder 11.222.333/0001-81
  verify frame.jpg --manifest frame.c2pa --seal-holder 11.222.333/0001-81 --report report.html
  verify photo.jpg --log-proof photo.tlog-proof --log-key log.example/production+0123abcd+AQID... --seal-holder 11222333000181
  verify photo.jpg --log-proof photo.tlog-proof --log-key log.example/production+0123abcd+AQID... --evidence-record photo.ers \
    --evidence-bundle 2026-11-30.p7b --seal-holder 11222333000181
  verify copy.jpg --original photo.jpg --picture differences.png --seal-holder 11222333000181
  verify dossier.zip --seal-holder 11222333000181
  verify photo.jpg --kit auto-previa.json --seal-holder 11222333000181
  verify photo.jpg --trust development.pem --environment sandbox --seal-holder 11222333000181";

/// Check an authenticated photo, or a dossier of them, offline: both signatures, both certificate chains, their RFC 3161 timestamps, the signature
/// policy and the hashes.
#[derive(Parser)]
#[command(name = "verify", after_help = EXAMPLES)]
struct Arguments {
    /// The authenticated photo, or with --manifest its frame. With --original, a copy of it: JPEG, PNG or WebP. Or a dossier
    /// (ZIP), of which every photo is checked.
    photo: PathBuf,
    /// Check this authenticated photo, and compare the copy with it: say which part of it the copy shows, and where the two
    /// differ. A difference says nothing about its cause.
    #[arg(long, value_name = "PHOTO.jpg")]
    original: Option<PathBuf>,
    /// Write original and copy side by side to a new file, with the differences outlined.
    #[arg(long, value_name = "FILE.png", requires = "original")]
    picture: Option<PathBuf>,
    /// Use this C2PA manifest, which was delivered beside its frame.
    #[arg(long, value_name = "FILE.c2pa")]
    manifest: Option<PathBuf>,
    /// Trust these root certificates (PEM or DER) for each part that has no list of its own, instead of the built-in lists. Use
    /// one list for all parts in development only: each root can then vouch for any part.
    #[arg(long, value_name = "ROOTS.pem")]
    trust: Option<PathBuf>,
    /// Trust these root certificates (PEM or DER) for the C2PA claim, instead of the C2PA trust list.
    #[arg(long, value_name = "ROOTS.pem")]
    trust_claim: Option<PathBuf>,
    /// Trust these root certificates (PEM or DER) for the ICP-Brasil signature, instead of ICP-Brasil's roots.
    #[arg(long, value_name = "ROOTS.pem")]
    trust_seal: Option<PathBuf>,
    /// Trust these root certificates (PEM or DER) for the timestamps, instead of ICP-Brasil's roots and C2PA's timestamp trust
    /// list.
    #[arg(long, value_name = "ROOTS.pem")]
    trust_timestamps: Option<PathBuf>,
    /// Trust these root certificates (PEM or DER) for every part, in addition to the others. Repeat the option to name
    /// several.
    #[arg(long, value_name = "ROOTS.pem")]
    add_trust: Vec<PathBuf>,
    /// Require a proof of this environment. A valid proof of another environment exits with 3.
    #[arg(long, default_value = "production", value_parser = environment())]
    environment: Environment,
    /// Require this CNPJ in the seal certificate, for example 11.222.333/0001-81. Without it a valid proof exits with 4.
    #[arg(long, value_name = "CNPJ", value_parser = Cnpj::parse)]
    seal_holder: Option<Cnpj>,
    /// Require this common name, or this whole subject (RFC 4514), in the claim certificate, for example "Example Claim Signer".
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    claim_subject: Option<String>,
    /// Require that the photo was asked for as a step of the client's kit in this file (JSON), and show that step's title and
    /// instruction. The step says what the customer was asked to photograph, not what the photo shows.
    #[arg(long, value_name = "FILE")]
    kit: Option<PathBuf>,
    /// Require that the capture is in a public log, according to this proof (C2SP tlog-proof).
    #[arg(long, value_name = "FILE", requires = "log_key")]
    log_proof: Option<PathBuf>,
    /// Require that the log proof is from the log with this key (C2SP signed-note: NAME+ID+KEY). For a dossier, require that each
    /// photo in it is in this log.
    #[arg(long, value_name = "KEY", value_parser = log_key)]
    log_key: Option<LogKey>,
    /// Require that this witness cosigned the checkpoint in the log proof (C2SP tlog-cosignature). Repeat the option to
    /// name several.
    #[arg(long, value_name = "KEY", requires = "log_key", value_parser = witness_key)]
    witness: Vec<WitnessKey>,
    /// Require that the witnesses which cosigned the checkpoint in the log proof fulfil this policy (C2SP tlog-policy), and
    /// that it names the log, if it names any.
    #[arg(long, value_name = "FILE", requires = "log_key")]
    witness_policy: Option<PathBuf>,
    /// Judge the timestamp in the log proof by this evidence record (RFC 4998), which has its renewals. The photo's own
    /// certificates may then have expired long ago. Repeat the option for the record of the second timestamp: one that holds
    /// suffices.
    #[arg(long, value_name = "FILE.ers", requires = "log_proof")]
    evidence_record: Vec<PathBuf>,
    /// Use the CRLs and OCSP responses in this evidence bundle, which a renewal in an evidence record covers. Repeat the
    /// option to name several.
    #[arg(long, value_name = "FILE.p7b", requires = "evidence_record")]
    evidence_bundle: Vec<PathBuf>,
    /// Check as of this time instead of now: RFC 3339, or a date for the end of that day in UTC, for example 2028-11-20.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at: Option<OffsetDateTime>,
    /// Use this CRL (DER or PEM). Repeat the option to name several.
    #[arg(long, value_name = "FILE")]
    crl: Vec<PathBuf>,
    /// Use this OCSP response (DER). Repeat the option to name several.
    #[arg(long, value_name = "FILE")]
    ocsp: Vec<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// List each certificate whose revocation was not checked. The JSON always lists them.
    #[arg(long)]
    verbose: bool,
    /// Write the report as an HTML page in Portuguese and English to a new file.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write frame.jpg, signature.p7s and manifest.c2pa to this folder, and the timestamps as signature.tst and
    /// claim.tst, if the file's structure is valid.
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,
}

/// Parser of `production`, `staging` and `sandbox`.
fn environment() -> impl TypedValueParser<Value = Environment> {
    PossibleValuesParser::new(["production", "staging", "sandbox"])
        .try_map(|name| Environment::parse(&name).ok_or("not an environment"))
}

fn log_key(text: &str) -> Result<LogKey, MalformedKey> {
    text.parse()
}

fn witness_key(text: &str) -> Result<WitnessKey, MalformedKey> {
    text.parse()
}

/// Builds the trust store from the files that the arguments name. Each file is read once because it may be a pipe.
fn trust_store(arguments: &Arguments) -> Result<TrustStore, String> {
    let mut store = match &arguments.trust {
        Some(path) => TrustStore::of(trust_list(path)?),
        None => TrustStore::built_in()?,
    };
    let own = [
        (&arguments.trust_claim, &[Role::Claim][..]),
        (&arguments.trust_seal, &[Role::Seal]),
        (&arguments.trust_timestamps, &Role::TIMESTAMPS),
    ];
    for (path, roles) in own {
        if let Some(path) = path {
            store.replace(roles, trust_list(path)?);
        }
    }
    for path in &arguments.add_trust {
        store.add(&Role::ALL, trust_list(path)?);
    }
    Ok(store)
}

fn trust_list(path: &Path) -> Result<TrustList, String> {
    let file = fs::read(path).map_err(|error| named(path, &error))?;
    TrustList::of_file(&name_of(path), file).map_err(|error| named(path, &error))
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(status) => ExitCode::from(status),
        Err(fault) => {
            eprintln!("verify: {fault}");
            ExitCode::from(2)
        }
    }
}

/// The exit status of an outcome, and of the comparison with its copy if there is one.
fn status(outcome: Outcome, copy: Option<&Copy>) -> u8 {
    match outcome {
        Outcome::Accepted | Outcome::NotPinned if copy.is_some_and(|copy| !copy.is_same()) => 7,
        Outcome::Accepted => 0,
        Outcome::Refused | Outcome::NoProof => 1,
        Outcome::OtherEnvironment => 3,
        Outcome::NotPinned => 4,
        Outcome::NewerVersion => 5,
    }
}

fn run(arguments: &Arguments) -> Result<u8, String> {
    let trust = trust_store(arguments)?;
    if let Some(file) = dossier::open(&arguments.photo)? {
        return dossier::run(file, &trust, arguments);
    }
    if arguments.log_key.is_some() && arguments.log_proof.is_none() {
        return Err("--log-key needs --log-proof FILE, unless it is for a dossier".into());
    }
    let Input { photo, manifest, file, name } = Input::read(arguments)?;
    let copy = arguments.original.as_deref().map(|original| compare(&arguments.photo, original, &file)).transpose()?;

    let now = OffsetDateTime::now_utc();
    let bundles = arguments.evidence_bundle.iter().map(|path| bundle(path)).collect::<Result<Vec<_>, _>>()?;
    let revocations = revocations(arguments, &bundles)?;
    let requirements = Requirements {
        environment: arguments.environment,
        seal_holder: arguments.seal_holder.clone(),
        claim_subject: arguments.claim_subject.clone(),
        kit: arguments.kit.as_deref().map(kit).transpose()?,
        log: log(arguments, bundles)?,
    };
    let verdict = trust.check(&file, &revocations, &requirements, arguments.at.unwrap_or(now))?;
    if let (Some(folder), Some(contents)) = (&arguments.extract, &verdict.contents) {
        extract(folder, contents)?;
    }
    if let Some(path) = &arguments.report {
        let page = Page {
            verdict: &verdict,
            file: photo.as_ref().unwrap_or(&file),
            manifest: manifest.as_deref(),
            name: &name,
            picture: Picture::Embedded,
            made_at: now,
        };
        write_new(path, page.html().as_bytes()).map_err(|error| named(path, &error))?;
    }
    if let (Some(path), Some(copy)) = (&arguments.picture, &copy) {
        let picture = copy.side_by_side().ok_or_else(|| named(path, &"the pictures cannot be drawn"))?;
        write_new(path, &picture).map_err(|error| named(path, &error))?;
    }
    let of_copy = copy.as_ref().map(Copy::to_string).unwrap_or_default();
    let printed = match (arguments.json, arguments.verbose) {
        (true, _) => json(&verdict.report, copy.as_ref()).map_err(|error| error.to_string())? + "\n",
        (false, true) => verdict.report.verbose().to_string() + &of_copy,
        (false, false) => verdict.report.to_string() + &of_copy,
    };
    // The exit status reports the verdict even if the reader closes the pipe early.
    let _ = io::stdout().write_all(printed.as_bytes());
    // The report's verdict is on the photo. If the photo is valid but the log proof cannot be parsed, the status must
    // not suggest that the log was checked.
    match (&arguments.log_proof, &verdict.report) {
        (Some(path), Report { valid: true, unreadable_log_proof: true, .. }) => Err(named(path, &NOT_A_LOG_PROOF)),
        (_, report) => Ok(status(report.outcome, copy.as_ref())),
    }
}

/// Compares a copy with its original, whose file was read.
fn compare(copy: &Path, original: &Path, file: &[u8]) -> Result<Copy, String> {
    let pixels = Pixels::read(&read(copy)?).map_err(|fault| named(copy, &fault))?;
    Copy::new(pixels, file).map_err(|fault| named(original, &fault))
}

/// The report as JSON, with the comparison as its member `copy`.
fn json(report: &Report, copy: Option<&Copy>) -> serde_json::Result<String> {
    let Some(copy) = copy else { return serde_json::to_string_pretty(report) };
    let mut report = serde_json::to_value(report)?;
    report["copy"] = copy.json();
    serde_json::to_string_pretty(&report)
}

/// The input to verify.
struct Input {
    /// The frame, if its manifest was given as a separate file.
    photo: Option<Vec<u8>>,
    manifest: Option<Vec<u8>>,
    /// The photo with its embedded manifest.
    file: Vec<u8>,
    name: String,
}

impl Input {
    fn read(arguments: &Arguments) -> Result<Self, String> {
        let path = arguments.original.as_ref().unwrap_or(&arguments.photo);
        let (photo, name) = (read(path)?, name_of(path));
        let Some(beside) = &arguments.manifest else {
            return Ok(Self { photo: None, manifest: None, file: photo, name });
        };
        let manifest = read(beside)?;
        let file = join(&photo, &manifest).map_err(|fault| named(path, &fault))?;
        let name = format!("{name} + {}", name_of(beside));
        Ok(Self { photo: Some(photo), manifest: Some(manifest), file, name })
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn moment(text: &str) -> Result<OffsetDateTime, String> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]"));
    let moment = day
        .map(|day| day.with_time(END_OF_DAY).assume_utc())
        .or_else(|_| OffsetDateTime::parse(text, &Rfc3339))
        .map_err(|_| "a time is in RFC 3339, and a date is YYYY-MM-DD")?;
    moment.checked_to_offset(UtcOffset::UTC).ok_or_else(|| "the time is after the year 9999 in UTC".into())
}

fn bundle(path: &Path) -> Result<BundleFile, String> {
    BundleFile::parse(&read(path)?).map_err(|fault| named(path, &fault))
}

fn revocations(arguments: &Arguments, bundles: &[BundleFile]) -> Result<Revocations, String> {
    let mut revocations = Revocations::default();
    for path in &arguments.crl {
        let list = fs::read(path).map_err(|error| named(path, &error))?;
        revocations.add_list(&list).map_err(|fault| named(path, &fault))?;
    }
    for path in &arguments.ocsp {
        let answer = fs::read(path).map_err(|error| named(path, &error))?;
        revocations.add_answer(&answer).map_err(|fault| named(path, &fault))?;
    }
    for (path, file) in arguments.evidence_bundle.iter().zip(bundles) {
        revocations.add_bundle(&file.bundle).map_err(|fault| named(path, &fault))?;
    }
    Ok(revocations)
}

/// Reads a client's kit. The error of an invalid one lists all its faults.
fn kit(path: &Path) -> Result<Kit, String> {
    Kit::parse(&read(path)?).map_err(|faults| {
        // A path has the file's own names in it, which a terminal could take for commands.
        let line = |path: &str, rule, message: &str| format!("\n  {} ({rule}): {message}", path.escape_debug());
        let lines: String = faults.iter().map(|fault| line(&fault.path, fault.rule, &fault.message)).collect();
        named(path, &format!("the kit is invalid:{lines}"))
    })
}

fn witness_policy(path: &Path) -> Result<WitnessPolicy, String> {
    WitnessPolicy::parse(&read(path)?).map_err(|fault| named(path, &fault))
}

/// The log proof with the log's key, and what belongs to it; `None` if neither was given.
fn log(arguments: &Arguments, bundles: Vec<BundleFile>) -> Result<Option<LogEvidence>, String> {
    let (Some(path), Some(key)) = (&arguments.log_proof, &arguments.log_key) else { return Ok(None) };
    Ok(Some(LogEvidence {
        proof: read(path)?,
        key: key.clone(),
        witnesses: arguments.witness.clone(),
        policy: arguments.witness_policy.as_deref().map(witness_policy).transpose()?,
        records: arguments.evidence_record.iter().map(|path| read(path)).collect::<Result<_, _>>()?,
        bundles,
    }))
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

/// Creates a file, and fails if it exists: a report must not overwrite the photo or an earlier report.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::File::create_new(path)?.write_all(bytes)
}

/// Reads a file or pipe, and fails if it exceeds [`MAX_FILE`]: a report on a truncated file would be wrong.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| named(path, &error))?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| named(path, &error))?;
    match bytes.len() as u64 > MAX_FILE {
        true => Err(named(path, &"larger than 64 MiB, which no photo of the service is")),
        false => Ok(bytes),
    }
}

fn named(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}
