//! The Lambda binary of `ingest`: cold start, then the runtime's loop.

use std::sync::Arc;

use aws::{Config, Connection, within};
use ingest::Ingest;
use lacre_http::{SystemClock, run, start_log};
use metrics::Initialization;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let mut start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let endpoint = Ingest::new(&connection, Arc::new(SystemClock));
    start.connect(within(connection.config().patience.warm_up, endpoint.warm_up())).await;
    run(endpoint, start.done(&connection.config().stack_name)).await
}
