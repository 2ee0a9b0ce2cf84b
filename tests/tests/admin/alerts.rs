//! Alerts: each raised once and published at least once, whatever comes twice, late, garbled or not at all.

use std::{sync::Arc, time::Duration};

use alerts::Alerts;
use aws::{Connection, Patience, Volume};
use aws_sdk_dynamodb::types::AttributeValue;
use domain::{Alert, AlertKind, Clock, Environment, LicenseId, Terms, capture::month_of};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::{Fault, Faults, Service, Storage, customer::Customer, frame};

/// The function as Lambda has it, with doors before its AWS.
struct Watch<'a> {
    service: &'a Service,
    doors: Faults,
    function: Alerts,
    stored: aws::Alerts,
}

impl<'a> Watch<'a> {
    /// The function, after it has told what making the accounts raised.
    async fn of(service: &'a Service) -> Self {
        let doors = Faults::before(service).await;
        let connection = Connection::new(doors.config(service)).unwrap();
        let function = Alerts::new(&connection, Arc::clone(&service.clock) as Arc<dyn Clock>);
        function.handle_schedule(&mut Vec::new()).await.unwrap();
        doors.take_calls();
        Self { service, doors, function, stored: aws::Alerts::new(service.connection()) }
    }

    fn month(&self) -> String {
        month_of(self.service.clock.now())
    }

    /// Makes a license's count of a month what it says.
    async fn count(&self, license: &LicenseId, month: &str, captures: u64) {
        let volume = Volume::new(self.service.connection());
        let read = volume.read(license, month).await.unwrap();
        assert!(volume.replace(&read, captures).await.unwrap());
    }

    /// The function's answer to a batch: the sequence number of the record that must come again.
    async fn deliver(&self, records: &[Value]) -> Option<String> {
        let answer = self.function.handle(json!({ "Records": records }), &mut Vec::new()).await.unwrap();
        let failures = answer["batchItemFailures"].as_array().unwrap();
        assert!(failures.len() <= 1, "{answer}");
        failures.first().map(|failure| failure["itemIdentifier"].as_str().unwrap().to_owned())
    }

    /// What the schedule writes, or why it failed.
    async fn tick(&self) -> Result<String, String> {
        let mut metrics = Vec::new();
        let event = sample("alerts-schedule");
        self.function.handle(event, &mut metrics).await.map_err(|error| error.to_string())?;
        Ok(String::from_utf8(metrics).unwrap())
    }

    async fn of_license(&self, license: &LicenseId) -> Vec<Alert> {
        self.stored.of_license(license).await.unwrap()
    }

    async fn kinds(&self, license: &LicenseId) -> Vec<AlertKind> {
        let mut kinds: Vec<_> = self.of_license(license).await.into_iter().map(|alert| alert.kind).collect();
        kinds.sort();
        kinds
    }

    async fn unpublished(&self) -> usize {
        self.stored.unpublished().await.unwrap().len()
    }

    /// What was published since this was last asked, each attempt by its name.
    fn published(&self) -> Vec<String> {
        let mut published = publications(&self.doors);
        published.sort();
        published
    }
}

fn publications(doors: &Faults) -> Vec<String> {
    let calls = doors.take_calls().into_iter();
    calls.filter_map(|call| call.strip_prefix("Publish ").map(str::to_owned)).collect()
}

