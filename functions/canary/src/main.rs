//! The Lambda binary of `canary`: cold start, then the runtime's loop.

use std::{convert::Infallible, sync::Arc};

use aws::{Config, Connection};
use canary::Canary;
use lacre_http::{SystemClock, in_invocation, start_log};
use lacre_metrics::Initialization;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let canary = &Canary::new(&connection, Arc::new(SystemClock));
    let program = &start.done(&connection.config().stack_name);
    let handler = service_fn(move |event: LambdaEvent<Value>| async move {
        let run = async { Ok::<_, Infallible>(canary.run().await) };
        program.measured(in_invocation(&event.context, run)).await
    });
    Runtime::new(handler).run().await
}
