//! `lacre-admin sender …`

use std::path::PathBuf;

use clap::Subcommand;
use lacre_administration::{Error, Senders, StoredSender};
use lacre_api::admin::SenderView;
use lacre_domain::{ClientId, Environment, Sender};

use crate::{
    document::{self, FaultyFile},
    failure::Failure,
    options::environment,
    output::Output,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Set who asks a client's customers for photos in an environment, and what the customers are told.
    #[command(after_help = "\
The file is checked first, and every fault is printed with its path. Open sessions show the new sender, too.

Example:
  lacre-admin sender set --client 0b6e9c2e-… --environment live sender.json")]
    Set {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The file with the sender, as JSON.
        file: PathBuf,
    },
    /// Show the sender of a client's hosted sessions in an environment.
    #[command(after_help = "\
Examples:
  lacre-admin sender show --client 0b6e9c2e-… --environment live
  lacre-admin sender show --client 0b6e9c2e-… --environment live --json | jq .sender")]
    Show {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
    },
}

pub(crate) async fn run(command: Command, senders: &Senders, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Set { client, environment, file } => {
            let (client, json) = (ClientId::parse(&client)?, document::read(&file)?);
            if let Err(faults) = Sender::parse(&json) {
                let faulty = FaultyFile { file: file.display().to_string(), faults };
                output.show(&faulty, &faulty)?;
                return Err(Error::Invalid("the sender is invalid".into()).into());
            }
            show(&senders.set(&client, environment, &json).await?, output)
        }
        Command::Show { client, environment } => {
            show(&senders.read(&ClientId::parse(&client)?, environment).await?, output)
        }
    }
}

fn show(stored: &StoredSender, output: &Output) -> Result<(), Failure> {
    let SenderView { client_id, environment, sha256, set_at, sender } = stored;
    let beside =
        serde_json::json!({ "client_id": client_id, "environment": environment, "sha256": sha256, "set_at": set_at });
    output.show(stored, document::shown(&beside, sender)?)
}
