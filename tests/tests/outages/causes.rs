//! Provokes the causes of alarms.

use std::{sync::Arc, time::Instant};

use futures_util::StreamExt;
use lacre_canary::{Canary, Outcome};
use lacre_domain::{Clock, Environment, NamedTerms, StoreAssetPolicy};
use lacre_metrics::Initialization;
use lacre_storage::{Connection, SignatureAlgorithm, SignerProfiles, SigningKeys};
use lacre_tests::{
    Authority, Behavior, Fault, Faults, Service, Storage,
    customer::Customer,
    frame,
    receiver::{Answer, Receiver},
    responder::{Responder, Says},
    scene,
    service::PAGE,
};
use reqwest::Method;
use serde_json::{Value, json};
use time::{Duration, Time};
use tokio::time::sleep;

use crate::{
    Drill, PATIENCE, POLL,
    alarm::{self, Alarm, State},
};

const LICENSE: &str = "LICENSE_KEY";

async fn certificates_end_in(drill: &mut Drill, days: f64) {
    let watch = drill.service.cloud_watch();
    let now = drill.service.clock.now();
    let dimensions = [("Stack", "local"), ("Environment", "PRODUCTION")];
    let dimensions = dimensions.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let period = (now - Duration::HOUR, now);
    let left = watch.statistics(("Lacre", "CertificateDaysLeft"), &dimensions, period).unwrap().minimum;
    drill.service.clock.advance(Duration::days(1) * (left - days));
}

pub async fn certificates_end_in_30_days(drill: &mut Drill) {
    certificates_end_in(drill, 29.0).await;
}

pub async fn certificates_end_in_7_days(drill: &mut Drill) {
    certificates_end_in(drill, 6.0).await;
}

pub async fn the_alert_outbox_is_unreadable(drill: &mut Drill) {
    drill.faults.always("Query", Fault::Refuse);
    // An error is needed in each of two periods.
    for _ in 0..2 {
        drill.service.clock.advance(Duration::seconds(301));
        drill.counts(("AWS/Lambda", "Errors"), ("FunctionName", "AlertsFunction")).await;
    }
}

/// The streams cannot be read for eleven minutes.
pub async fn streams_are_read_late(drill: &mut Drill) {
    drill.faults.always("GetRecords", Fault::Refuse);
    drill.service.capture(LICENSE, &frame::fresh()).await.1.ok();
    drill.service.clock.advance(Duration::minutes(11));
    drill.faults.clear();
}

pub async fn counts_cannot_be_written(drill: &mut Drill) {
    drill.faults.always("GetRecords", Fault::Refuse);
    drill.service.capture(LICENSE, &frame::fresh()).await.1.ok();
    drill.faults.clear();
    for call in ["GetItem", "BatchGetItem", "Query", "TransactWriteItems", "PutItem", "UpdateItem"] {
        drill.faults.always(call, Fault::Refuse);
    }
}

pub async fn a_record_changes(drill: &mut Drill) {
    let storage = Storage::of(&drill.service);
    let record = storage.items("EVIDENCE_TABLE").await.remove(0);
    let id = record["capture_id"].as_s().unwrap().clone();
    storage.damage("EVIDENCE_TABLE", &[("capture_id", id)], "v").await;
}

pub async fn the_export_is_refused(drill: &mut Drill) {
    drill.faults.always("PutObject export", Fault::Refuse);
    drill.service.capture(LICENSE, &frame::fresh()).await.1.ok();
}

pub async fn the_export_is_refused_twice(drill: &mut Drill) {
    the_export_is_refused(drill).await;
    // The batch is redelivered: a failure is needed in each of two periods.
    drill.counts(("Lacre", "ExportFailures"), ("Stack", "local")).await;
    drill.service.clock.advance(Duration::seconds(301));
}

pub async fn checkpoints_are_not_signed(drill: &mut Drill) {
    drill.faults.always("Sign checkpoint", Fault::Refuse);
    drill.service.capture(LICENSE, &frame::fresh()).await.1.ok();
}

pub async fn the_log_table_is_recreated(drill: &mut Drill) {
    drill.counts(("Lacre", "LogLeaves"), ("Stack", "local")).await;
    let head = [("pk", "head#SANDBOX".to_owned()), ("sk", "head".to_owned())];
    Storage::of(&drill.service).delete("LOG_TABLE", &head).await;
    drill.service.capture(LICENSE, &frame::fresh()).await.1.ok();
}

pub async fn days_cannot_be_dated(drill: &mut Drill) {
    drill.counts(("Lacre", "LogLeaves"), ("Stack", "local")).await;
    drill.faults.always("PutObject log dated", Fault::Refuse);
    drill.service.clock.advance(Duration::days(1));
    for hour in 0..3 {
        if hour > 0 {
            drill.service.clock.advance(Duration::hours(1));
        }
        drill.counts(("Lacre", "LogUndated"), ("Stack", "local")).await;
    }
    assert_eq!(drill.state(&Alarm::of(&alarm::template(), "LogUndated")), State::Alarm);
}

