//! The schedule, as EventBridge keeps it.

use std::{io::sink, sync::Arc, time::Duration};

use alerts::Alerts;
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval};

/// The rate in `template.yaml`.
const RATE: Duration = Duration::from_secs(300);

/// Invokes the function now and at every tick. Its metrics are for CloudWatch, so they are not read here.
pub(super) async fn keep(alerts: Arc<Alerts>) {
    let mut ticks = interval(RATE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let event = json!({ "version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {} });
        if let Err(error) = alerts.handle(event, &mut sink()).await {
            tracing::error!(cause = %error, "alerts failed on its schedule");
        }
    }
}
