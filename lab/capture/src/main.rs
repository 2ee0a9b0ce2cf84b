//! Measures complete captures per second, and per second of the handlers' processor time, compared with a
//! straightforward Python handler. `lab/scripts/bench-capture` runs it.
//!
//! This process runs the clients. Four others take part: the stand-ins for AWS, the functions' handlers behind a small
//! gateway, and two variants of the Python peer, plain and tuned. All handlers use the same tables, buckets and keys.
//! Only the handlers' processor time is compared.

mod accounts;
mod bench;
mod capture;
mod child;
mod contenders;
mod gateway;
mod judge;
mod load;
mod phases;
mod report;
mod servers;

use std::{error::Error, path::PathBuf};

use clap::Parser;

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
    Handlers,
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
        Role::Handlers => servers::handlers().await,
    }
}
