//! `cargo run -p local`: runs the whole service on this machine until Ctrl-C.

use std::{
    fmt::Write as _,
    io,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
};

use clap::Parser;
use lacre_domain::Origin;
use local::{Aws, ExternalAws, Options, Public, ServerName, Service, Storage, TRUST_STEPS, Trust};
use qrcode::{QrCode, render::unicode::Dense1x2};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// Log filter if `RUST_LOG` is not set.
const LEVELS: &str = "warn,local=info,lacre_http=info,admin=info,alerts=info";

/// Run Lacre on this machine, with stand-ins for AWS and a sandbox account.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Remove the data directory first, to start empty.
    #[arg(long)]
    fresh: bool,
    /// Address to listen on. Containers need the address of their bridge. Anyone who can reach it can use the
    /// stand-ins' keys.
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST.into())]
    address: IpAddr,
    /// The port of the base gateway; the license gateway takes the next one, the demo page the second, the admin API the
    /// third, the timestamp authority the fourth, DynamoDB, S3, KMS and SNS the fifth to the eighth, the hosted flow the ninth,
    /// the verification page the tenth, STS the eleventh, the console the twelfth, the transparency log the thirteenth, the
    /// port for phones the fourteenth, the certificate for phones the fifteenth after it. 0 takes free ports.
    #[arg(long, default_value_t = 8700)]
    port: u16,
    /// Also serve the demo page, the component, both flows and uploads on one more port of this machine, for a tunnel
    /// with this address: `https://NAME`. For an Android phone on a USB cable, use `http://localhost:8714` and `adb
    /// reverse tcp:8714 tcp:8714`. Strangers who find the address can take photos here, but reach nothing else.
    #[arg(long, value_name = "URL", value_parser = public_origin, conflicts_with = "https")]
    public: Option<Origin>,
    /// Serve the same over HTTPS on the local network, under this machine's address or name, with a certificate
    /// authority that the phone must trust. Without HOST, the address of the default network interface is used.
    #[arg(long, value_name = "HOST", value_parser = host, num_args = 0..=1)]
    https: Option<Option<ServerName>>,
    /// Data directory [default: target/local/data of the workspace].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// File for the addresses and keys [default: target/local/service.env of the workspace].
    #[arg(long, value_name = "FILE")]
    env: Option<PathBuf>,
    /// Also print the addresses and keys once the service runs.
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
    // Tests of the functions' binaries use another AWS implementation; otherwise the stand-ins are used.
    let aws = ExternalAws::from_env().map_or_else(|| Aws::StandIns(Storage::Directory(data.clone())), Aws::External);
    let Arguments { fresh, address, port, .. } = arguments;
    let public = match (arguments.public, arguments.https) {
        (Some(origin), _) => Some(Public::Proxied(origin)),
        (None, Some(host)) => Some(Public::Https { host, directory: output_directory().join("https") }),
        (None, None) => None,
    };
    let options = Options { aws, fresh, address, port, public, follows_streams: true, ..Options::default() };
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
    if let Some(url) = service.public_url() {
        print!("{}", for_phones(&service, &url)?);
    }
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

/// Instructions for opening the demo page on a phone.
fn for_phones(service: &Service, url: &str) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    match (service.trust(), service.tunnel_target()) {
        (Some(Trust { url, fingerprint }), _) => {
            writeln!(
                text,
                "\nOn your phone, in the same network: once, trust this machine's authority.\n{}",
                code(url)?
            )?;
            writeln!(text, "{url}\nSHA-256 {fingerprint}")?;
            for (phone, steps) in TRUST_STEPS {
                writeln!(text, "{phone}: {steps}")?;
            }
            writeln!(text, "\nThen open the demo page.")?;
        }
        (None, Some(target)) => match (port_of(url), port_of(&target)) {
            (Some(on_phone), Some(port)) if url.starts_with("http:") => {
                writeln!(
                    text,
                    "\nOn an Android phone on a USB cable: adb reverse tcp:{on_phone} tcp:{port}, and open the demo page."
                )?;
            }
            _ => writeln!(text, "\nOn your phone: let the tunnel lead to {target}, and open the demo page.")?,
        },
        (None, None) => {}
    }
    writeln!(
        text,
        "{}{url}\nWhoever knows the address can take photos here; end the service when you are done.\n",
        code(url)?
    )?;
    Ok(text)
}

/// The port of a URL.
fn port_of(url: &str) -> Option<u16> {
    url.split(['/', ':']).nth(4)?.parse().ok()
}

/// Renders a QR code as terminal text.
fn code(text: &str) -> Result<String, Box<dyn std::error::Error>> {
    let code = QrCode::new(text)?.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
    // The escape sequence sets black on white whatever the terminal's colors are.
    Ok(code.lines().map(|line| format!("\x1b[97;40m{line}\x1b[0m\n")).collect())
}

/// Parses the origin of a tunnel. Browsers allow the camera only on `https` pages and on localhost.
fn public_origin(text: &str) -> Result<Origin, String> {
    let is_of_machine = text.starts_with("http://localhost:") || text.starts_with("http://127.0.0.1:");
    let origin = Origin::parse(text.strip_suffix('/').unwrap_or(text));
    origin.filter(|_| is_of_machine || text.starts_with("https://")).ok_or_else(|| {
        "must be https://NAME without a path, or http://localhost:PORT: browsers open the camera on no other page"
            .to_owned()
    })
}

/// Parses this machine's address or name on the local network.
fn host(text: &str) -> Result<ServerName, String> {
    ServerName::parse(text).ok_or_else(|| {
        "must be a private IPv4 address, or a name that ends in .local, .lan, .internal or .home.arpa".to_owned()
    })
}

/// `target/local` of the workspace, even if cargo's target directory is elsewhere.
fn output_directory() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    workspace.join("target/local")
}

/// Writes `KEY=value` lines in shell syntax.
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
