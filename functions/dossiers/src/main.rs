//! The Lambda binary of `dossiers`.

use lacre_dossiers::Dossiers;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), Dossiers::new).await
}
