//! The least that a function in Rust can be: `lambda_http` and a fixed answer. Cold starts are measured against it.

use lambda_http::{Error, Request, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(|_: Request| async { Ok::<_, Error>("hello") })).await
}
