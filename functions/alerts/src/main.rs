//! The Lambda binary of `alerts`: cold start, then the runtime's loop.

use std::io::stdout;

use lacre_alerts::{Alerts, is_stream};
use lacre_http::in_invocation;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (alerts, program) = &lacre_http::begin(env!("CARGO_BIN_NAME"), Alerts::new)?;
    let handler = service_fn(move |event: LambdaEvent<Value>| async move {
        let is_stream = is_stream(&event.payload);
        let mut log = stdout();
        let work = in_invocation(&event.context, alerts.handle(event.payload, &mut log));
        // The schedule runs without captures too, and CloudWatch charges a metric for every hour in which it is
        // emitted.
        if is_stream { program.measured(work).await } else { work.await }
    });
    Runtime::new(handler).run().await
}