fn sample(name: &str) -> Value {
    let path = format!("{}/../events/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A license of so many captures a month.
async fn customer(service: &Service, environment: Environment, volume_limit: Option<u64>) -> Customer<'_> {
    Customer::new(service, environment, Terms { volume_limit, ..Terms::default() }).await
}

/// The stream's record of a capture of a license.
fn record(customer: &Customer<'_>, month: &str, sequence_number: u32) -> Value {
    let mut record = sample("alerts-stream")["Records"][0].clone();
    let change = &mut record["dynamodb"];
    change["SequenceNumber"] = sequence_number.to_string().into();
    change["NewImage"]["license_id"]["S"] = customer.license_id.0.clone().into();
    change["NewImage"]["client_id"]["S"] = customer.client_id.0.clone().into();
    change["NewImage"]["month"]["S"] = month.into();
    record
}

const VOLUME: [AlertKind; 3] = [AlertKind::Volume70, AlertKind::Volume90, AlertKind::Volume100];
const PUBLISHED: [&str; 3] = ["VOLUME_100", "VOLUME_70", "VOLUME_90"];

#[tokio::test(flavor = "multi_thread")]
async fn captures_that_cross_all_thresholds_at_once_raise_each_alert_once() {
    const CAPTURES: usize = 64;
    // One machine plays all of AWS, and one call waits for hundreds of others: the functions are told to wait for them.
    let (attempt, call) = (Duration::from_secs(30), Duration::from_secs(60));
    let objects = Patience { object_attempt: attempt, object_call: call, ..Patience::PRODUCTION };
    let patience = Patience { attempt, call, request: call, commit: call, ..objects };
    let options = local::Options { patience, invokes_alerts: true, ..local::Options::for_tests() };
    let (service, doors) = Service::start_behind_faults_with(options).await;
    let customer = customer(&service, Environment::Staging, Some(CAPTURES as u64)).await;
    let ready = join_all((0..CAPTURES).map(|_| async {
        let loaded = customer.open().await;
        customer.upload(&loaded, &frame::fresh()).await
    }));
    let submissions = ready.await;
    doors.take_calls();
    let answers = join_all(submissions.iter().map(|submission| customer.ingest(submission))).await;
    assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");

    // The stream brings them to the function, by itself.
    for kind in VOLUME {
        doors.arrival_of(&format!("Publish {}", kind.name())).await;
    }
    let alerts = aws::Alerts::new(service.connection());
    while !alerts.unpublished().await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    // And the same captures again, from the evidence, side by side.
    let watch = Watch::of(&service).await;
    let evidence = Storage::of(&service).items("EVIDENCE_TABLE").await;
    assert_eq!(evidence.len(), CAPTURES);
    let records: Vec<Value> = evidence
        .into_iter()
        .map(|item| {
            let mut record = record(&customer, "", 1);
            record["dynamodb"]["NewImage"] = serde_json::to_value(serde_dynamo::Item::from(item)).unwrap();
            record
        })
        .collect();
    let again = join_all(records.iter().map(|record| watch.deliver(std::slice::from_ref(record)))).await;
    assert!(again.iter().all(Option::is_none), "{again:?}");

    // Making the accounts revoked a license; the schedule, which runs too, tells of it.
    let mut published = publications(&doors);
    published.retain(|alert| alert != "REVOKED");
    published.sort();
    assert_eq!(published, PUBLISHED);
    assert_eq!(watch.published(), [""; 0]);
    let stored = watch.of_license(&customer.license_id).await;
    assert_eq!(watch.kinds(&customer.license_id).await, VOLUME);
    for alert in stored {
        let percent = alert.kind.threshold_percent().unwrap();
        assert!(alert.captures_used.unwrap() * 100 >= CAPTURES as u64 * percent, "{alert:?}");
        assert_eq!(alert.volume_limit, Some(CAPTURES as u64));
        assert!(alert.published_at.is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_fails_comes_again() {
    let options = local::Options { invokes_alerts: true, ..local::Options::for_tests() };
    let (service, doors) = Service::start_behind_faults_with(options).await;
    let customer = customer(&service, Environment::Staging, Some(1)).await;
    // Whether an alert is there already is a query. The schedule's, at the start, may be the first that is struck.
    doors.strike("Query", 1, 3, Fault::Refuse);
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
    for kind in VOLUME {
        doors.arrival_of(&format!("Publish {}", kind.name())).await;
    }
    assert_eq!(doors.clear(), 3);
}

#[tokio::test]
async fn each_threshold_is_told_when_it_is_reached() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = customer(&service, Environment::Production, Some(10)).await;
    let month = watch.month();
    let mut expected = Vec::new();
    for (captures, kind) in [(6, None), (7, Some(0)), (8, None), (9, Some(1)), (10, Some(2)), (11, None)] {
        watch.count(&customer.license_id, &month, captures).await;
        assert_eq!(watch.deliver(&[record(&customer, &month, 1)]).await, None);
        let kind = kind.map(|place: usize| VOLUME[place]);
        expected.extend(kind);
        assert_eq!(watch.kinds(&customer.license_id).await, expected);
        assert_eq!(watch.published(), kind.map(AlertKind::name).into_iter().collect::<Vec<_>>());
        if let Some(kind) = kind {
            let stored = watch.of_license(&customer.license_id).await;
            let alert = stored.into_iter().find(|alert| alert.kind == kind).unwrap();
            assert_eq!((alert.captures_used, alert.volume_limit), (Some(captures), Some(10)));
            assert_eq!((alert.client_id, alert.month.as_str()), (customer.client_id.clone(), month.as_str()));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_come_twice_and_in_any_order_raise_nothing_twice() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = customer(&service, Environment::Staging, Some(20)).await;
    let month = watch.month();
    watch.count(&customer.license_id, &month, 20).await;
    let records: Vec<Value> = (0..20).map(|number| record(&customer, &month, number)).collect();
    let backwards: Vec<Value> = records.iter().rev().cloned().collect();
    let batches = [&records[..], &backwards[..], &records[7..12], &backwards[3..]];
    let singly = records.iter().chain(&backwards).map(std::slice::from_ref);
    let mut waiting: Vec<&[Value]> = batches.into_iter().chain(singly).collect();
    // All at once they meet each other in the store; what did not come through comes again, as Lambda has it.
    while !waiting.is_empty() {
        let answers = join_all(waiting.iter().map(|batch| watch.deliver(batch))).await;
        waiting = waiting.into_iter().zip(answers).filter_map(|(batch, failed)| failed.and(Some(batch))).collect();
    }
    assert_eq!(watch.kinds(&customer.license_id).await, VOLUME);
    assert_eq!(watch.published(), PUBLISHED);
    assert_eq!(watch.tick().await.map(|_| watch.published()), Ok(vec![]));
}

#[tokio::test]
async fn a_new_month_is_told_anew_and_the_sandbox_never() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let live = customer(&service, Environment::Production, Some(4)).await;
    let sandbox = customer(&service, Environment::Sandbox, None).await;
    for month in ["2026-11", "2026-12"] {
        for customer in [&live, &sandbox] {
            watch.count(&customer.license_id, month, 1_000_000).await;
            assert_eq!(watch.deliver(&[record(customer, month, 1)]).await, None);
        }
        assert_eq!(watch.published(), PUBLISHED);
        assert_eq!(watch.stored.of_month(month, Some(&live.client_id)).await.unwrap().len(), 3);
    }
    assert_eq!(watch.of_license(&live.license_id).await.len(), 6);
    assert_eq!(watch.of_license(&sandbox.license_id).await, []);
}

#[tokio::test]
async fn what_cannot_be_published_is_stored_and_published_by_the_schedule() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    for fault in [Fault::Refuse, Fault::ServerError, Fault::Cut, Fault::Garble] {
        let customer = customer(&service, Environment::Staging, Some(10)).await;
        let month = watch.month();
        watch.count(&customer.license_id, &month, 10).await;
        watch.doors.always("Publish", fault);
        assert_eq!(watch.deliver(&[record(&customer, &month, 1)]).await, None, "{fault:?}");
        assert_eq!(watch.kinds(&customer.license_id).await, VOLUME, "{fault:?}");
        let failure = watch.tick().await.unwrap_err();
        assert!(failure.starts_with("3 alerts are not published"), "{fault:?}: {failure}");
        assert_eq!(watch.unpublished().await, 3, "{fault:?}");
        watch.doors.clear();
        watch.doors.take_calls();

        watch.tick().await.unwrap();
        assert_eq!(watch.published(), PUBLISHED, "{fault:?}");
        assert_eq!(watch.unpublished().await, 0);
        let stored = watch.of_license(&customer.license_id).await;
        assert!(stored.iter().all(|alert| alert.published_at.is_some()), "{stored:?}");
        assert_eq!(stored.len(), 3);
    }
}

#[tokio::test]
async fn one_alert_that_cannot_be_published_does_not_hold_up_the_others() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = customer(&service, Environment::Staging, Some(10)).await;
    let month = watch.month();
    watch.count(&customer.license_id, &month, 10).await;
    watch.doors.always("Publish VOLUME_70", Fault::Refuse);
    assert_eq!(watch.deliver(&[record(&customer, &month, 1)]).await, None);
    let waiting = watch.stored.unpublished().await.unwrap().into_iter();
    assert_eq!(waiting.map(|alert| alert.unwrap().kind).collect::<Vec<_>>(), [AlertKind::Volume70]);
}

#[tokio::test]
async fn a_publication_whose_answer_or_note_is_lost_is_made_again() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    // Of the transactions the first raises the alert, and the second notes that it was published.
    let lost = [("Publish", 1, Fault::LoseAnswer), ("TransactWriteItems", 2, Fault::Refuse)];
    for (call, nth, fault) in lost {
        let customer = customer(&service, Environment::Staging, Some(10)).await;
        let month = watch.month();
        watch.count(&customer.license_id, &month, 7).await;
        watch.doors.strike(call, nth, 3, fault);
        assert_eq!(watch.deliver(&[record(&customer, &month, 1)]).await, None, "{call}");
        assert_eq!(watch.unpublished().await, 1, "{call}");
        watch.doors.clear();
        assert!(watch.published().iter().all(|kind| kind == "VOLUME_70"), "{call}");

        watch.tick().await.unwrap();
        assert_eq!(watch.published(), ["VOLUME_70"], "{call}");
        assert_eq!((watch.unpublished().await, watch.kinds(&customer.license_id).await.len()), (0, 1), "{call}");
        assert_eq!(watch.tick().await.map(|_| watch.published()), Ok(vec![]), "{call}");
    }
}

#[tokio::test]
async fn an_alert_whose_raising_is_not_known_is_raised_once_and_published() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    for fault in [Fault::LoseAnswer, Fault::Refuse] {
        let customer = customer(&service, Environment::Staging, Some(10)).await;
        let month = watch.month();
        watch.count(&customer.license_id, &month, 7).await;
        watch.doors.always("TransactWriteItems", fault);
        let records = [record(&customer, &month, 41), record(&customer, &month, 42)];
        assert_eq!(watch.deliver(&records).await.as_deref(), Some("41"), "{fault:?}");
        watch.doors.clear();
        // Lambda brings it again; what the stream does not publish then, the schedule does.
        assert_eq!(watch.deliver(&records).await, None, "{fault:?}");
        watch.tick().await.unwrap();
        assert_eq!(watch.published(), ["VOLUME_70"], "{fault:?}");
        assert_eq!(watch.kinds(&customer.license_id).await, [AlertKind::Volume70], "{fault:?}");
    }
}

