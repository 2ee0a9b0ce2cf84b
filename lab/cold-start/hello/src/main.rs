//! A minimal Rust function: `lambda_http` with a constant response. It is the reference for cold starts.

use lambda_http::{Error, Request, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(|_: Request| async { Ok::<_, Error>("hello") })).await
}