pub async fn renewals_cannot_be_read(drill: &mut Drill) {
    drill.faults.always("GetObject log covered", Fault::Refuse);
    drill.service.clock.advance(until_renewals(drill, 1));
}

pub async fn no_authority_lasts_longer(drill: &mut Drill) {
    drill.counts(("Lacre", "LogLeaves"), ("Stack", "local")).await;
    drill.service.clock.advance(until_renewals(drill, 1));
    drill.counts(("Lacre", "EvidenceDaysLeft"), ("Stack", "local")).await;
    // The certificate of the local authority is valid for six years.
    drill.service.clock.advance(until_renewals(drill, 2190 - 60));
}

pub async fn no_list_is_published(drill: &mut Drill) {
    let responder = Responder::of(&drill.service).await;
    responder.says(Says::Unavailable);
    responder.lists(Says::Unavailable);
    drill.counts(("Lacre", "LogLeaves"), ("Stack", "local")).await;
    drill.service.clock.advance(Duration::minutes(2));
    let storage = Storage::of(&drill.service);
    let begun = Instant::now();
    while !storage.keys("LOG_BUCKET").await.iter().any(|key| key.ends_with("/timestamp")) {
        assert!(begun.elapsed() < PATIENCE, "no day has a timestamp");
        sleep(POLL).await;
    }
    drill.service.clock.advance(Duration::hours(49));
}

pub async fn the_responder_is_down(drill: &mut Drill) {
    let responder = Responder::of(&drill.service).await;
    responder.says(Says::Unavailable);
    for _ in 0..24 {
        drill.service.clock.advance(Duration::hours(1));
        drill.counts(("Lacre", "RevocationStale"), ("Stack", "local")).await;
    }
    assert_eq!(drill.state(&Alarm::of(&alarm::template(), "RevocationStale")), State::Alarm);
}

pub async fn the_claim_certificate_is_revoked(drill: &mut Drill) {
    let responder = Responder::of(&drill.service).await;
    responder.says(Says::Revoked);
    drill.service.clock.advance(Duration::hours(1));
    drill.counts(("Lacre", "SignerRevoked"), ("Stack", "local")).await;
}

/// The time until the timestamps are renewed, that many days later.
fn until_renewals(drill: &Drill, days: i64) -> Duration {
    let now = drill.service.clock.now();
    let then = now.replace_time(Time::from_hms(3, 20, 0).unwrap()) + Duration::days(days);
    then - now
}

pub async fn the_index_cannot_be_written(drill: &mut Drill) {
    drill.faults.always("BatchWriteItem prints", Fault::Refuse);
    scene::customer(&drill.service, StoreAssetPolicy::Never).await.capture(&scene::photo(1)).await.ok();
}

pub async fn messages_cannot_be_decrypted(drill: &mut Drill) {
    drill.faults.always("Decrypt", Fault::Refuse);
    drill.service.post_webhook(Environment::Sandbox, "http://127.0.0.1:1/").await;
}

/// In production, webhooks cannot be sent to this machine, so the receiver's name cannot be resolved.
pub async fn a_receiver_fails_five_times(drill: &mut Drill) {
    for _ in 0..5 {
        drill.service.post_webhook(Environment::Production, "https://receiver.invalid/lacre").await;
    }
}

async fn fail(drill: &Drill, times: usize, request: impl AsyncFn(&Service) -> u16) {
    drill.faults.always("", Fault::Refuse);
    for _ in 0..times {
        assert!(request(&drill.service).await >= 500);
    }
}

async fn fail_at_low_traffic(drill: &Drill, request: impl AsyncFn(&Service) -> u16) {
    fail(drill, 1, &request).await;
    drill.service.clock.advance(Duration::minutes(11));
    fail(drill, 1, request).await;
}

async fn create(service: &Service) -> u16 {
    service.create(LICENSE).await.status
}

/// A call that only validations make, so its arrival shows that the validation has begun.
const READS_LICENSE: &str = "BatchGetItem accounts license_key";

async fn validate(service: &Service) -> u16 {
    service.validate(LICENSE).await.status
}

async fn create_hosted(service: &Service) -> u16 {
    let order = Service::hosted_order("default");
    service.create_hosted_with(service.variable("API_KEY"), &order).await.status
}

async fn look_up(service: &Service) -> u16 {
    let url = format!("{}/c2pa/v1/manifests/x", service.variable("PROOFS_URL"));
    let request = service.http.get(url).bearer_auth(service.variable("API_KEY"));
    service.send(request).await.status
}

