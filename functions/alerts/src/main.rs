//! The Lambda binary of `alerts`: cold start, then the runtime's loop.

use std::{io::stdout, sync::Arc};

use alerts::Alerts;
use aws::{Config, Connection};
use lacre_http::{SystemClock, start_log};
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    start_log();
    let alerts = &Alerts::new(&Connection::new(Config::from_env()?)?, Arc::new(SystemClock));
    lambda_runtime::run(service_fn(move |event: LambdaEvent<Value>| async move {
        let outcome = alerts.handle(event.payload, &mut stdout()).await;
        outcome.inspect_err(|error| tracing::error!(cause = %error, "failed")).map_err(Error::from)
    }))
    .await
}
