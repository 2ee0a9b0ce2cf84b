//! `lacre-admin console`: the console's page, served to a browser on this machine.

use std::{
    io::{self, Write},
    net::Ipv4Addr,
    process::{self, Stdio},
    sync::Arc,
    thread,
};

use clap::Args;
use lacre_console::{Console, Settings};
use lacre_http::SystemClock;
use lacre_storage::Connection;
use tokio::net::TcpListener;

use crate::{connect, failure::Failure, options::Options, variables::Variables};

/// Variables that hold the verification page's address: an output of the stack, and the local service's variable.
const VERIFY_URLS: [&str; 2] = ["VERIFY_PAGE_URL", "VERIFY_URL"];

#[derive(Args)]
pub(crate) struct Command {
    /// Listen on this port of 127.0.0.1; 0 selects a free port.
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Print the address without opening a browser.
    #[arg(long)]
    no_browser: bool,
}

/// Serves the page until Ctrl-C.
pub(crate) async fn run(command: Command, options: &Options, connection: &Connection) -> Result<(), Failure> {
    let variables = Variables::of(options)?;
    let config = connection.config();
    let settings = Settings {
        admin_url: connect::admin_url(&variables)?,
        region: config.region.clone(),
        stack_name: config.stack_name.read(),
        verify_url: variables.first(&VERIFY_URLS).map(|(_, url)| url),
        credentials: connect::credentials(options, &variables, connection)?,
        ca_bundle: config.ca_bundle.clone(),
        connection: connection.clone(),
        clock: Arc::new(SystemClock),
    };
    let taken = |error: io::Error| Failure::Stopped(format!("127.0.0.1, port {}: {error}", command.port));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, command.port)).await.map_err(taken)?;
    let console = Console::start(listener, settings).map_err(|error| Failure::Usage(error.to_string()))?;
    let address = console.opening_url();
    writeln!(io::stdout(), "{address}")?;
    io::stdout().flush()?;
    // Standard output contains only the address; instructions go to standard error.
    eprintln!("lacre-admin: open the address in a browser on this machine; it works once. Ctrl-C ends the console.");
    if !command.no_browser {
        open_browser(&address);
    }
    tokio::signal::ctrl_c().await.map_err(|error| Failure::Stopped(format!("Ctrl-C cannot be awaited: {error}")))
}

/// Opens the system's browser. Failure is ignored, because the address was printed.
fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "rundll32"
    } else {
        "xdg-open"
    };
    let before: &[&str] = if cfg!(windows) { &["url.dll,FileProtocolHandler"] } else { &[] };
    let mut command = process::Command::new(program);
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut opener) = command.spawn() {
        // The program may be the browser itself and run for long. Waiting for it in a thread prevents a zombie process.
        thread::spawn(move || opener.wait());
    }
}
