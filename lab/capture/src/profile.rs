//! Counts the instructions of an ingest with callgrind, because counts repeat where times do not.
//!
//! The handlers run under valgrind, which instruments them from before each ingest until its upload is deleted: neither
//! the start nor the other steps of a capture count. The page asks for the manifest alone, as the component does. The
//! license's recapture gate is on, and it retains photos.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use lacre_domain::FrameHash;
use lacre_storage::{ReadObjectError, Uploads};
use serde_json::Value;

use crate::{
    Failure,
    accounts::{Accounts, connection},
    capture::{Client, Clock, fresh, ok, text},
    child::Child,
    instructions::Profile,
    report,
};

/// Number of ingests that are counted for each photo.
const INGESTS: u32 = 4;
/// Number of captures before them, so that connections are open and signers are ready.
const WARM_UP: usize = 2;
/// How often the bucket is asked whether an upload is deleted.
const POLL: Duration = Duration::from_millis(20);

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder for callgrind's files, one for each photo.
    #[arg(long)]
    to: PathBuf,
    /// Photos, each with a name of its own.
    #[arg(required = true)]
    photos: Vec<PathBuf>,
}

/// Counts the ingests of each photo and prints the results.
pub(crate) async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stand_ins = Child::start(Command::new(std::env::current_exe()?).arg("stand-ins"), &[])?;
    let accounts = Accounts::new(stand_ins.variables()).await?;
    let mut profiles = Vec::new();
    for photo in &arguments.photos {
        let name = photo.file_stem().ok_or("a photo without a name")?.to_string_lossy();
        let file = arguments.to.join(format!("{name}.callgrind"));
        count(&std::fs::read(photo)?, &file, &accounts, &stand_ins).await?;
        profiles.push((name.into_owned(), Profile::read(&std::fs::read_to_string(file)?)?));
    }
    report::instructions(&profiles, INGESTS);
    Ok(())
}

/// Ingests copies of a photo, and writes their instructions to a file.
async fn count(photo: &[u8], file: &Path, accounts: &Accounts, stand_ins: &Child) -> Result<(), Failure> {
    let handlers = Child::start(&mut under_callgrind(file)?, &[stand_ins.variables(), &path()?].concat())?;
    let base_url = handlers.variable("BASE_URL")?.to_owned();
    let client = Client { http: reqwest::Client::new(), base_url, license_key: accounts.with_gate_and_storage.clone() };
    let uploads = Uploads::new(&connection(stand_ins.variables())?);
    let api_keys = accounts.api_keys(WARM_UP + INGESTS as usize).await?;
    let (first, counted) = api_keys.split_at(WARM_UP);
    for api_key in first {
        client.capture(api_key, fresh(photo)).await?;
    }
    handlers.take_metrics();
    for api_key in &counted[..INGESTS as usize] {
        let frame = fresh(photo);
        let hash = FrameHash::of(&frame).hex();
        let submission = client.upload(api_key, frame, &hash, &mut Clock::start()).await?.submission;
        let ingest = client.ingest(&submission).header("x-svc-photo", "manifest");
        instrument(&handlers, "--instr=on")?;
        ok(ingest).await?;
        wait_until_deleted(&uploads, text(&submission, "image_key")?).await?;
        instrument(&handlers, "--instr=off")?;
    }
    let lines = handlers.take_metrics();
    let was_retried = |line: &Value| line["AwsRetries"].as_f64() != Some(0.0);
    if lines.iter().filter_map(|line| serde_json::from_str(line).ok()).any(|line| was_retried(&line)) {
        return Err("a call to AWS was retried, which counted it twice".into());
    }
    Ok(())
}

/// The handlers under callgrind, without instrumentation at first. They are slower by a factor of 50 later, so their
/// calls have more time.
fn under_callgrind(file: &Path) -> Result<Command, Failure> {
    let mut valgrind = Command::new("/usr/bin/env");
    valgrind.args(["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no"]);
    // So that each line of the file has whole names and positions.
    valgrind.args(["--compress-strings=no", "--compress-pos=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", file.display()));
    valgrind.arg(std::env::current_exe()?).args(["handlers", "--relaxed"]);
    Ok(valgrind)
}

/// Switches the instrumentation of the handlers.
fn instrument(handlers: &Child, switch: &str) -> Result<(), Failure> {
    let mut control = Command::new("/usr/bin/env");
    control.args(["callgrind_control", switch, &handlers.id().to_string()]);
    // Valgrind's pipes are named after the user, whom neither process knows.
    control.env_clear().envs(path()?).stdout(Stdio::null()).stderr(Stdio::null());
    if control.status()?.success() { Ok(()) } else { Err("callgrind does not respond".into()) }
}

/// The variable by which valgrind and its tools are found.
fn path() -> Result<[(String, String); 1], Failure> {
    Ok([("PATH".to_owned(), std::env::var("PATH")?)])
}

/// Waits for the last work of an ingest, which goes on after its response.
async fn wait_until_deleted(uploads: &Uploads, key: &str) -> Result<(), Failure> {
    loop {
        match uploads.read(key).await {
            Ok(_) => tokio::time::sleep(POLL).await,
            Err(ReadObjectError::NotFound) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
