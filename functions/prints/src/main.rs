//! The Lambda binary of `prints`: cold start, then the runtime's loop.

use aws_lambda_events::dynamodb::Event;
use lacre_http::in_invocation;
use lacre_prints::IndexPrints;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (prints, program) = &lacre_http::begin(env!("CARGO_BIN_NAME"), IndexPrints::new)?;
    let handler = service_fn(move |event: LambdaEvent<Event>| async move {
        program.measured(in_invocation(&event.context, prints.follow(event.payload))).await
    });
    Runtime::new(handler).run().await
}
