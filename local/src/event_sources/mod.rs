//! The event sources: the streams of three tables and a schedule, as Lambda polls them.

mod attempts;
mod captures;
mod records;
mod schedule;
mod stream;

use std::sync::Arc;

use alerts::Alerts;
use aws::Tables;
use tokio::task::JoinSet;
use webhooks::Webhooks;

use crate::{clients::Clients, provision};
use attempts::Attempts;
use captures::Captures;
use export::ExportEvidence;
use records::Records;
use stream::Stream;

/// Starts all. They stop when the set is dropped.
pub(crate) async fn start(
    clients: &Clients,
    tables: &Tables,
    (alerts, export, webhooks): (Alerts, ExportEvidence, Webhooks),
) -> Result<JoinSet<()>, provision::Error> {
    let alerts = Arc::new(alerts);
    let captures = Stream::of(clients, &tables.evidence, Captures(Arc::clone(&alerts))).await?;
    let export = Arc::new(export);
    let records = Stream::of(clients, &tables.evidence, Records(Arc::clone(&export))).await?;
    let entries = Stream::of(clients, &tables.audit, Records(export)).await?;
    let attempts = Stream::of(clients, &tables.webhooks, Attempts(Arc::new(webhooks))).await?;
    let mut running = JoinSet::new();
    running.spawn(captures.follow());
    running.spawn(records.follow());
    running.spawn(entries.follow());
    running.spawn(attempts.follow());
    running.spawn(schedule::keep(alerts));
    Ok(running)
}
