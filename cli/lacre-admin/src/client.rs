//! `lacre-admin client …`

use clap::Subcommand;
use lacre_administration::Clients;
use lacre_domain::ClientId;
use serde_json::json;

use crate::{
    failure::Failure,
    output::{Details, Output, Table, word},
    pages,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create a client.
    #[command(after_help = "Example:\n  lacre-admin client create 'Seguradora Exemplo'")]
    Create {
        /// The name that operators see.
        name: String,
    },
    /// List all clients.
    #[command(after_help = "Example:\n  lacre-admin client list --json | jq -r '.clients[].id'")]
    List,
    /// Suspend a client: its API keys and licenses are refused until it is resumed.
    #[command(after_help = "Example:\n  lacre-admin client suspend 0b6e9c2e-…")]
    Suspend {
        /// The client's id.
        id: String,
    },
    /// Resume a suspended client.
    #[command(after_help = "Example:\n  lacre-admin client resume 0b6e9c2e-…")]
    Resume {
        /// The client's id.
        id: String,
    },
}

pub(crate) async fn run(command: Command, clients: &Clients, output: &Output) -> Result<(), Failure> {
    let client = match command {
        Command::Create { name } => clients.create(&name).await?,
        Command::List => return list(clients, output).await,
        Command::Suspend { id } => clients.suspend(&ClientId::parse(&id)?).await?,
        Command::Resume { id } => clients.resume(&ClientId::parse(&id)?).await?,
    };
    output.show(&client, Details::of(&client))
}

async fn list(clients: &Clients, output: &Output) -> Result<(), Failure> {
    let clients = pages::all(async |page| clients.list("", page).await).await?;
    let mut table = Table::new(["ID", "STATUS", "NAME"]);
    for client in &clients {
        table.row([client.id.to_string(), word(&client.status), client.name.clone()]);
    }
    output.show(&json!({ "clients": clients }), table)
}
