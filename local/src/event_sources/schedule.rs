//! The schedules that EventBridge runs on AWS.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use lacre_alerts::Alerts;
use lacre_revocation::Revocation;
use lacre_sequencer::Sequencer;
use serde_json::json;
use tokio::time::sleep;

use crate::cloud_watch::CloudWatch;

/// Interval of the `alerts` schedule, as in `template.yaml`.
const RATE: Duration = Duration::from_secs(300);
/// Interval of the sequencer's dating schedule. On AWS it is an hour; here a developer gets the timestamp within a
/// minute.
const DATING_RATE: Duration = Duration::from_secs(60);
/// Interval of the `revocation` schedule, as in `template.yaml`.
const REVOCATION_RATE: Duration = Duration::from_secs(3600);
/// Polling interval of the service's clock, which tests can move.
const LOOKS: Duration = Duration::from_millis(250);

/// The rule of the `alerts` schedule, which tests can break as an operator could.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    is_disabled: Arc<AtomicBool>,
    has_lost_target: Arc<AtomicBool>,
}

impl Rule {
    /// Disables the rule, so that it no longer invokes the function.
    pub fn disable(&self) {
        self.is_disabled.store(true, Ordering::SeqCst);
    }

    /// Removes the rule's permission to invoke the function.
    pub fn lose_target(&self) {
        self.has_lost_target.store(true, Ordering::SeqCst);
    }
}

/// Invokes `alerts` now and at every interval.
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

/// Invokes the sequencer's dating now and at every interval.
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

/// Invokes `revocation` now and at every interval.
pub(super) async fn ask_authorities(revocation: Revocation, watch: CloudWatch) {
    loop {
        let (begun, next) = (watch.now(), watch.now() + REVOCATION_RATE);
        let mut log = Vec::new();
        let outcome = revocation.run(&mut log).await;
        watch.read(&log);
        watch.invoked("RevocationFunction", begun, outcome.is_err());
        if let Err(error) = outcome {
            tracing::error!(cause = %error, "revocation failed on its schedule");
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
