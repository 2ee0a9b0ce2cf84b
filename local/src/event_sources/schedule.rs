//! The schedule, as EventBridge keeps it.

use std::{sync::Arc, time::Duration};

use alerts::Alerts;
use serde_json::json;
use tokio::time::sleep;

use crate::cloud_watch::CloudWatch;

/// The rate in `template.yaml`.
const RATE: Duration = Duration::from_secs(300);
/// How often the service's clock, which tests move, is looked at.
const LOOKS: Duration = Duration::from_millis(250);

/// Invokes the function now and at every tick.
pub(super) async fn keep(alerts: Arc<Alerts>, watch: CloudWatch) {
    loop {
        let next = watch.now() + RATE;
        let event = json!({ "version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {} });
        watch.count("AWS/Events", "Invocations", ("RuleName", "AlertsFunctionEvery5Minutes"), 1.0);
        let (begun, mut log) = (watch.now(), Vec::new());
        let outcome = alerts.handle(event, &mut log).await;
        watch.read(&log);
        watch.invoked("AlertsFunction", begun, outcome.is_err());
        if let Err(error) = outcome {
            tracing::error!(cause = %error, "alerts failed on its schedule");
        }
        while watch.now() < next {
            sleep(LOOKS).await;
        }
    }
}
