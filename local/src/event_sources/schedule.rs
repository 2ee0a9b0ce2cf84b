//! The schedules, as EventBridge keeps it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use lacre_alerts::Alerts;
use lacre_sequencer::Sequencer;
use serde_json::json;
use tokio::time::sleep;

use crate::cloud_watch::CloudWatch;

/// The rate in `template.yaml`.
const RATE: Duration = Duration::from_secs(300);
/// An hour there. Here a developer sees the timestamp within a minute.
const DATING_RATE: Duration = Duration::from_secs(60);
/// How often the service's clock, which tests move, is looked at.
const LOOKS: Duration = Duration::from_millis(250);

/// The rule of the schedule, as operators can break it.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    is_disabled: Arc<AtomicBool>,
    has_lost_target: Arc<AtomicBool>,
}

impl Rule {
    /// Disables it: nothing is invoked any more.
    pub fn disable(&self) {
        self.is_disabled.store(true, Ordering::SeqCst);
    }

    /// Takes its permission to invoke the function away.
    pub fn lose_target(&self) {
        self.has_lost_target.store(true, Ordering::SeqCst);
    }
}

/// Invokes the function now and at every tick.
pub(super) async fn keep(alerts: Arc<Alerts>, watch: CloudWatch, rule: Rule) {
    let count = |metric| watch.count("AWS/Events", metric, &[("RuleName", "AlertsFunctionEvery5Minutes")], 1.0);
    loop {
        let next = watch.now() + RATE;
        if rule.is_disabled.load(Ordering::SeqCst) {
            return;
        }
        count("Invocations");
        if rule.has_lost_target.load(Ordering::SeqCst) {
            count("FailedInvocations");
        } else {
            invoke(&alerts, &watch).await;
        }
        while watch.now() < next {
            sleep(LOOKS).await;
        }
    }
}

/// Lets the sequencer date its logs now and at every tick.
pub(super) async fn date(sequencer: Arc<Sequencer>, watch: CloudWatch) {
    loop {
        let (begun, next) = (watch.now(), watch.now() + DATING_RATE);
        let mut log = Vec::new();
        let outcome = sequencer.date(&mut log).await;
        watch.read(&log);
        watch.invoked("SequencerFunction", begun, outcome.is_err());
        if let Err(error) = outcome {
            tracing::error!(cause = %error, "sequencer failed on its schedule");
        }
        while watch.now() < next {
            sleep(LOOKS).await;
        }
    }
}

async fn invoke(alerts: &Alerts, watch: &CloudWatch) {
    let event = json!({ "version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {} });
    let (begun, mut log) = (watch.now(), Vec::new());
    let outcome = alerts.handle(event, &mut log).await;
    watch.read(&log);
    watch.invoked("AlertsFunction", begun, outcome.is_err());
    if let Err(error) = outcome {
        tracing::error!(cause = %error, "alerts failed on its schedule");
    }
}