pub async fn creations_fail(drill: &mut Drill) {
    fail(drill, 5, create).await;
}

pub async fn validations_fail(drill: &mut Drill) {
    fail(drill, 5, validate).await;
}

pub async fn hosted_creations_fail(drill: &mut Drill) {
    fail(drill, 5, create_hosted).await;
}

pub async fn single_creations_fail(drill: &mut Drill) {
    fail_at_low_traffic(drill, create).await;
}

pub async fn single_validations_fail(drill: &mut Drill) {
    fail_at_low_traffic(drill, validate).await;
}

pub async fn single_hosted_creations_fail(drill: &mut Drill) {
    fail_at_low_traffic(drill, create_hosted).await;
}

pub async fn lookups_fail(drill: &mut Drill) {
    fail(drill, 5, look_up).await;
}

pub async fn single_lookups_fail(drill: &mut Drill) {
    fail_at_low_traffic(drill, look_up).await;
}

pub async fn the_admin_api_fails(drill: &mut Drill) {
    fail(drill, 1, async |service: &Service| service.admin(Method::GET, "/clients", Value::Null).await.status).await;
}

pub async fn keys_refuse_to_sign(drill: &mut Drill) {
    drill.faults.always("Sign", Fault::Refuse);
    assert!(drill.service.capture(LICENSE, &frame::fresh()).await.1.status >= 500);
}

pub async fn the_authority_is_down(drill: &mut Drill) {
    let authority = Authority::before(&drill.service).await;
    authority.set_behavior(Behavior::ServiceUnavailable);
    drill.service.ask(&[&authority]).await;
    drill.service.capture(LICENSE, &frame::fresh()).await.1.ok();
}

pub async fn the_commit_is_refused(drill: &mut Drill) {
    let loaded = drill.service.open(LICENSE).await;
    drill.faults.always("TransactWriteItems", Fault::Refuse);
    assert!(drill.service.capture_in(&loaded, &frame::fresh()).await.status >= 500);
}

pub async fn the_presigner_has_no_key(drill: &mut Drill) {
    let environment = ["PRESIGNER_ACCESS_KEY_ID", "PRESIGNER_SECRET_ACCESS_KEY"];
    let environment = environment.map(|name| (name.to_owned(), String::new())).to_vec();
    *drill = Drill::start_with(local::Options { environment, ..local::Options::for_tests() }).await;
    let answer = drill.service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await.1;
    assert!(answer.status >= 500, "{}", answer.body);
}

pub async fn a_table_is_slow(drill: &mut Drill) {
    drill.faults.always(READS_LICENSE, Fault::Slow(std::time::Duration::from_secs(1)));
    drill.faults.take_calls();
    let later = async {
        drill.faults.arrival_of(READS_LICENSE).await;
        drill.service.clock.advance(Duration::seconds(21));
    };
    tokio::join!(validate(&drill.service), later);
}

/// The template's limit is 200 a second. Sends this many requests to an unknown route in each of three minutes.
async fn floods(drill: &mut Drill, each_minute: usize) {
    let url = format!("{}/none", drill.service.variable("BASE_URL"));
    for minute in 0..3 {
        if minute > 0 {
            drill.service.clock.advance(Duration::seconds(60));
        }
        let all = (0..each_minute)
            .map(|_| async { assert_eq!(drill.service.http.get(&url).send().await.unwrap().status(), 404) });
        futures_util::stream::iter(all).buffer_unordered(32).collect::<Vec<_>>().await;
    }
}

pub async fn requests_near_the_limit(drill: &mut Drill) {
    floods(drill, 10_000).await;
}

pub async fn a_route_is_flooded(drill: &mut Drill) {
    floods(drill, 3_500).await;
}

/// S3 reports a bucket's size once a day; the local service does not, so the metric is set.
pub async fn uploads_are_left(drill: &mut Drill) {
    let bucket = [("BucketName", "UploadsBucket"), ("StorageType", "StandardStorage")];
    drill.service.cloud_watch().count("AWS/S3", "BucketSizeBytes", &bucket, 51e9);
}

/// EventBridge sends an event to the rule's queue if the topic refuses it; there is no local EventBridge, so the metric
/// is set.
pub async fn a_rule_cannot_publish(drill: &mut Drill) {
    let queue = [("QueueName", "UnreportedEvents")];
    drill.service.cloud_watch().count("AWS/SQS", "ApproximateNumberOfMessagesVisible", &queue, 1.0);
}

/// One request occupies the only instance while another arrives. Only that request makes the call.
async fn throttle(drill: &mut Drill, call: &str, request: impl AsyncFn(&Service) -> u16) {
    *drill = Drill::start_with(local::Options { concurrency: Some(1), ..local::Options::for_tests() }).await;
    drill.faults.always(call, Fault::Slow(std::time::Duration::from_secs(1)));
    drill.faults.take_calls();
    let second = async {
        drill.faults.arrival_of(call).await;
        request(&drill.service).await
    };
    let (first, second) = tokio::join!(request(&drill.service), second);
    assert_eq!((first, second), (200, 503));
}

