//! The Lambda binary of `sequencer`: cold start, then the runtime's loop.

use std::io::stdout;

use lacre_http::in_invocation;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use sequencer::{Invocation, Sequencer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (sequencer, program) = &lacre_http::begin(env!("CARGO_PKG_NAME"), Sequencer::new)?;
    let handler = service_fn(move |event: LambdaEvent<Invocation>| async move {
        let mut log = stdout();
        let work = sequencer.invoke(event.payload, &mut log);
        program.measured(in_invocation(&event.context, work)).await
    });
    Runtime::new(handler).run().await
}
