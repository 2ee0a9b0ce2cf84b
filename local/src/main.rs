//! `cargo run -p local`: the whole service on this machine, until Ctrl-C.

use std::{
    fmt::Write as _,
    io,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
};

use clap::Parser;
use local::{Aws, ExternalAws, Options, Service, Storage};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// The log filter, unless `RUST_LOG` is set.
const LEVELS: &str = "warn,local=info,lacre_http=info,admin=info,alerts=info";

/// Serves Lacre on this machine, with stand-ins for AWS and a sandbox account.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Starts empty: removes the data directory first.
    #[arg(long)]
    fresh: bool,
    /// Where to listen: for containers, the address of their bridge. Whoever reaches it may use the stand-ins' keys.
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST.into())]
    address: IpAddr,
    /// The port of the base gateway; the license gateway takes the next one, the demo page the second, the admin API the
    /// third, the timestamp authority the fourth, DynamoDB, S3, KMS and SNS the fifth to the eighth, the hosted flow the ninth,
    /// the verification page the tenth, STS the eleventh, the console the twelfth, the transparency log the thirteenth after it. 0 takes free ports.
    #[arg(long, default_value_t = 8700)]
    port: u16,
    /// Where the data is kept [default: target/local/data of the workspace].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where the URLs and keys are written to [default: target/local/service.env of the workspace].
    #[arg(long, value_name = "FILE")]
    env: Option<PathBuf>,
    /// Prints them too, once the service runs.
    #[arg(long)]
    keys: bool,
}

#[tokio::main]
async fn main() -> std::process::ExitCode {
    match serve(Arguments::parse()).await {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("local: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let levels = std::env::var("RUST_LOG").unwrap_or_else(|_| LEVELS.to_owned()).parse::<Targets>()?;
    tracing_subscriber::registry().with(fmt::layer().with_writer(io::stderr)).with(levels).init();
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);

    let data = arguments.data.unwrap_or_else(|| output_directory().join("data"));
    let env_file = arguments.env.unwrap_or_else(|| output_directory().join("service.env"));
    // Another AWS for the tests of the functions' binaries; everyone else gets the stand-ins.
    let aws = ExternalAws::from_env().map_or_else(|| Aws::StandIns(Storage::Directory(data.clone())), Aws::External);
    let Arguments { fresh, address, port, .. } = arguments;
    let options = Options { aws, fresh, address, port, follows_streams: true, ..Options::default() };
    let service = Service::start(options).await?;

    std::fs::create_dir_all(&data)?;
    let anchors = std::path::absolute(data.join("trust-anchors.pem"))?;
    std::fs::write(&anchors, service.trust_anchors_pem())?;
    let mut variables = service.variables();
    variables.push(("TRUST_ANCHORS".to_owned(), anchors.display().to_string()));
    write_env(&env_file, &variables)?;
    println!("Open {} and take a photo: the page is an integrator's.\n", service.demo_url());
    println!("The console of operators is at {} (the link works once),", service.console_url());
    println!("the verification page at {}.", service.verify_url());
    println!("Keys and other addresses are in {}; --keys prints them.", env_file.display());
    if arguments.keys {
        println!();
        for (name, value) in &variables {
            println!("{name:25} {value}");
        }
    }
    println!("READY");

    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

/// `target/local` of the workspace, also when cargo builds elsewhere.
fn output_directory() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    workspace.join("target/local")
}

/// KEY=value lines that a shell can read.
fn write_env(path: &Path, variables: &[(String, String)]) -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    for (name, value) in variables {
        let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:".contains(&byte));
        match plain {
            true => writeln!(text, "{name}={value}")?,
            false => writeln!(text, "{name}='{}'", value.replace('\'', r"'\''"))?,
        }
    }
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    Ok(std::fs::write(path, text)?)
}