pub async fn more_requests_than_instances(drill: &mut Drill) {
    throttle(drill, READS_LICENSE, validate).await;
}

pub async fn more_admin_requests_than_instances(drill: &mut Drill) {
    let list = async |service: &Service| service.admin(Method::GET, "/audit", Value::Null).await.status;
    throttle(drill, "Query audit", list).await;
}

pub async fn a_function_takes_too_long(drill: &mut Drill) {
    let timeout = Some(std::time::Duration::from_secs(1));
    *drill = Drill::start_with(local::Options { timeout, ..local::Options::for_tests() }).await;
    drill.faults.always("BatchGetItem", Fault::Hang);
    for minute in 0..3 {
        if minute > 0 {
            drill.service.clock.advance(Duration::seconds(60));
        }
        assert_eq!(validate(&drill.service).await, 500);
    }
}

async fn throttle_a_table(drill: &Drill, call: &str) {
    drill.faults.always(call, Fault::Throttle);
    for period in 0..3 {
        if period > 0 {
            drill.service.clock.advance(Duration::seconds(300));
        }
        assert!(create(&drill.service).await >= 500);
    }
}

pub async fn reads_are_throttled(drill: &mut Drill) {
    throttle_a_table(drill, "BatchGetItem accounts").await;
}

pub async fn writes_are_throttled(drill: &mut Drill) {
    throttle_a_table(drill, "UpdateItem sessions").await;
}

pub async fn captures_near_the_quota_of_kms(drill: &mut Drill) {
    for minute in 0..3 {
        if minute > 0 {
            drill.service.clock.advance(Duration::seconds(60));
        }
        for _ in 0..2 {
            drill.service.capture(LICENSE, &frame::fresh()).await.1.ok();
        }
    }
}

/// Someone with the role of `ingest` signs without the function.
pub async fn claims_are_forged(drill: &mut Drill) {
    let connection = Connection::new(drill.faults.config(&drill.service)).unwrap();
    let state = SignerProfiles::new(&connection).state(Environment::Sandbox).await.unwrap();
    let key_arn = state.profile.unwrap().claim.key_arn;
    let keys = SigningKeys::new(&connection);
    for number in 0..12 {
        keys.sign(&key_arn, SignatureAlgorithm::EcdsaSha256, [number; 32]).await.unwrap();
    }
}

pub async fn a_subscriber_takes_nothing(drill: &mut Drill) {
    let receiver = Receiver::start().await;
    receiver.answer(Answer::status(500));
    drill.faults.subscribe(&receiver.url());
    let customer = Customer::new(&drill.service, Environment::Sandbox, NamedTerms::default()).await;
    let revoke = format!("/licenses/{}/revoke", customer.license_id);
    let answer = drill.service.admin(Method::POST, &revoke, Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    drill.service.clock.advance(Duration::seconds(301));
}

pub async fn the_rule_is_disabled(drill: &mut Drill) {
    drill.service.rule().disable();
    drill.service.clock.advance(Duration::seconds(901));
}

pub async fn the_rule_loses_its_target(drill: &mut Drill) {
    drill.service.rule().lose_target();
    drill.service.clock.advance(Duration::seconds(301));
}

pub async fn the_canary_fails(drill: &mut Drill) {
    let service = &drill.service;
    let secret = json!({
        "api_key": service.variable("API_KEY"), "license_key": service.variable(LICENSE), "origin": PAGE,
        "roots_pem": service.trust_anchors(),
    });
    let faults = Faults::before_with_secret(service, secret.to_string()).await;
    let mut config = faults.config(service);
    config.canary_secret_arn.set("canary".to_owned());
    let connection = Connection::new(config).unwrap();
    let canary = Canary::new(&connection, Arc::clone(&service.clock) as Arc<dyn Clock>);
    let program = Initialization::of("canary").done("local");
    let run = async || {
        let (outcome, records) = program.measure(canary.run()).await;
        records.into_iter().for_each(|record| service.cloud_watch().read(record.line().as_bytes()));
        outcome
    };
    assert_eq!(run().await, Outcome::Succeeded);
    let alarm = Alarm::of(&alarm::template(), "CanaryFails");
    assert_eq!(drill.state(&alarm), State::Ok);
    drill.faults.always("", Fault::Refuse);
    for _ in 0..3 {
        service.clock.advance(Duration::minutes(15));
        assert!(matches!(run().await, Outcome::Failed(_)));
    }
    assert_eq!(drill.state(&alarm), State::Alarm);
}
