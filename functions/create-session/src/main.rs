//! The Lambda binary of `create-session`: cold start, then the runtime's loop.

use std::sync::Arc;

use aws::{Config, Connection, within};
use create_session::CreateSession;
use lacre_http::{SystemClock, run, start_log};
use metrics::Initialization;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let mut start = Initialization::of(env!("CARGO_PKG_NAME"));
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let endpoint = CreateSession::new(&connection, Arc::new(SystemClock));
    start.connect(within(connection.config().patience.warm_up, endpoint.warm_up())).await;
    run(endpoint, start.done(&connection.config().stack_name)).await
}
