//! The Lambda binary of `sequencer`: cold start, then the runtime's loop.

use std::{io::stdout, sync::Arc};

use aws::{Config, Connection};
use lacre_http::{SystemClock, in_invocation, start_log};
use lacre_metrics::Initialization;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use sequencer::{Sequencer, is_stream};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let sequencer = &Sequencer::new(&connection, Arc::new(SystemClock));
    let program = &start.done(&connection.config().stack_name);
    let handler = service_fn(move |event: LambdaEvent<Value>| async move {
        let is_stream = is_stream(&event.payload);
        let mut log = stdout();
        let work = in_invocation(&event.context, sequencer.handle(event.payload, &mut log));
        // The schedule also runs without captures, and CloudWatch charges metrics by the hour in which they are emitted.
        if is_stream { program.measured(work).await } else { work.await }
    });
    Runtime::new(handler).run().await
}
