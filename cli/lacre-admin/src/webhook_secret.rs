//! `lacre-admin webhook-secret …`

use clap::Subcommand;
use lacre_administration::Webhooks;
use lacre_api::admin::NewWebhookSecret;
use lacre_domain::{ClientId, Environment, WebhookSecretId};
use serde_json::json;
use time::Duration;

use crate::{
    confirmation::confirm,
    failure::Failure,
    options::environment,
    output::{Details, IssuedKey, Output, Table, word},
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Issue a client's first webhook secret in an environment, and print it once.
    #[command(after_help = "Example:\n  lacre-admin webhook-secret issue --client 0b6e9c2e-… --environment sand")]
    Issue {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
    },
    /// Issue another secret, and print it once. Old secrets also sign until the overlap ends.
    #[command(after_help = "\
Example:
  lacre-admin webhook-secret rotate --client 0b6e9c2e-… --environment live --overlap-hours 48")]
    Rotate {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The environment: live, stag or sand.
        #[arg(long, value_parser = environment)]
        environment: Environment,
        /// How long the old secrets also sign, in hours, at most 168 [default: 24].
        #[arg(long, value_name = "HOURS")]
        overlap_hours: Option<u16>,
    },
    /// List a client's webhook secrets by id, oldest first.
    #[command(after_help = "Example:\n  lacre-admin webhook-secret list --client 0b6e9c2e-…")]
    List {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
    },
    /// Revoke a webhook secret at once. Without another secret, webhooks are not sent.
    #[command(after_help = "Example:\n  lacre-admin webhook-secret revoke --client 0b6e9c2e-… 5d0c7f1a-…")]
    Revoke {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The secret's id, from `webhook-secret list`.
        secret_id: String,
        /// Do not ask for confirmation when revoking the last secret. Required without a terminal.
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) async fn run(command: Command, webhooks: &Webhooks, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Issue { client, environment } => {
            show(&webhooks.issue_secret(&ClientId::parse(&client)?, environment).await?, output)
        }
        Command::Rotate { client, environment, overlap_hours } => {
            let overlap = overlap_hours.map(|hours| Duration::hours(hours.into()));
            show(&webhooks.rotate_secret(&ClientId::parse(&client)?, environment, overlap).await?, output)
        }
        Command::List { client } => list(&ClientId::parse(&client)?, webhooks, output).await,
        Command::Revoke { client, secret_id, yes } => {
            let (client, id) = (ClientId::parse(&client)?, WebhookSecretId::parse(&secret_id)?);
            let is_last = webhooks.is_last_secret(&client, &id).await?;
            if is_last && !yes {
                let question = "No other secret signs in its environment: hosted sessions would end without a webhook.";
                confirm("the revocation of the last secret", question, "nothing was revoked")?;
            }
            let revoked = webhooks.revoke_secret(&client, &id, is_last).await?;
            output.show(&revoked, Details::of(&revoked))
        }
    }
}

fn show(issued: &NewWebhookSecret, output: &Output) -> Result<(), Failure> {
    output.show(issued, IssuedKey { key: &issued.webhook_secret, details: Details::of(&issued.view) })
}

async fn list(client: &ClientId, webhooks: &Webhooks, output: &Output) -> Result<(), Failure> {
    let secrets = webhooks.secrets(client).await?;
    let mut table = Table::new(["ID", "ENVIRONMENT", "STATE", "ISSUED", "ENDS"]);
    for secret in &secrets {
        let (environment, state) = (word(&secret.environment), word(&secret.state));
        let ends_at = secret.ends_at.as_ref().map(|at| at.0.clone()).unwrap_or_default();
        table.row([secret.id.to_string(), environment, state, secret.issued_at.0.clone(), ends_at]);
    }
    output.show(&json!({ "webhook_secrets": secrets }), table)
}
