//! The Lambda binary of `sequencer`: cold start, then the runtime's loop.

use std::{io::stdout, sync::Arc};

use aws::{Config, Connection};
use lacre_http::{SystemClock, in_invocation, start_log};
use lacre_metrics::Initialization;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use sequencer::{Invocation, Sequencer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let sequencer = &Sequencer::new(&connection, Arc::new(SystemClock));
    let program = &start.done(&connection.config().stack_name);
    let handler = service_fn(move |event: LambdaEvent<Invocation>| async move {
        let mut log = stdout();
        let work = sequencer.invoke(event.payload, &mut log);
        program.measured(in_invocation(&event.context, work)).await
    });
    Runtime::new(handler).run().await
}
