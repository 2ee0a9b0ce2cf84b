//! `lacre-admin api-key …`

use clap::Subcommand;
use lacre_administration::ApiKeys;
use lacre_api::admin::KeySuffix;
use lacre_domain::{ClientId, Environment, KeyId};
use serde_json::json;

use crate::{
    failure::Failure,
    options::environment,
    output::{Details, IssuedKey, Output, Table, word},
    pages,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Issue an API key, and print it once.
    #[command(
        after_help = "Example:\n  lacre-admin api-key issue --client 0b6e9c2e-… --environment sand --name 'first backend'"
    )]
    Issue {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// The name that operators see.
        #[arg(long)]
        name: String,
    },
    /// List a client's API keys by id, oldest first.
    #[command(after_help = "Example:\n  lacre-admin api-key list --client 0b6e9c2e-…")]
    List {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
    },
    /// Revoke an API key permanently. Its sessions remain valid.
    #[command(after_help = "Example:\n  lacre-admin api-key revoke --client 0b6e9c2e-… 4c1f0a9b7d3e5f62")]
    Revoke {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The key's id, from `api-key list`.
        key_id: String,
    },
}

pub(crate) async fn run(command: Command, api_keys: &ApiKeys, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Issue { client, environment, name } => {
            let issued = api_keys.issue(&ClientId::parse(&client)?, environment, &name).await?;
            output.show(&issued, IssuedKey { key: &issued.api_key, details: Details::of(&issued.view) })
        }
        Command::List { client } => list(&ClientId::parse(&client)?, api_keys, output).await,
        Command::Revoke { client, key_id } => {
            let id = KeyId::parse(&key_id)?;
            let revoked = api_keys.revoke(&ClientId::parse(&client)?, &id).await?;
            output.show(&revoked, Details::of(&revoked))
        }
    }
}

async fn list(client: &ClientId, api_keys: &ApiKeys, output: &Output) -> Result<(), Failure> {
    let keys = pages::all(async |page| api_keys.list(client, page).await).await?;
    let mut table = Table::new(["ID", "ENVIRONMENT", "STATUS", "ISSUED", "KEY", "NAME"]);
    for key in &keys {
        let (environment, status) = (word(&key.environment), word(&key.status));
        let known =
            format!("{}…{}", key.key_prefix, key.key_suffix.as_ref().map(KeySuffix::as_str).unwrap_or_default());
        table.row([key.id.0.clone(), environment, status, key.issued_at.0.clone(), known, key.name.clone()]);
    }
    output.show(&json!({ "api_keys": keys }), table)
}
