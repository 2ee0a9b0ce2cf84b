//! The Lambda binary of `admin`: cold start, then the runtime's loop.

use std::sync::Arc;

use admin::Api;
use aws::{Config, Connection};
use lacre_http::{SystemClock, run, start_log};
use metrics::Initialization;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let api = Api::new(&connection, Arc::new(SystemClock));
    run(api, start.done(&connection.config().stack_name)).await
}
