//! `verify`: checks a delivered JPEG offline.
//!
//! Exit status 0 when everything holds, 1 when the proof fails, 2 for bad usage: wrong arguments, a file or anchors that
//! cannot be read, a folder that cannot be written. A file that is no JPEG is a proof that fails.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use proof::verify::{Anchors, Contents, check};
use time::OffsetDateTime;

/// Larger files are no photos of the service: its largest photo has 16 megapixels.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Checks an authenticated photo offline: both signatures, both certificate chains, the signature policy, the hashes.
#[derive(Parser)]
#[command(name = "verify")]
struct Arguments {
    /// The authenticated photo.
    photo: PathBuf,
    /// The root certificates to trust, in PEM.
    #[arg(long, value_name = "ANCHORS.pem")]
    trust: PathBuf,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Write frame.jpg, signature.p7s and manifest.c2pa there, when the file's form allows to tell them apart.
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
    let anchors = fs::read_to_string(&arguments.trust).map_err(|error| named(&arguments.trust, &error))?;
    let anchors = Anchors::from_pem(&anchors).map_err(|error| named(&arguments.trust, &error))?;
    let photo = read(&arguments.photo).map_err(|error| named(&arguments.photo, &error))?;

    let verdict = check(&photo, &anchors, OffsetDateTime::now_utc());
    if let (Some(folder), Some(contents)) = (&arguments.extract, &verdict.contents) {
        extract(folder, contents)?;
    }
    let report = match arguments.json {
        true => serde_json::to_string_pretty(&verdict.report).map_err(|error| error.to_string())? + "\n",
        false => verdict.report.to_string(),
    };
    // The exit status is the verdict also where nobody reads the report to its end.
    let _ = io::stdout().write_all(report.as_bytes());
    Ok(verdict.report.valid)
}

fn extract(folder: &Path, contents: &Contents) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let files =
        [("frame.jpg", &contents.frame), ("signature.p7s", &contents.signature), ("manifest.c2pa", &contents.manifest)];
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|error| named(&path, &error))?;
    }
    Ok(())
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
