//! `lacre-admin cell …`

use std::sync::Arc;

use administration::{Cell, find_client};
use clap::Subcommand;
use domain::ClientId;
use lacre_http::SystemClock;
use serde_json::json;

use crate::{
    caller,
    cells::{self, CellEntry},
    connect,
    failure::Failure,
    options::Options,
    output::{Details, Output, Table, word},
};

/// The variables of each cell without which the commands cannot work.
const NEEDS: [&str; 2] = ["ACCOUNTS_TABLE", "AUDIT_TABLE"];

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the cells of the file.
    #[command(after_help = "Example:\n  lacre-admin --cells cells.json cell list")]
    List,
    /// Find the cell of a client. All cells are asked.
    #[command(after_help = "Examples:
  lacre-admin --cells cells.json cell find 'Seguradora'
  lacre-admin --cells cells.json cell find \"$(printf %s \"$API_KEY\" | sha256sum | cut -c 1-64)\"")]
    Find {
        /// The client's id or the beginning of its name; a license's id; 8 or more characters of the hash of a license
        /// key; or all 64 of an API key's.
        what: String,
    },
    /// Copy a client to another cell, with its keys, licenses and counts. Both cells accept its keys from then on.
    #[command(after_help = "Example:\n  lacre-admin --cells cells.json cell move 0b6e9c2e-… --from br-1 --to br-2")]
    Move {
        /// The client's id.
        client: String,
        /// The cell that it leaves.
        #[arg(long, value_name = "NAME")]
        from: String,
        /// The cell that it goes to.
        #[arg(long, value_name = "NAME")]
        to: String,
    },
    /// Close a client in the cell that it left: revoke its API keys there, and count in the other cell what was captured.
    #[command(after_help = "Example:\n  lacre-admin --cells cells.json cell close 0b6e9c2e-… --in br-1 --now-in br-2")]
    Close {
        /// The client's id.
        client: String,
        /// The cell that it left.
        #[arg(long = "in", value_name = "NAME")]
        closed_in: String,
        /// The cell that it is in now.
        #[arg(long, value_name = "NAME")]
        now_in: String,
    },
}

pub(crate) async fn run(command: Command, options: &Options, output: &Output) -> Result<(), Failure> {
    if options.cell.is_some() || options.env_file.is_some() {
        return Err(Failure::Usage(
            "cell commands name their cells themselves: leave out --cell and --env-file".into(),
        ));
    }
    let cells = cells::read(options)?;
    match command {
        Command::List => list(&cells, output),
        Command::Find { what } => find(&cells, &what, options, output).await,
        Command::Move { client, from, to } => {
            let (from, to) = (cells::named(&cells, &from)?, cells::named(&cells, &to)?);
            let (from, to) = (open(from, options, false).await?, open(to, options, false).await?);
            let moved = from.move_client(&ClientId(client), &to).await?;
            output.show(&moved, Details::of(&moved))
        }
        Command::Close { client, closed_in, now_in } => {
            let (left, now_in) = (cells::named(&cells, &closed_in)?, cells::named(&cells, &now_in)?);
            let (left, now_in) = (open(left, options, false).await?, open(now_in, options, false).await?);
            let closed = left.close_client(&ClientId(client), &now_in).await?;
            output.show(&closed, Details::of(&closed))
        }
    }
}

async fn open(cell: &CellEntry, options: &Options, only_reads: bool) -> Result<Cell, Failure> {
    let connection = connect::connect(&cell.options(options), &NEEDS).await?;
    let caller = caller::of(&connection, only_reads).await?;
    Ok(Cell::new(&cell.name, &connection, Arc::new(SystemClock), caller))
}

fn list(cells: &[CellEntry], output: &Output) -> Result<(), Failure> {
    let mut table = Table::new(["CELL", "REGION", "PROFILE", "ENV FILE"]);
    for cell in cells {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        let file = cell.env_file.display().to_string();
        table.row([cell.name.clone(), or_none(&cell.region), or_none(&cell.profile), file]);
    }
    output.show(&json!({ "cells": cells }), table)
}

async fn find(entries: &[CellEntry], what: &str, options: &Options, output: &Output) -> Result<(), Failure> {
    let mut cells = Vec::with_capacity(entries.len());
    for entry in entries {
        cells.push(open(entry, options, true).await?);
    }
    let (mut clients, mut failed) = (Vec::new(), Vec::new());
    for (cell, found) in cells.iter().zip(find_client(&cells, what).await) {
        match found {
            Ok(found) => clients.extend(found),
            Err(error) => failed.push(format!("{}: {error}", cell.name())),
        }
    }
    let mut table = Table::new(["CELL", "ID", "STATUS", "MOVED", "NAME"]);
    for found in &clients {
        let moved = match (&found.moved_to, &found.moved_from) {
            (Some(to), _) if found.closed => format!("closed, in {to}"),
            (Some(to), _) => format!("to {to}"),
            (None, Some(from)) => format!("from {from}"),
            (None, None) => "-".into(),
        };
        let client = &found.client;
        table.row([found.cell.clone(), client.id.to_string(), word(&client.status), moved, client.name.clone()]);
    }
    output.show(&json!({ "clients": clients, "failed": failed }), table)?;
    // What the other cells have was shown.
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::Stopped(failed.join("; "))),
    }
}