#[tokio::test]
async fn a_record_that_cannot_be_read_comes_again_and_keeps_nothing_from_the_others() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let (first, second) = (
        customer(&service, Environment::Staging, Some(1)).await,
        customer(&service, Environment::Staging, Some(1)).await,
    );
    let month = watch.month();
    for customer in [&first, &second] {
        watch.count(&customer.license_id, &month, 1).await;
    }
    let mut newer = record(&first, &month, 12);
    newer["dynamodb"]["NewImage"]["v"]["N"] = "2".into();
    let mut damaged = record(&first, &month, 13);
    damaged["dynamodb"]["NewImage"].as_object_mut().unwrap().remove("month");
    let batch = [record(&first, &month, 11), newer, damaged, record(&second, &month, 14)];
    assert_eq!(watch.deliver(&batch).await.as_deref(), Some("12"));
    for customer in [&first, &second] {
        assert_eq!(watch.kinds(&customer.license_id).await, VOLUME);
    }
    assert_eq!(watch.published().len(), 6);
    assert_eq!(watch.deliver(&batch[2..]).await.as_deref(), Some("13"));
    assert_eq!(watch.deliver(&batch[3..]).await, None);
    assert_eq!(watch.published(), [""; 0]);
}

#[tokio::test]
async fn a_license_that_cannot_be_read_is_looked_at_again() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = customer(&service, Environment::Staging, Some(1)).await;
    let month = watch.month();
    watch.count(&customer.license_id, &month, 1).await;
    watch.doors.always("BatchGetItem", Fault::Refuse);
    let batch = [record(&customer, &month, 5), record(&customer, &month, 6)];
    assert_eq!(watch.deliver(&batch).await.as_deref(), Some("5"));
    assert_eq!(watch.of_license(&customer.license_id).await, []);
    watch.doors.clear();
    assert_eq!(watch.deliver(&batch).await, None);
    assert_eq!(watch.kinds(&customer.license_id).await, VOLUME);
}

