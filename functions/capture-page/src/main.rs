//! The Lambda binary of `capture-page`.

use lacre_capture_page::CapturePage;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), CapturePage::new).await
}
