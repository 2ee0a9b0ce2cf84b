//! `lacre-admin`: the operators' command line.

// The documentation of arguments is what --help prints: plain text, not Markdown.
#![allow(rustdoc::bare_urls, rustdoc::invalid_html_tags)]

mod alert;
mod api_key;
mod audit;
mod caller;
mod client;
mod confirmation;
mod connect;
mod console;
mod document;
mod evidence;
mod failure;
mod kit;
mod license;
mod log;
mod options;
mod output;
mod pages;
mod probe;
mod sender;
mod signer;
mod terms;
mod variables;
mod webhook;
mod webhook_secret;

use std::{process::ExitCode, sync::Arc};

use clap::{Parser, Subcommand};
use lacre_administration::{Administration, EvidenceAdministration, LogAdministration, signer::SignerAdministration};
use lacre_http::SystemClock;

use crate::{failure::Failure, options::Options, output::Output, probe::Prober};

/// Administer Lacre: clients, API keys, licenses, kits, senders, webhooks, alerts, evidence and signing keys.
#[derive(Parser)]
#[command(name = "lacre-admin", version, subcommand_required = true, max_term_width = 120, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  lacre-admin --env-file target/local/service.env client list
  scripts/stack-env lacre-production > lacre.env
  lacre-admin --env-file lacre.env --profile operator license show 2f6f3c1e-… --json

Exit codes: 0 done; 1 AWS did not respond, or the command failed; 2 usage; 3 not found; 4 invalid input; 5 refused by the current state.";

#[derive(Subcommand)]
enum Command {
    /// Manage clients, the companies that integrate the service.
    #[command(subcommand)]
    Client(client::Command),
    /// Manage API keys, with which a client's backend creates sessions.
    #[command(subcommand)]
    ApiKey(api_key::Command),
    /// Manage licenses: what a client may capture, on which pages and by which rules.
    #[command(subcommand)]
    License(license::Command),
    /// Check and manage capture kits: what a client's customers are asked to photograph.
    #[command(subcommand)]
    Kit(kit::Command),
    /// Manage senders: who asks a client's customers for photos, and what the customers are told.
    #[command(subcommand)]
    Sender(sender::Command),
    /// Manage the secrets that sign a client's webhooks.
    #[command(subcommand)]
    WebhookSecret(webhook_secret::Command),
    /// List the attempts at a client's webhooks, and redeliver a message.
    #[command(subcommand)]
    Webhook(webhook::Command),
    /// List and acknowledge alerts: volume thresholds, revoked licenses.
    #[command(subcommand)]
    Alert(alert::Command),
    /// Read, compare, restore, withhold and erase the evidence of captures.
    #[command(subcommand)]
    Evidence(evidence::Command),
    /// Audit the transparency log, prove captures from it, and put back what it lacks.
    #[command(subcommand)]
    Log(log::Command),
    /// Manage the keys and certificates that sign each environment's photos.
    #[command(subcommand)]
    Signer(signer::Command),
    /// List what operators did, latest first.
    Audit(audit::Command),
    /// Serve the console to a browser on this machine, until Ctrl-C.
    Console(console::Command),
}

const EVIDENCE_VARIABLES: [&str; 10] = [
    "ACCOUNTS_TABLE",
    "AUDIT_TABLE",
    "EVIDENCE_TABLE",
    "PERSONAL_TABLE",
    "SESSIONS_TABLE",
    "FRAMES_TABLE",
    "PROOFS_BUCKET",
    "EXPORT_BUCKET",
    "PRINTS_TABLE",
    "PRINTS_KEY_ARN",
];

const LOG_VARIABLES: [&str; 9] = [
    "ACCOUNTS_TABLE",
    "AUDIT_TABLE",
    "EVIDENCE_TABLE",
    "PERSONAL_TABLE",
    "EXPORT_BUCKET",
    "LOG_TABLE",
    "LOG_BUCKET",
    "LOG_KEY_ARN",
    "LOG_ORIGIN",
];

impl Command {
    /// Variables that the command requires.
    fn needs(&self) -> &'static [&'static str] {
        match self {
            Self::Evidence(_) => &EVIDENCE_VARIABLES,
            Self::Log(_) => &LOG_VARIABLES,
            Self::License(command) if command.reads_evidence() => &["ACCOUNTS_TABLE", "AUDIT_TABLE", "EVIDENCE_TABLE"],
            Self::WebhookSecret(_) => &["ACCOUNTS_TABLE", "AUDIT_TABLE", "WEBHOOKS_KEY_ARN"],
            Self::Webhook(_) => &["ACCOUNTS_TABLE", "AUDIT_TABLE", "WEBHOOKS_TABLE"],
            Self::Console(_) => &["ACCOUNTS_TABLE", "ADMIN_URL"],
            _ => &["ACCOUNTS_TABLE", "AUDIT_TABLE"],
        }
    }

    /// Whether the command only reads, so that no audit entry needs the operator's name.
    fn only_reads(&self) -> bool {
        match self {
            Self::Client(command) => matches!(command, client::Command::List),
            Self::ApiKey(command) => matches!(command, api_key::Command::List { .. }),
            Self::License(command) => command.only_reads(),
            Self::Kit(command) => command.only_reads(),
            Self::Sender(command) => matches!(command, sender::Command::Show { .. }),
            Self::WebhookSecret(command) => matches!(command, webhook_secret::Command::List { .. }),
            Self::Webhook(command) => matches!(command, webhook::Command::List { .. }),
            Self::Alert(command) => matches!(command, alert::Command::List { .. }),
            Self::Evidence(command) => command.only_reads(),
            Self::Log(command) => command.only_reads(),
            Self::Signer(command) => command.only_reads(),
            Self::Audit(_) | Self::Console(_) => true,
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

async fn run(Arguments { options, command }: Arguments) -> Result<(), Failure> {
    let output = Output::new(options.json);
    // The only command that needs no deployment.
    if let Command::Kit(kit::Command::Check { files }) = &command {
        return kit::check(files, &output);
    }
    let connection = connect::connect(&options, command.needs()).await?;
    let caller = caller::of(&connection, command.only_reads()).await?;
    let admin = Administration::new(&connection, Arc::new(SystemClock), caller.clone());
    match command {
        Command::Client(command) => client::run(command, &admin.clients, &output).await,
        Command::ApiKey(command) => api_key::run(command, &admin.api_keys, &output).await,
        Command::License(command) => license::run(command, &admin, &output).await,
        Command::Kit(command) => kit::run(command, &admin.kits, &output).await,
        Command::Sender(command) => sender::run(command, &admin.senders, &output).await,
        Command::WebhookSecret(command) => webhook_secret::run(command, &admin.webhooks, &output).await,
        Command::Webhook(command) => webhook::run(command, &admin.webhooks, &output).await,
        Command::Alert(command) => alert::run(command, &admin.alerts, &output).await,
        Command::Evidence(command) => {
            let admin = EvidenceAdministration::new(&connection, Arc::new(SystemClock), caller);
            evidence::run(command, &admin, &output).await
        }
        Command::Log(command) => {
            let admin = LogAdministration::new(&connection, Arc::new(SystemClock), caller);
            log::run(command, &admin, &output).await
        }
        Command::Signer(command) => {
            let signer = SignerAdministration::new(&connection, Arc::new(SystemClock), caller);
            let prober = Prober { options: &options, connection: &connection };
            signer::run(command, &signer, &prober, &output).await
        }
        Command::Audit(command) => audit::run(command, &admin.audit, &output).await,
        Command::Console(command) => console::run(command, &options, &connection).await,
    }
}