#[tokio::test]
async fn captures_alone_count() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = customer(&service, Environment::Staging, Some(1)).await;
    let month = watch.month();
    watch.count(&customer.license_id, &month, 1).await;
    let mut change = record(&customer, &month, 1);
    change["eventName"] = "MODIFY".into();
    assert_eq!(watch.deliver(&[change]).await, None);
    assert_eq!(watch.of_license(&customer.license_id).await, []);
    assert!(watch.function.handle(json!({ "Records": "none" }), &mut Vec::new()).await.is_err());
}

#[tokio::test]
async fn a_revocation_is_published_by_the_schedule() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = customer(&service, Environment::Sandbox, None).await;
    service.administration().revoke_license(&customer.license_id).await.unwrap();
    watch.tick().await.unwrap();
    assert_eq!(watch.published(), ["REVOKED"]);
    let stored = watch.of_license(&customer.license_id).await;
    assert!(stored[0].kind == AlertKind::Revoked && stored[0].published_at.is_some(), "{stored:?}");
}

#[tokio::test]
async fn the_schedule_tells_how_long_certificates_last() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let before = service.clock.millis();
    let lines = async || {
        let text = watch.tick().await.unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let told = lines().await;
    let mut environments = Vec::new();
    for mut line in told.clone() {
        let at = line["_aws"]["Timestamp"].take().as_i64().unwrap();
        assert!((before..=service.clock.millis()).contains(&at));
        environments.push(line["Environment"].as_str().unwrap().to_owned());
        let metric = json!({
            "_aws": {
                "Timestamp": null,
                "CloudWatchMetrics": [{
                    "Namespace": "Lacre",
                    "Dimensions": [["Stack", "Environment"]],
                    "Metrics": [{ "Name": "CertificateDaysLeft", "Unit": "Count" }],
                }],
            },
            "Stack": "local", "Environment": line["Environment"], "CertificateDaysLeft": line["CertificateDaysLeft"],
        });
        assert_eq!(line, metric);
    }
    environments.sort();
    assert_eq!(environments, ["PRODUCTION", "SANDBOX", "STAGING"]);

    let days = |told: &[Value]| told.iter().map(|line| line["CertificateDaysLeft"].as_i64().unwrap()).min().unwrap();
    let left = days(&told);
    assert!(left > 0);
    service.clock.advance(time::Duration::days(left + 3));
    assert_eq!(days(&lines().await), -3);
}

