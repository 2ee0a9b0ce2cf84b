//! The Lambda binary of `ingest`.

use lacre_ingest::Ingest;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), Ingest::new).await
}
