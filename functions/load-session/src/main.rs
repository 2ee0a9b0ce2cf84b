//! The Lambda binary of `load-session`: cold start, then the runtime's loop.

use std::sync::Arc;

use aws::{Config, Connection, within};
use lacre_http::{SystemClock, run, start_log};
use load_session::LoadSession;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let endpoint = LoadSession::new(&connection, Arc::new(SystemClock));
    within(connection.config().patience.warm_up, endpoint.warm_up()).await;
    run(endpoint).await
}