#[tokio::test]
async fn a_publication_that_fails_keeps_no_metric_back() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    watch.doors.always("Query", Fault::Refuse);
    let mut metrics = Vec::new();
    let failure = watch.function.handle_schedule(&mut metrics).await.unwrap_err().to_string();
    assert!(failure.starts_with("the outbox cannot be read"), "{failure}");
    assert_eq!(String::from_utf8(metrics).unwrap().lines().count(), 3);
}

/// An entry of the outbox that cannot be read is told, and holds up none of the others.
#[tokio::test]
async fn an_alert_that_cannot_be_read_does_not_hold_up_the_others() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = Customer::new(&service, Environment::Staging, Terms::default()).await;
    service.administration().revoke_license(&customer.license_id).await.unwrap();
    let entry = [("pk", "alerts#unpublished".to_owned()), ("sk", "2026-01#damaged".to_owned())];
    let storage = Storage::of(&service);
    let mut put = storage.dynamodb.put_item().table_name(service.variable("ACCOUNTS_TABLE"));
    for (name, value) in entry {
        put = put.item(name, AttributeValue::S(value));
    }
    put.send().await.unwrap();

    let failure = watch.function.handle_schedule(&mut Vec::new()).await.unwrap_err().to_string();
    assert!(failure.starts_with("1 alerts are not published"), "{failure}");
    assert_eq!(watch.unpublished().await, 1, "the damaged one");
    let filter = admin::AlertFilter { license: Some(customer.license_id.clone()), ..Default::default() };
    let [revoked] = service.administration().alerts(&filter).await.unwrap().try_into().unwrap();
    assert!(revoked.published_at.is_some());
}
