//! The Lambda binary of `admin`: cold start, then the runtime's loop.

use std::sync::Arc;

use admin::Api;
use aws::{Config, Connection};
use lacre_http::{SystemClock, run, start_log};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    run(Api::new(&connection, Arc::new(SystemClock))).await
}
