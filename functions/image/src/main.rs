//! The Lambda binary of `image`.

use lacre_image::Image;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lacre_http::start(env!("CARGO_BIN_NAME"), Image::new).await
}
