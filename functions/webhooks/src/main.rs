//! The Lambda binary of `webhooks`: cold start, then the runtime's loop.

use std::io::stdout;

use aws_lambda_events::sqs::SqsEvent;
use lacre_http::in_invocation;
use lacre_webhooks::Webhooks;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (webhooks, program) = &lacre_http::begin(env!("CARGO_BIN_NAME"), Webhooks::new)?;
    let handler = service_fn(move |event: LambdaEvent<SqsEvent>| async move {
        let mut log = stdout();
        let work = webhooks.handle(event.payload, &mut log);
        program.measured(in_invocation(&event.context, work)).await
    });
    Runtime::new(handler).run().await
}
