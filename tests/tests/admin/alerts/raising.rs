//! Tests raising: each alert once when its threshold is reached, also if records are repeated or out of order.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_captures_raise_each_alert_once() {
    const CAPTURES: usize = 64;
    let options = local::Options { follows_streams: true, ..local::Options::for_tests() };
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

    // The stream delivers them to the function.
    for kind in VOLUME {
        doors.arrival_of(&format!("Publish {}", kind.name())).await;
    }
    let alerts = lacre_storage::Alerts::new(service.connection());
    while !alerts.unpublished().await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    // The same captures are delivered again concurrently.
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

    // Creating the accounts revoked a license; the schedule, which also runs, publishes that alert.
    let mut published = publications(&doors);
    published.retain(|alert| alert != "REVOKED");
    published.sort();
    assert_eq!(published, PUBLISHED);
    assert_eq!(watch.published(), [""; 0]);
    let stored = watch.of_license(&customer.license_id).await;
    assert_eq!(watch.kinds(&customer.license_id).await, VOLUME);
    for alert in stored {
        let percent = lacre_domain::alert::threshold_percent(alert.kind).unwrap();
        assert!(alert.captures_used.unwrap() * 100 >= CAPTURES as u64 * percent, "{alert:?}");
        assert_eq!(alert.volume_limit, Some(CAPTURES as u64));
        assert!(alert.published_at.is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_batches_are_redelivered() {
    let options = local::Options { follows_streams: true, ..local::Options::for_tests() };
    let (service, doors) = Service::start_behind_faults_with(options).await;
    let customer = customer(&service, Environment::Staging, Some(1)).await;
    // A query finds whether an alert exists. The schedule's first query may be the one that fails.
    doors.strike("Query", 1, 3, Fault::Refuse);
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
    for kind in VOLUME {
        doors.arrival_of(&format!("Publish {}", kind.name())).await;
    }
    assert_eq!(doors.clear(), 3);
}

#[tokio::test]
async fn each_threshold_raises_its_alert() {
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
async fn repeated_events_raise_nothing_twice() {
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
    // The batches conflict in the database; failed ones are redelivered, as by Lambda.
    while !waiting.is_empty() {
        let answers = join_all(waiting.iter().map(|batch| watch.deliver(batch))).await;
        waiting = waiting.into_iter().zip(answers).filter_map(|(batch, failed)| failed.and(Some(batch))).collect();
    }
    assert_eq!(watch.kinds(&customer.license_id).await, VOLUME);
    assert_eq!(watch.published(), PUBLISHED);
    assert_eq!(watch.tick().await.map(|_| watch.published()), Ok(vec![]));
}

#[tokio::test]
async fn raises_alerts_monthly_except_in_sandbox() {
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
async fn unreadable_records_do_not_delay_others() {
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
async fn retries_licenses_that_cannot_be_read() {
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
async fn only_new_captures_raise_alerts() {
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
