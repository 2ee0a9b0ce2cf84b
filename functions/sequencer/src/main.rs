//! The Lambda binary of `sequencer`: cold start, then the runtime's loop.

use std::io::stdout;

use lacre_http::in_invocation;
use lacre_sequencer::{Invocation, Sequencer};
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (sequencer, program) = &lacre_http::begin(env!("CARGO_BIN_NAME"), Sequencer::new)?;
    let handler = service_fn(move |event: LambdaEvent<Invocation>| async move {
        let mut log = stdout();
        let work = sequencer.invoke(event.payload, &mut log);
        program.measured(in_invocation(&event.context, work)).await
    });
    Runtime::new(handler).run().await
}
