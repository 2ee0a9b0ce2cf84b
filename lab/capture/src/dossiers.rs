//! Time and memory of the function that makes dossiers, by the number of their photos.
//!
//! Each dossier is made by a process that has made none, as after a cold start. The photos have no log proofs, because no
//! schedule of the log runs; and the seal has no timestamp.

use std::{
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    Failure,
    accounts::Accounts,
    capture::{Client, REFERENCE, fresh, ok},
    child::Child,
    report,
};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Numbers of photos, in ascending order.
    #[arg(long, value_delimiter = ',', default_values_t = [3, 20, 100])]
    numbers: Vec<usize>,
    /// The photo of which each is a copy with a hash of its own.
    photo: PathBuf,
}

/// What making a dossier took.
pub(crate) struct Made {
    /// Number of photos.
    pub(crate) photos: usize,
    /// The size of the archive.
    pub(crate) bytes: u64,
    /// The duration of the request.
    pub(crate) time: Duration,
    /// Processor time of the function.
    pub(crate) processor: Duration,
    /// The most memory that the process had.
    pub(crate) memory: u64,
}

/// Makes dossiers of these numbers of photos and prints the results.
pub(crate) async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let photo = std::fs::read(&arguments.photo)?;
    let program = std::env::current_exe()?;
    let stand_ins = Child::start(Command::new(&program).arg("stand-ins"), &[])?;
    let accounts = Accounts::new(stand_ins.variables()).await?;
    let (mut captured, mut made) = (0, Vec::new());
    for &photos in &arguments.numbers {
        let wanted = photos.saturating_sub(captured);
        let keys = accounts.api_keys(wanted.max(1)).await?;
        let start = || Child::start(Command::new(&program).arg("handlers"), stand_ins.variables());
        let handlers = start()?;
        let client = client(&handlers, &accounts)?;
        for key in keys.iter().take(wanted) {
            client.capture(key, fresh(&photo)).await?;
        }
        captured = captured.max(photos);
        drop(handlers);
        made.push(make(&start()?, &keys[0], &accounts).await?);
    }
    report::dossiers(photo.len(), &made);
    Ok(())
}

fn client(handlers: &Child, accounts: &Accounts) -> Result<Client, Failure> {
    let (http, base_url) = (reqwest::Client::new(), handlers.variable("BASE_URL")?.to_owned());
    Ok(Client { http, base_url, license_key: accounts.with_gate_and_storage.clone() })
}

async fn make(handlers: &Child, api_key: &str, accounts: &Accounts) -> Result<Made, Failure> {
    let Client { http, base_url, .. } = client(handlers, accounts)?;
    let request = http.post(format!("{base_url}/dossiers")).bearer_auth(api_key);
    let (before, begun) = (handlers.processor_time()?, Instant::now());
    let made: Value = ok(request.json(&json!({ "reference_id": REFERENCE }))).await?;
    let (time, processor) = (begun.elapsed(), handlers.processor_time()?.saturating_sub(before));
    let number = |name: &str| made[name].as_u64().ok_or_else(|| format!("no {name}"));
    let photos = usize::try_from(number("photos")?)?;
    Ok(Made { photos, bytes: number("bytes")?, time, processor, memory: handlers.peak_memory()? })
}
