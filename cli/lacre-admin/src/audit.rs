//! `lacre-admin audit`

use clap::Args;
use lacre_administration::AuditLog;
use lacre_api::admin::AuditView;
use lacre_domain::ClientId;
use serde_json::json;

use crate::{
    failure::Failure,
    output::{Output, Table, word},
    pages,
};

#[derive(Args)]
#[command(after_help = "\
Examples:
  lacre-admin audit
  lacre-admin audit --month 2026-11 --limit 1000 --json
  lacre-admin audit --client 0b6e9c2e-…")]
pub(crate) struct Command {
    /// The calendar month in UTC, for example 2026-11 [default: the current one].
    #[arg(long, conflicts_with = "client")]
    month: Option<String>,
    /// Only entries that concern this client, from all months.
    #[arg(long, value_name = "ID")]
    client: Option<String>,
    /// The maximum number of entries to list.
    #[arg(long, default_value_t = 100)]
    limit: usize,
}

pub(crate) async fn run(command: Command, audit: &AuditLog, output: &Output) -> Result<(), Failure> {
    let Command { month, client, limit } = command;
    let entries = match client.map(|id| ClientId::parse(&id)).transpose()? {
        Some(client) => pages::first(limit, async |page| audit.of_client(&client, page).await).await?,
        None => pages::first(limit, async |page| audit.of_month(month.as_deref(), page).await).await?,
    };
    let mut table = Table::new(["AT", "OPERATION", "OUTCOME", "PRINCIPAL", "FROM", "ABOUT"]);
    entries.iter().for_each(|entry| table.row(row(entry)));
    output.show(&json!({ "audit": entries }), table)
}

fn row(entry: &AuditView) -> [String; 6] {
    let client = || entry.client_id.as_ref().map(ToString::to_string);
    [
        entry.at.0.clone(),
        word(&entry.operation),
        word(&entry.outcome),
        // The last part of the ARN, which identifies the principal within the account.
        entry.principal.rsplit(':').next().unwrap_or_default().to_owned(),
        entry.source.clone(),
        entry.subject.clone().or_else(client).unwrap_or_else(|| "-".to_owned()),
    ]
}
