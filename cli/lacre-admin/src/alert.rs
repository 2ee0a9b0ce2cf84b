//! `lacre-admin alert …`

use clap::Subcommand;
use lacre_administration::{AlertFilter, RaisedAlerts};
use lacre_api::admin::AlertView;
use lacre_domain::{ClientId, LicenseId};
use serde_json::json;

use crate::{
    failure::Failure,
    output::{Details, Output, Table},
    pages,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List alerts in the order in which they were raised [default: the current month in UTC].
    #[command(after_help = "\
Examples:
  lacre-admin alert list
  lacre-admin alert list --client 0b6e9c2e-… --month 2026-11
  lacre-admin alert list --license 2f6f3c1e-… --json | jq '.alerts[] | select(.published_at == null)'")]
    List {
        /// Only alerts of this license, from all months.
        #[arg(long, value_name = "ID")]
        license: Option<String>,
        /// Only alerts of this client, from all months.
        #[arg(long, value_name = "ID")]
        client: Option<String>,
        /// Only alerts of this calendar month in UTC, for example 2026-11.
        #[arg(long, conflicts_with = "open")]
        month: Option<String>,
        /// Only alerts that nobody has acknowledged, latest first, from all months.
        #[arg(long, conflicts_with_all = ["license", "client"])]
        open: bool,
    },
    /// Acknowledge an alert, so that it no longer counts as open.
    #[command(after_help = "Example:\n  lacre-admin alert acknowledge 2f6f3c1e-… 2026-11 VOLUME_90")]
    Acknowledge {
        /// The license's id.
        license: String,
        /// The alert's month.
        month: String,
        /// The alert: VOLUME_70, VOLUME_90, VOLUME_100 or REVOKED.
        alert: String,
    },
}

pub(crate) async fn run(command: Command, raised: &RaisedAlerts, output: &Output) -> Result<(), Failure> {
    let (license, client, month) = match command {
        Command::List { open: true, .. } => {
            let alerts = pages::all(async |page| raised.open(page).await).await?;
            return output.show(&json!({ "alerts": alerts }), table(&alerts));
        }
        Command::List { license, client, month, open: false } => (license, client, month),
        Command::Acknowledge { license, month, alert } => {
            let acknowledged = raised.acknowledge(&LicenseId::parse(&license)?, &month, &alert).await?;
            return output.show(&acknowledged, Details::of(&acknowledged));
        }
    };
    let license = license.map(|id| LicenseId::parse(&id)).transpose()?;
    let client = client.map(|id| ClientId::parse(&id)).transpose()?;
    let filter = AlertFilter { license, client, month };
    let alerts = raised.list(&filter).await?;
    output.show(&json!({ "alerts": alerts }), table(&alerts))
}

/// A table of alerts for people.
pub(crate) fn table(alerts: &[AlertView]) -> Table {
    let mut table = Table::new(["RAISED", "ALERT", "USED", "LIMIT", "MONTH", "PUBLISHED", "LICENSE"]);
    let figure = |figure: Option<u64>| figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string());
    for alert in alerts {
        table.row([
            alert.raised_at.0.clone(),
            alert.alert.name().to_owned(),
            figure(alert.captures_used),
            figure(alert.volume_limit),
            alert.month.0.clone(),
            alert.published_at.as_ref().map_or_else(|| "not yet".to_owned(), |at| at.0.clone()),
            alert.license_id.to_string(),
        ]);
    }
    table
}
