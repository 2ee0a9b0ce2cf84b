//! The Lambda binary of `image`: cold start, then the runtime's loop.

use std::sync::Arc;

use aws::{Config, Connection, within};
use image::Image;
use lacre_http::{SystemClock, run, start_log};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let endpoint = Image::new(&connection, Arc::new(SystemClock));
    within(connection.config().patience.warm_up, endpoint.warm_up()).await;
    run(endpoint).await
}
