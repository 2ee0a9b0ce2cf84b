//! The causes of alarms.

use domain::{Clock, Environment};
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::Value;
use tests::{Authority, Behavior, Fault, Service, Storage, frame};
use time::Duration;

use crate::Drill;

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

pub async fn the_outbox_of_alerts_cannot_be_read(drill: &mut Drill) {
    drill.faults.always("Query", Fault::Refuse);
    for _ in 0..2 {
        drill.service.clock.advance(Duration::seconds(301));
        // The schedule follows the clock; two periods need an error each.
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
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
    // The batch comes again: two periods need a failure each.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    drill.service.clock.advance(Duration::seconds(301));
}

pub async fn messages_cannot_be_decrypted(drill: &mut Drill) {
    drill.faults.always("Decrypt", Fault::Refuse);
    drill.service.post_webhook(Environment::Sandbox, "http://127.0.0.1:1/").await;
}

/// In production no webhook goes to this machine, so the receiver is one that cannot be found.
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

async fn validate(service: &Service) -> u16 {
    service.validate(LICENSE).await.status
}

async fn create_hosted(service: &Service) -> u16 {
    let order = Service::hosted_order("default");
    service.create_hosted_with(service.variable("API_KEY"), &order).await.status
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
    *drill = Drill::start(&[("PRESIGNER_ACCESS_KEY_ID", ""), ("PRESIGNER_SECRET_ACCESS_KEY", "")]).await;
    let answer = drill.service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await.1;
    assert!(answer.status >= 500, "{}", answer.body);
}

pub async fn a_table_is_slow(drill: &mut Drill) {
    drill.faults.always("BatchGetItem", Fault::Slow(std::time::Duration::from_secs(1)));
    let later = async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        drill.service.clock.advance(Duration::seconds(21));
    };
    tokio::join!(validate(&drill.service), later);
}

/// At the limit of the template, 200 a second.
pub async fn requests_near_the_limit(drill: &mut Drill) {
    let url = format!("{}/none", drill.service.variable("BASE_URL"));
    for minute in 0..3 {
        if minute > 0 {
            drill.service.clock.advance(Duration::seconds(60));
        }
        let all =
            (0..10_000).map(|_| async { assert_eq!(drill.service.http.get(&url).send().await.unwrap().status(), 404) });
        futures_util::stream::iter(all).buffer_unordered(32).collect::<Vec<_>>().await;
    }
}
