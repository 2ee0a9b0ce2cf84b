//! The event sources of the functions: streams of five tables, and three schedules.

mod attempts;
mod captures;
mod fingerprints;
mod leaves;
mod records;
mod schedule;
mod stream;

use std::sync::Arc;

use lacre_alerts::Alerts;
use lacre_storage::Tables;
use lacre_webhooks::Webhooks;
use tokio::task::JoinSet;

use crate::{clients::Clients, cloud_watch::CloudWatch, provision, stand_ins::LastWrite};
use attempts::Attempts;
use captures::Captures;
use fingerprints::Fingerprints;
use lacre_export::ExportEvidence;
use lacre_prints::IndexPrints;
use lacre_revocation::Revocation;
use lacre_sequencer::Sequencer;
use leaves::Leaves;
use records::Records;
use stream::Stream;

pub use schedule::Rule;

/// The functions that events invoke.
pub(crate) type Workers = (Alerts, ExportEvidence, IndexPrints, Revocation, Sequencer, Webhooks);

/// Starts all event sources. They stop when the set is dropped.
pub(crate) async fn start(
    clients: &Clients,
    last_write: &LastWrite,
    tables: &Tables,
    (alerts, export, prints, revocation, sequencer, webhooks): Workers,
    watch: &CloudWatch,
    rule: &Rule,
) -> Result<JoinSet<()>, provision::Error> {
    let alerts = Arc::new(alerts);
    let captures =
        Stream::of(clients, last_write, &tables.evidence.read(), Captures(Arc::clone(&alerts), watch.clone())).await?;
    let export = Arc::new(export);
    let records =
        Stream::of(clients, last_write, &tables.evidence.read(), Records(Arc::clone(&export), watch.clone())).await?;
    let sequencer = Arc::new(sequencer);
    let leaves =
        Stream::of(clients, last_write, &tables.log.read(), Leaves(Arc::clone(&sequencer), watch.clone())).await?;
    let prints = Fingerprints(Arc::new(prints), watch.clone());
    let prints = Stream::of(clients, last_write, &tables.personal.read(), prints).await?;
    let entries = Stream::of(clients, last_write, &tables.audit.read(), Records(export, watch.clone())).await?;
    let attempts =
        Stream::of(clients, last_write, &tables.webhooks.read(), Attempts(Arc::new(webhooks), watch.clone())).await?;
    let mut running = JoinSet::new();
    running.spawn(captures.follow());
    running.spawn(records.follow());
    running.spawn(leaves.follow());
    running.spawn(prints.follow());
    running.spawn(entries.follow());
    running.spawn(attempts.follow());
    running.spawn(schedule::date(sequencer, watch.clone()));
    running.spawn(schedule::ask_authorities(revocation, watch.clone()));
    running.spawn(schedule::keep(alerts, watch.clone(), rule.clone()));
    Ok(running)
}
