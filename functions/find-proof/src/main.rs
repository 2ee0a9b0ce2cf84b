//! The Lambda binary of `find-proof`.

use lacre_find_proof::FindProof;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), FindProof::new).await
}
