//! Measures complete captures per second, and per second of the handlers' processor time, compared with a
//! straightforward Python handler. `lab/scripts/bench-capture` runs it.
//!
//! This process runs the clients. Four others take part: the stand-ins for AWS, the functions' handlers behind a small
//! gateway, and two variants of the Python peer, plain and tuned. All handlers use the same tables, buckets and keys.
//! Only the handlers' processor time is compared.
//!
//! `dossiers` measures the time and memory of a dossier instead; `lab/scripts/bench-dossiers` runs it.
//!
//! `profile` counts the instructions of an ingest instead; `lab/scripts/profile-ingest` runs it.

mod accounts;
mod bench;
mod capture;
mod child;
mod contenders;
mod dossiers;
mod gateway;
mod instructions;
mod judge;
mod load;
mod phases;
mod profile;
mod report;
mod servers;
mod staple;

use std::{error::Error, path::PathBuf};

use clap::Parser;
use lacre_storage::TimeBudgets;

/// The error that ends the benchmark.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// Runs the benchmark, or one of the processes that it starts.
#[derive(Parser)]
enum Role {
    /// Run the measurements and print tables.
    Run(Arguments),
    /// Serve the stand-ins until the input ends.
    StandIns,
    /// Serve the handlers until the input ends.
    Handlers {
        /// Give calls the time that they need under a profiler.
        #[arg(long)]
        relaxed: bool,
    },
    /// Measure what dossiers take and print a table.
    Dossiers(dossiers::Arguments),
    /// Count the instructions of ingests and print tables.
    Profile(profile::Arguments),
}

#[derive(clap::Args)]
struct Arguments {
    /// The peer's Python environment.
    #[arg(long)]
    python: PathBuf,
    /// The peer's source.
    #[arg(long)]
    peer: PathBuf,
    /// Numbers of clients.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32])]
    clients: Vec<usize>,
    /// The minimum duration of each measurement, in seconds.
    #[arg(long, default_value_t = 8)]
    seconds: u64,
    /// The number of rounds.
    #[arg(long, default_value_t = 2)]
    rounds: u32,
    /// Photos, used in turn.
    #[arg(required = true)]
    photos: Vec<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    match Role::parse() {
        Role::Run(arguments) => bench::run(&arguments).await,
        Role::StandIns => servers::stand_ins().await,
        Role::Handlers { relaxed: false } => servers::handlers(TimeBudgets::PRODUCTION).await,
        Role::Handlers { relaxed: true } => servers::handlers(TimeBudgets::RELAXED).await,
        Role::Dossiers(arguments) => dossiers::run(&arguments).await,
        Role::Profile(arguments) => profile::run(&arguments).await,
    }
}
