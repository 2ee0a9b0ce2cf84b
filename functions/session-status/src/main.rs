//! The Lambda binary of `session-status`.

use lacre_session_status::SessionStatusRoute;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), SessionStatusRoute::new).await
}
