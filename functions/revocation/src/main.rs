//! The Lambda binary of `revocation`: cold start, then the runtime's loop.

use std::io::stdout;

use lacre_http::in_invocation;
use lacre_revocation::Revocation;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (revocation, program) = &lacre_http::begin(env!("CARGO_BIN_NAME"), Revocation::new)?;
    let handler = service_fn(move |event: LambdaEvent<Value>| async move {
        let mut log = stdout();
        let work = revocation.run(&mut log);
        program.measured(in_invocation(&event.context, work)).await
    });
    Runtime::new(handler).run().await
}
