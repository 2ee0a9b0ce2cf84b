//! `lacre-admin api-key …`

use administration::Administration;
use clap::Subcommand;
use domain::{ClientId, Environment};
use serde_json::json;

use crate::{
    failure::Failure,
    options::environment,
    output::{Details, IssuedKey, Output, Table, word},
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Issues an API key, and prints it this once.
    #[command(
        after_help = "Example:\n  lacre-admin api-key issue --client 0b6e9c2e-… --environment sand --name 'first backend'"
    )]
    Issue {
        /// The client that it is for.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment that it is for: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// What to call it, for people.
        #[arg(long)]
        name: String,
    },
    /// Lists a client's API keys, the oldest first. Never the keys themselves.
    #[command(after_help = "Example:\n  lacre-admin api-key list --client 0b6e9c2e-…")]
    List {
        /// The client.
        #[arg(long, value_name = "ID")]
        client: String,
    },
    /// Revokes an API key permanently. Sessions that it created go on.
    #[command(after_help = "Example:\n  lacre-admin api-key revoke --client 0b6e9c2e-… 4c1f0a9b7d3e5f62")]
    Revoke {
        /// The client.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The key's id, as `api-key list` prints it.
        key_id: String,
    },
}

pub(crate) async fn run(command: Command, admin: &Administration, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Issue { client, environment, name } => {
            let issued = admin.issue_api_key(&ClientId(client), environment, &name).await?;
            output.show(&issued, IssuedKey { key: &issued.api_key, details: Details::of(&issued.view) })
        }
        Command::List { client } => list(&ClientId(client), admin, output).await,
        Command::Revoke { client, key_id } => {
            let revoked = admin.revoke_api_key(&ClientId(client), &key_id).await?;
            output.show(&revoked, Details::of(&revoked))
        }
    }
}

async fn list(client: &ClientId, admin: &Administration, output: &Output) -> Result<(), Failure> {
    let keys = admin.api_keys(client).await?;
    let mut table = Table::new(["ID", "ENVIRONMENT", "STATUS", "ISSUED", "NAME"]);
    for key in &keys {
        let (environment, status) = (word(&key.environment), word(&key.status));
        table.row([key.id.clone(), environment, status, key.issued_at.clone(), key.name.clone()]);
    }
    output.show(&json!({ "api_keys": keys }), table)
}
