//! The outage drill: provokes the cause of each alarm in the local service, and checks that the alarm of the templates
//! goes off.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alarm;
mod causes;
mod expression;

use std::{collections::BTreeSet, time::Duration};

use lacre_domain::Clock;
use lacre_tests::{Faults, Service};
use tokio::time::{Instant, sleep};

use alarm::{Alarm, State};

/// How long to wait for background work.
const PATIENCE: Duration = Duration::from_secs(30);
/// Polling interval while waiting.
const POLL: Duration = Duration::from_millis(50);

/// A service with streams and schedule, whose AWS can fail.
pub struct Drill {
    /// The service.
    pub service: Service,
    /// The faults of its AWS.
    pub faults: Faults,
}

impl Drill {
    /// Starts one.
    pub async fn start() -> Self {
        Self::start_with(local::Options::for_tests()).await
    }

    /// Starts one with other options.
    pub async fn start_with(options: local::Options) -> Self {
        let options = local::Options { follows_streams: true, ..options };
        let (service, faults) = Service::start_behind_faults_with(options).await;
        faults.count_in(service.cloud_watch());
        Self { service, faults }
    }

    fn state(&self, alarm: &Alarm) -> State {
        alarm.state(self.service.cloud_watch(), self.service.clock.now())
    }

    /// Waits until the alarm's state is OK; missing data is accepted for alarms that notify about it.
    async fn is_quiet(&self, alarm: &Alarm) {
        let quiet = [State::Ok, if alarm.rings_without_data() { State::InsufficientData } else { State::Ok }];
        self.reaches(alarm, &quiet).await;
    }

    /// Waits until the alarm notifies operators.
    async fn rings(&self, alarm: &Alarm) {
        let rung = [State::Alarm, if alarm.rings_without_data() { State::InsufficientData } else { State::Alarm }];
        self.reaches(alarm, &rung).await;
    }

    /// Waits until a metric has a value in the last minute of the service's clock.
    async fn counts(&self, metric: (&str, &str), (name, value): (&str, &str)) {
        let dimensions = [(name.to_owned(), value.to_owned())].into();
        let begun = Instant::now();
        loop {
            let now = self.service.clock.now();
            let counted =
                self.service.cloud_watch().statistics(metric, &dimensions, (now - time::Duration::MINUTE, now));
            if counted.is_some_and(|counted| counted.sum > 0.0) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{metric:?} counts nothing");
            sleep(POLL).await;
        }
    }

    async fn reaches(&self, alarm: &Alarm, wanted: &[State]) {
        let begun = Instant::now();
        while !wanted.contains(&self.state(alarm)) {
            assert!(begun.elapsed() < PATIENCE, "{:?}, and not {wanted:?}", self.state(alarm));
            sleep(POLL).await;
        }
    }
}

macro_rules! drills {
    ($($alarm:ident: $cause:ident;)*) => {
        const DRILLED: &[&str] = &[$(stringify!($alarm)),*];

        $(#[allow(non_snake_case)]
        #[tokio::test(flavor = "multi_thread")]
        async fn $alarm() {
            let alarm = Alarm::of(&alarm::template(), stringify!($alarm));
            let mut drill = Drill::start().await;
            drill.service.validate("LICENSE_KEY").await.ok();
            drill.service.capture("LICENSE_KEY", &lacre_tests::frame::fresh()).await.1.ok();
            drill.is_quiet(&alarm).await;
            causes::$cause(&mut drill).await;
            drill.rings(&alarm).await;
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
    AlertsFail: the_alert_outbox_is_unreadable;
    AlertsLate: streams_are_read_late;
    CapturesUnread: counts_cannot_be_written;
    EvidenceChanged: a_record_changes;
    ExportFails: the_export_is_refused_twice;
    ExportLate: streams_are_read_late;
    CapturesUnexported: the_export_is_refused;
    LogLate: streams_are_read_late;
    CapturesUnsequenced: checkpoints_are_not_signed;
    LogContradicted: the_log_table_is_recreated;
    LogUndated: days_cannot_be_dated;
    RenewalFailed: renewals_cannot_be_read;
    EvidenceEndsIn90Days: no_authority_lasts_longer;
    BundleLate: no_list_is_published;
    RevocationStale: the_responder_is_down;
    SignerRevoked: the_claim_certificate_is_revoked;
    PrintsLate: streams_are_read_late;
    CapturesUnindexed: the_index_cannot_be_written;
    WebhooksLost: messages_cannot_be_decrypted;
    WebhooksFail: a_receiver_fails_five_times;
    WebServerErrors: creations_fail;
    LicenseServerErrors: validations_fail;
    CaptureServerErrors: hosted_creations_fail;
    ProofsServerErrors: lookups_fail;
    AdminServerErrors: the_admin_api_fails;
    SigningFails: keys_refuse_to_sign;
    TimestampsMissing: the_authority_is_down;
    CaptureNotRecorded: the_commit_is_refused;
    WebFailsAtLowTraffic: single_creations_fail;
    LicenseFailsAtLowTraffic: single_validations_fail;
    CaptureFailsAtLowTraffic: single_hosted_creations_fail;
    ProofsFailAtLowTraffic: single_lookups_fail;
    PresigningFails: the_presigner_has_no_key;
    HandlersFail: validations_fail;
    FunctionsNearTimeout: a_table_is_slow;
    GatewaysNearLimit: requests_near_the_limit;
    RequestsRefused: a_route_is_flooded;
    UploadsPileUp: uploads_are_left;
    FunctionsThrottled: more_requests_than_instances;
    WorkersThrottled: more_admin_requests_than_instances;
    FunctionsFail: a_function_takes_too_long;
    TableReadsThrottled: reads_are_throttled;
    TableWritesThrottled: writes_are_throttled;
    KmsNearQuota: captures_near_the_quota_of_kms;
    SignaturesUnaccounted: claims_are_forged;
    InsidersUnreported: a_rule_cannot_publish;
    NotificationsFail: a_subscriber_takes_nothing;
    ScheduleStopped: the_rule_is_disabled;
    ScheduleFails: the_rule_loses_its_target;
    CanaryFails: the_canary_fails;
}

#[test]
fn every_alarm_is_drilled() {
    let template: BTreeSet<String> = alarm::names(&alarm::template()).into_iter().collect();
    assert_eq!(DRILLED.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), template);
    assert_eq!(DRILLED.len(), template.len(), "an alarm is named twice");
}
