//! The event sources of `alerts`: the evidence table's stream and a schedule, as Lambda polls them.

mod schedule;
mod stream;

use std::sync::Arc;

use alerts::Alerts;
use tokio::task::JoinSet;

use crate::{clients::Clients, provision};
use stream::Stream;

/// Starts both. They stop when the set is dropped.
pub(crate) async fn start(clients: Clients, table: &str, alerts: Alerts) -> Result<JoinSet<()>, provision::Error> {
    let alerts = Arc::new(alerts);
    let stream = Stream::of(clients, table, Arc::clone(&alerts)).await?;
    let mut running = JoinSet::new();
    running.spawn(stream.follow());
    running.spawn(schedule::keep(alerts));
    Ok(running)
}
