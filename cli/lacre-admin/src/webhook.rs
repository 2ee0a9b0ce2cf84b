//! `lacre-admin webhook …`

use clap::Subcommand;
use lacre_administration::Webhooks;
use lacre_api::admin::AttemptView;
use lacre_domain::{AttemptState, ClientId, MalformedId, MessageId};
use serde_json::json;

use crate::{
    failure::Failure,
    output::{Details, Output, Table, word},
    pages,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List a client's latest webhook attempts, latest first.
    #[command(after_help = "Example:\n  lacre-admin webhook list --client 0b6e9c2e-… --state failed")]
    List {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// Only attempts in this state: pending, in_progress, delivered, failed or unknown.
        #[arg(long, value_parser = state)]
        state: Option<AttemptState>,
        /// The number of latest attempts to search.
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Deliver a message again, with the same id and body.
    #[command(after_help = "Example:\n  lacre-admin webhook redeliver --client 0b6e9c2e-… msg_019a…")]
    Redeliver {
        /// The client's id.
        #[arg(long, value_name = "ID")]
        client: String,
        /// The message's id, from `webhook list`.
        message_id: String,
    },
}

pub(crate) async fn run(command: Command, webhooks: &Webhooks, output: &Output) -> Result<(), Failure> {
    match command {
        Command::List { client, state, limit } => {
            let client = ClientId::parse(&client)?;
            let attempts = pages::first(limit, async |page| webhooks.attempts(&client, None, page).await).await?;
            let attempts: Vec<_> =
                attempts.into_iter().filter(|attempt| state.is_none_or(|state| attempt.state == state)).collect();
            let mut table =
                Table::new(["MESSAGE", "ATTEMPT", "ENVIRONMENT", "REQUESTED", "STATE", "RESULT", "RECEIVER"]);
            attempts.iter().for_each(|attempt| table.row(row(attempt)));
            output.show(&json!({ "webhooks": attempts }), table)
        }
        Command::Redeliver { client, message_id } => {
            let id = MessageId::parse(&message_id).ok_or(MalformedId::Message)?;
            let attempt = webhooks.redeliver(&ClientId::parse(&client)?, &id).await?;
            output.show(&attempt, Details::of(&attempt))
        }
    }
}

fn state(text: &str) -> Result<AttemptState, String> {
    AttemptState::parse(text).ok_or_else(|| format!("one of {}", AttemptState::WORDS.join(", ")))
}

fn row(attempt: &AttemptView) -> [String; 7] {
    let result = match (attempt.status, attempt.result) {
        (Some(status), _) => status.to_string(),
        (None, result) => result.map(|result| word(&result)).unwrap_or_default(),
    };
    [
        attempt.message_id.0.clone(),
        attempt.attempt.to_string(),
        word(&attempt.environment),
        attempt.requested_at.0.clone(),
        word(&attempt.state),
        result,
        attempt.receiver.clone(),
    ]
}
