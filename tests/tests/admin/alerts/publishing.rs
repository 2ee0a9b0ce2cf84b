//! Tests publishing: at least once, and an alert is stored first.

use super::*;

#[tokio::test]
async fn the_schedule_publishes_what_failed_before() {
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
        assert!(failure.starts_with("failed to publish 3 alerts"), "{fault:?}: {failure}");
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
async fn failed_publications_do_not_delay_others() {
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
async fn repeats_publications_with_lost_confirmation() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    // The first transaction raises the alert, the second counts, the third records the publication.
    let lost = [("Publish", 1, Fault::LoseAnswer), ("TransactWriteItems", 3, Fault::Refuse)];
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
async fn raises_alerts_once_after_unknown_outcomes() {
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
        // Lambda redelivers the batch; what is not published then, the schedule publishes.
        assert_eq!(watch.deliver(&records).await, None, "{fault:?}");
        watch.tick().await.unwrap();
        assert_eq!(watch.published(), ["VOLUME_70"], "{fault:?}");
        assert_eq!(watch.kinds(&customer.license_id).await, [AlertKind::Volume70], "{fault:?}");
    }
}

#[tokio::test]
async fn the_schedule_publishes_revocations() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = customer(&service, Environment::Sandbox, None).await;
    service.administration().licenses.revoke(&customer.license_id).await.unwrap();
    watch.tick().await.unwrap();
    assert_eq!(watch.published(), ["REVOKED"]);
    let stored = watch.of_license(&customer.license_id).await;
    assert!(stored[0].kind == AlertKind::Revoked && stored[0].published_at.is_some(), "{stored:?}");
}

/// An unreadable entry of the outbox is reported and does not delay other entries.
#[tokio::test]
async fn unreadable_alerts_do_not_delay_others() {
    let service = Service::start().await;
    let watch = Watch::of(&service).await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    service.administration().licenses.revoke(&customer.license_id).await.unwrap();
    let entry = [("pk", "alerts#unpublished".to_owned()), ("sk", "2026-01#damaged".to_owned())];
    let storage = Storage::of(&service);
    let mut put = storage.dynamodb.put_item().table_name(service.variable("ACCOUNTS_TABLE"));
    for (name, value) in entry {
        put = put.item(name, AttributeValue::S(value));
    }
    put.send().await.unwrap();

    let failure = watch.function.handle_schedule(&mut Vec::new()).await.unwrap_err().to_string();
    assert!(failure.starts_with("failed to publish 1 alerts"), "{failure}");
    assert_eq!(watch.unpublished().await, 1, "the damaged one");
    let filter = lacre_administration::AlertFilter { license: Some(customer.license_id.clone()), ..Default::default() };
    let [revoked] = service.administration().alerts.list(&filter).await.unwrap().try_into().unwrap();
    assert!(revoked.published_at.is_some());
}
