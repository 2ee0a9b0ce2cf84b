//! The Lambda binary of `export`: cold start, then the runtime's loop.

use std::{io::stdout, sync::Arc};

use aws::{Config, Connection};
use aws_lambda_events::dynamodb::Event;
use export::ExportEvidence;
use lacre_http::{SystemClock, start_log};
use lacre_metrics::Initialization;
use lambda_runtime::{Error, LambdaEvent, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let export = &ExportEvidence::new(&connection, Arc::new(SystemClock));
    let program = &start.done(&connection.config().stack_name);
    lambda_runtime::run(service_fn(move |event: LambdaEvent<Event>| async move {
        let mut log = stdout();
        let outcome = program.measured(export.handle(event.payload, &mut log)).await;
        outcome.inspect_err(|error| tracing::error!(cause = %error, "failed")).map_err(Error::from)
    }))
    .await
}
