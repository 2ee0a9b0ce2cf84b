//! The Lambda binary of `admin`.

use lacre_admin_api::Api;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), Api::new).await
}
