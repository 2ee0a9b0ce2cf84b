//! The Lambda binary of `load-session`.

use lacre_load_session::LoadSession;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), LoadSession::new).await
}
