//! The Lambda binary of `session-results`.

use lacre_session_results::SessionResults;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), SessionResults::new).await
}
