//! The outage drill: the cause of an alarm is provoked in the local service, and the alarm, as `template.yaml` has it, goes off.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alarm;
mod causes;
mod expression;

use std::{collections::BTreeSet, time::Duration};

use domain::Clock;
use tests::{Faults, Service};
use tokio::time::{Instant, sleep};

use alarm::{Alarm, State};

/// Alarms that no cause is provoked of yet: the local service limits no concurrency, table or quota, delivers no notification,
/// its schedule neither stops nor loses its target, and it runs no canary.
const UNPROVOKED: &[&str] = &[
    "FunctionsThrottled",
    "WorkersThrottled",
    "FunctionsFail",
    "TableReadsThrottled",
    "TableWritesThrottled",
    "KmsNearQuota",
    "NotificationsFail",
    "ScheduleStopped",
    "ScheduleFails",
    "CanaryFails",
];

/// How long what happens in the background may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A service whose AWS can fail, with its streams and its schedule.
pub struct Drill {
    /// The service.
    pub service: Service,
    /// The faults of its AWS.
    pub faults: Faults,
}

impl Drill {
    /// Starts one, with other variables in its functions' environment.
    pub async fn start(environment: &[(&str, &str)]) -> Self {
        let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let options = local::Options { follows_streams: true, environment, ..local::Options::for_tests() };
        let (service, faults) = Service::start_behind_faults_with(options).await;
        Self { service, faults }
    }

    fn state(&self, alarm: &Alarm) -> State {
        alarm.state(self.service.cloud_watch(), self.service.clock.now())
    }

    /// Waits until the alarm is in a state.
    async fn reaches(&self, alarm: &Alarm, wanted: State) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.state(alarm) == wanted {
                return true;
            }
            sleep(Duration::from_millis(50)).await;
        }
        false
    }
}

macro_rules! drills {
    ($($alarm:ident: $cause:ident;)*) => {
        const PROVOKED: &[&str] = &[$(stringify!($alarm)),*];

        $(#[allow(non_snake_case)]
        #[tokio::test(flavor = "multi_thread")]
        async fn $alarm() {
            let alarm = Alarm::of(&alarm::template(), stringify!($alarm));
            let mut drill = Drill::start(&[]).await;
            drill.service.validate("LICENSE_KEY").await.ok();
            drill.service.capture("LICENSE_KEY", &tests::frame::fresh()).await.1.ok();
            assert!(drill.reaches(&alarm, State::Ok).await, "quiet: {:?}", drill.state(&alarm));
            causes::$cause(&mut drill).await;
            assert!(drill.reaches(&alarm, State::Alarm).await, "provoked: {:?}", drill.state(&alarm));
        })*
    };
}

drills! {
    ProductionCertificateEndsIn30Days: certificates_end_in_30_days;
    ProductionCertificateEndsIn7Days: certificates_end_in_7_days;
    StagingCertificateEndsIn30Days: certificates_end_in_30_days;
    StagingCertificateEndsIn7Days: certificates_end_in_7_days;
    SandboxCertificateEndsIn30Days: certificates_end_in_30_days;
    SandboxCertificateEndsIn7Days: certificates_end_in_7_days;
    AlertsFail: the_outbox_of_alerts_cannot_be_read;
    AlertsLate: streams_are_read_late;
    CapturesUnread: counts_cannot_be_written;
    EvidenceChanged: a_record_changes;
    ExportFails: the_export_is_refused_twice;
    ExportLate: streams_are_read_late;
    CapturesUnexported: the_export_is_refused;
    WebhooksLost: messages_cannot_be_decrypted;
    WebhooksFail: a_receiver_fails_five_times;
    WebServerErrors: creations_fail;
    LicenseServerErrors: validations_fail;
    CaptureServerErrors: hosted_creations_fail;
    AdminServerErrors: the_admin_api_fails;
    SigningFails: keys_refuse_to_sign;
    TimestampsMissing: the_authority_is_down;
    CaptureNotRecorded: the_commit_is_refused;
    WebFailsAtLowTraffic: single_creations_fail;
    LicenseFailsAtLowTraffic: single_validations_fail;
    CaptureFailsAtLowTraffic: single_hosted_creations_fail;
    PresigningFails: the_presigner_has_no_key;
    HandlersFail: validations_fail;
    FunctionsNearTimeout: a_table_is_slow;
    GatewaysNearLimit: requests_near_the_limit;
}

#[test]
fn every_alarm_is_drilled_or_said_to_be_not() {
    let known: Vec<&str> = PROVOKED.iter().chain(UNPROVOKED).copied().collect();
    let template: BTreeSet<String> = alarm::names(&alarm::template()).into_iter().collect();
    assert_eq!(known.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), template);
    assert_eq!(known.len(), template.len(), "an alarm is named twice");
}
