//! The Lambda binary of `validate`.

use lacre_validate::Validate;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), Validate::new).await
}
