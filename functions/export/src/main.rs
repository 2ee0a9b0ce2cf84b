//! The Lambda binary of `export`: cold start, then the runtime's loop.

use std::io::stdout;

use aws_lambda_events::dynamodb::Event;
use lacre_export::ExportEvidence;
use lacre_http::in_invocation;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (export, program) = &lacre_http::begin(env!("CARGO_BIN_NAME"), ExportEvidence::new)?;
    let handler = service_fn(move |event: LambdaEvent<Event>| async move {
        let mut log = stdout();
        let work = export.handle(event.payload, &mut log);
        program.measured(in_invocation(&event.context, work)).await
    });
    Runtime::new(handler).run().await
}
