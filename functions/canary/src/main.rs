//! The Lambda binary of `canary`: cold start, then the runtime's loop.

use std::convert::Infallible;

use lacre_canary::Canary;
use lacre_http::in_invocation;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (canary, program) = &lacre_http::begin(env!("CARGO_BIN_NAME"), Canary::new)?;
    let handler = service_fn(move |event: LambdaEvent<Value>| async move {
        let run = async { Ok::<_, Infallible>(canary.run().await) };
        program.measured(in_invocation(&event.context, run)).await
    });
    Runtime::new(handler).run().await
}
