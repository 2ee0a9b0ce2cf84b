//! The Lambda binary of `export`: cold start, then the runtime's loop.

use std::{io::stdout, sync::Arc};

use aws::{Config, Connection};
use aws_lambda_events::dynamodb::Event;
use export::ExportEvidence;
use lacre_http::{SystemClock, in_request, start_log};
use lacre_metrics::Initialization;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let export = &ExportEvidence::new(&connection, Arc::new(SystemClock));
    let program = &start.done(&connection.config().stack_name);
    let handler = service_fn(move |event: LambdaEvent<Event>| {
        let work = async move {
            let outcome = export.handle(event.payload, &mut stdout()).await;
            outcome.inspect_err(|error| tracing::error!(cause = %error, "failed")).map_err(Error::from)
        };
        program.measured(in_request(Some(event.context.request_id), work))
    });
    Runtime::new(handler).run().await
}
