//! The Lambda binary of `create-session`.

use lacre_create_session::CreateSession;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), CreateSession::new).await
}
