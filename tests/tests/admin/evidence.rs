//! Tests the evidence operations: show, export, recount, and compare with stored objects.

use std::{collections::BTreeSet, sync::Arc};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use lacre_administration::{Error, EvidenceAdministration, EvidenceView, OrphanedObjects};
use lacre_domain::{Clock, Environment, NamedTerms, SessionId, StoreAssetPolicy, capture::month_of};
use lacre_storage::Connection;
use lacre_tests::{Fault, Faults, Service, Storage, customer::Customer, frame};
use serde_json::json;
use time::Duration;

/// Makes a capture and returns its capture id.
async fn capture(customer: &Customer<'_>) -> String {
    let answer = customer.capture(&frame::fresh()).await.ok();
    let session_id = SessionId::parse(answer["session_id"].as_str().unwrap()).unwrap();
    session_id.capture_id().as_str().to_owned()
}

/// Key of an object that a failed attempt may have left.
const STRAY: &str =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/0123456789abcdef0123456789abcdef/photo.jpg";

/// Stores an object that no record names.
async fn put(service: &Service, key: &str) {
    let put = Storage::of(service).s3.put_object().bucket(service.variable("PROOFS_BUCKET")).key(key);
    put.body(frame::fresh().into()).send().await.unwrap();
}

/// Sets one shard of this month's count, or removes it.
async fn set_shard(customer: &Customer<'_>, service: &Service, shard: u8, captures: Option<u64>) {
    let key = |name: &str, value: String| (name.to_owned(), AttributeValue::S(value));
    let month = month_of(service.clock.now());
    let pk = key("pk", format!("volume#{}#{shard:02}", customer.license_id));
    let sk = key("sk", format!("volume#{month}"));
    let (dynamodb, table) = (Storage::of(service).dynamodb, service.variable("ACCOUNTS_TABLE"));
    match captures {
        None => {
            let delete = dynamodb.delete_item().table_name(table).set_key(Some([pk, sk].into()));
            delete.send().await.unwrap();
        }
        Some(captures) => {
            let number = |value: u64| AttributeValue::N(value.to_string());
            let fields = [pk, sk, ("captures".to_owned(), number(captures)), ("v".to_owned(), number(1))];
            dynamodb.put_item().table_name(table).set_item(Some(fields.into())).send().await.unwrap();
        }
    }
}

#[tokio::test]
async fn finds_a_capture_by_either_id() {
    let service = Service::start().await;
    let evidence = service.evidence();
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let answer = customer.capture(&frame::fresh()).await.ok();
    let session_id = answer["session_id"].as_str().unwrap();
    let capture_id = SessionId::parse(session_id).unwrap().capture_id();

    let found = evidence.capture(session_id).await.unwrap();
    assert_eq!(evidence.capture(capture_id.as_str()).await.unwrap(), found);
    let value = |field: &str| found.fields()[field].clone();
    assert_eq!((value("capture_id"), value("client_id")), (json!(capture_id.as_str()), json!(customer.client_id)));
    assert_eq!(value("position"), json!({ "latitude": -23.5505, "longitude": -46.6333, "accuracy": 12.5 }));
    let ingested_at = value("ingested_at");
    assert!(ingested_at.as_str().unwrap().starts_with(&month_of(service.clock.now())), "{ingested_at}");

    // The message contains no id that gives access.
    let unknown = "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b";
    let Err(Error::NotFound(message)) = evidence.capture(unknown).await else { panic!("it is not there") };
    assert_eq!(message, format!("capture {} does not exist", SessionId::parse(unknown).unwrap().capture_id().as_str()));
    assert!(matches!(evidence.capture("sinistro-42").await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn exports_a_clients_captures_by_month() {
    let service = Service::start().await;
    let evidence = service.evidence();
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let other = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let first_month = month_of(service.clock.now());
    let first = BTreeSet::from([capture(&customer).await, capture(&customer).await]);
    let others = BTreeSet::from([capture(&other).await]);
    service.clock.advance(Duration::days(31));
    let second_month = month_of(service.clock.now());
    let second = BTreeSet::from([capture(&customer).await]);

    let exported = async |client, month| {
        let mut ids = BTreeSet::new();
        let each = |capture: EvidenceView| {
            ids.insert(capture.fields()["capture_id"].as_str().unwrap().to_owned());
            Ok::<(), Error>(())
        };
        evidence.export(client, month, each).await.unwrap();
        ids
    };
    assert_eq!(exported(&customer.client_id, first_month.as_str()).await, first);
    assert_eq!(exported(&customer.client_id, second_month.as_str()).await, second);
    assert_eq!(exported(&other.client_id, first_month.as_str()).await, others);
    assert_eq!(exported(&other.client_id, second_month.as_str()).await, BTreeSet::new());
}

#[tokio::test]
async fn exports_end_at_the_first_error() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    capture(&customer).await;
    capture(&customer).await;
    let mut read = 0;
    let stop = |_| {
        read += 1;
        Err(Error::Refused("enough".into()))
    };
    let month = month_of(service.clock.now());
    let ended = service.evidence().export(&customer.client_id, &month, stop).await;
    assert!(matches!(ended, Err(Error::Refused(message)) if message == "enough"));
    assert_eq!(read, 1);
}

#[tokio::test]
async fn a_recount_rebuilds_false_counts() {
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let other = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    for _ in 0..3 {
        capture(&customer).await;
    }
    capture(&other).await;
    let all_shards = async |captures| {
        for shard in 0..lacre_domain::limits::VOLUME_SHARDS {
            set_shard(&customer, &service, shard, captures).await;
        }
    };
    let recounted = async |counted: u64| {
        let lower = counted > 3;
        let recount = administration.usage.recount(&customer.license_id, None, lower).await.unwrap();
        assert_eq!((recount.counted, recount.evidence), (counted, 3));
        assert_eq!(customer.validate().await["captures_used"], 3);
    };
    recounted(3).await;
    all_shards(None).await;
    assert_eq!(customer.validate().await["captures_used"], 0);
    recounted(0).await;
    all_shards(Some(2)).await;
    let refused = administration.usage.recount(&customer.license_id, None, false).await;
    assert!(
        matches!(refused, Err(Error::Refused(message)) if message.contains("--lower")),
        "a count does not fall by itself"
    );
    assert_eq!(customer.validate().await["captures_used"], 2 * u64::from(lacre_domain::limits::VOLUME_SHARDS));
    recounted(2 * u64::from(lacre_domain::limits::VOLUME_SHARDS)).await;
    all_shards(Some(0)).await;
    recounted(0).await;
    assert_eq!(other.validate().await["captures_used"], 1);

    // The count continues from there, and another month has its own.
    capture(&customer).await;
    assert_eq!(customer.validate().await["captures_used"], 4);
    let earlier = administration.usage.recount(&customer.license_id, Some("2001-01"), false).await.unwrap();
    assert_eq!((earlier.counted, earlier.evidence), (0, 0));
    assert!(matches!(
        administration.usage.recount(&customer.license_id, Some("2026-00"), false).await,
        Err(Error::Invalid(_))
    ));
}

/// A recount raises an alert that the function missed permanently.
#[tokio::test]
async fn a_recount_raises_due_alerts() {
    let service = Service::start().await;
    let terms = NamedTerms { volume_limit: Some(2), ..NamedTerms::default() };
    let customer = Customer::new(&service, Environment::Staging, terms).await;
    for _ in 0..2 {
        capture(&customer).await;
    }
    let administration = service.administration();
    let filter = lacre_administration::AlertFilter { license: Some(customer.license_id.clone()), ..Default::default() };
    assert_eq!(administration.alerts.list(&filter).await.unwrap(), [], "nothing follows the stream here");
    for _ in 0..2 {
        administration.usage.recount(&customer.license_id, None, false).await.unwrap();
        let raised = administration.alerts.list(&filter).await.unwrap();
        assert_eq!(
            raised.iter().map(|alert| alert.alert.name()).collect::<Vec<_>>(),
            ["VOLUME_70", "VOLUME_90", "VOLUME_100"]
        );
    }
}

/// Today's limit does not apply to a past month.
#[tokio::test]
async fn recounts_of_past_months_raise_nothing() {
    let service = Service::start().await;
    let terms = NamedTerms { volume_limit: Some(1), ..NamedTerms::default() };
    let customer = Customer::new(&service, Environment::Staging, terms).await;
    capture(&customer).await;
    let month = month_of(service.clock.now());
    service.clock.advance(Duration::days(31));
    let administration = service.administration();
    let recount = administration.usage.recount(&customer.license_id, Some(&month), false).await.unwrap();
    assert_eq!((recount.counted, recount.evidence), (1, 1));
    let filter = lacre_administration::AlertFilter { license: Some(customer.license_id.clone()), ..Default::default() };
    assert_eq!(administration.alerts.list(&filter).await.unwrap(), []);
}

#[tokio::test]
async fn concurrent_captures_prevent_replacing_counts() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    capture(&customer).await;
    let volume = lacre_storage::Volume::new(service.connection());
    let month = month_of(service.clock.now());
    let read = volume.read(&customer.license_id, &month).await.unwrap();
    capture(&customer).await;
    assert!(!volume.replace(&read, 1, &lacre_tests::operator::entry()).await.unwrap());
    assert_eq!(customer.validate().await["captures_used"], 2);
    let read = volume.read(&customer.license_id, &month).await.unwrap();
    assert!(volume.replace(&read, 2, &lacre_tests::operator::entry()).await.unwrap());
    assert_eq!(customer.validate().await["captures_used"], 2);
}

#[tokio::test]
async fn recounts_during_captures_lose_none() {
    const CAPTURES: u64 = 16;
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let captures = join_all((0..CAPTURES).map(|_| capture(&customer)));
    let recounts = async {
        loop {
            match administration.usage.recount(&customer.license_id, None, false).await {
                Ok(_) | Err(Error::Refused(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    tokio::select! {
        captured = captures => assert_eq!(captured.len() as u64, CAPTURES),
        () = recounts => {}
    }
    assert_eq!(customer.validate().await["captures_used"], CAPTURES);
    let recount = administration.usage.recount(&customer.license_id, None, false).await.unwrap();
    assert_eq!((recount.counted, recount.evidence), (CAPTURES, CAPTURES));
}

#[tokio::test]
async fn reconcile_removes_objects_without_record() {
    let service = Service::start().await;
    let evidence = service.evidence();
    let storage = Storage::of(&service);
    let terms = NamedTerms { store_asset_policy: Some(StoreAssetPolicy::Always), ..NamedTerms::default() };
    let customer = Customer::new(&service, Environment::Sandbox, terms).await;
    let answer = customer.capture(&frame::fresh()).await.ok();
    let named: BTreeSet<String> = storage.keys("PROOFS_BUCKET").await.into_iter().collect();
    assert_eq!(named.len(), 2, "a photo and its manifest: {named:?}");
    put(&service, STRAY).await;
    // Objects that ingest does not store are left alone.
    let foreign = ["inventory/2026-11-21.csv", "0123456789abcdef0123456789abcdef/photo.jpg"];
    for key in foreign {
        put(&service, key).await;
    }

    // Young objects may still get a record, so they are not examined even with a zero age.
    let young = evidence.reconcile(Duration::ZERO, true).await.unwrap();
    assert_eq!((young.keys.len(), young.examined), (0, 0));
    service.clock.advance(Duration::hours(2));
    let younger = evidence.reconcile(Duration::hours(3), true).await.unwrap();
    assert_eq!((younger.keys.len(), younger.examined), (0, 0));

    let found = evidence.reconcile(Duration::hours(1), false).await.unwrap();
    assert_eq!((&found.keys[..], &found.removed[..], found.examined), (&[STRAY.to_owned()][..], &[][..], 3));
    assert_eq!(storage.keys("PROOFS_BUCKET").await.len(), 5, "a look removes nothing");
    let removed = evidence.reconcile(Duration::hours(1), true).await.unwrap();
    assert_eq!((&removed.keys[..], &removed.removed[..]), (&[][..], &[STRAY.to_owned()][..]));
    let left: BTreeSet<String> = storage.keys("PROOFS_BUCKET").await.into_iter().collect();
    assert_eq!(left, named.into_iter().chain(foreign.map(str::to_owned)).collect());
    let nothing = OrphanedObjects { keys: Vec::new(), removed: Vec::new(), examined: 2, failure: None };
    assert_eq!(evidence.reconcile(Duration::hours(1), true).await.unwrap(), nothing);

    // A URL that was signed two hours in the future is not valid yet.
    service.clock.advance(-Duration::hours(2));
    let image = service.image(answer["session_id"].as_str().unwrap()).await.ok();
    assert_eq!(service.fetch(image["authenticated_jpeg_url"].as_str().unwrap()).await.0, 200);
}

#[tokio::test]
async fn reconcile_refuses_an_empty_evidence_table() {
    let service = Service::start().await;
    put(&service, STRAY).await;
    service.clock.advance(Duration::hours(2));
    let refused = service.evidence().reconcile(Duration::hours(1), true).await;
    let Err(Error::Refused(message)) = refused else { panic!("{refused:?}") };
    assert_eq!(
        message,
        "EVIDENCE_TABLE has no record, and PROOFS_BUCKET 1 objects: they are not of one deployment, or records are lost"
    );
    assert_eq!(Storage::of(&service).keys("PROOFS_BUCKET").await, [STRAY]);
}

#[tokio::test]
async fn failed_removals_report_deleted_and_remaining() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    capture(&customer).await;
    let strays: Vec<String> = (1..=3).map(|attempt| format!("{attempt:064x}/{attempt:032x}/photo.jpg")).collect();
    for stray in &strays {
        put(&service, stray).await;
    }
    service.clock.advance(Duration::hours(2));
    let faults = Faults::before(&service).await;
    let connection = Connection::new(faults.config(&service)).unwrap();
    let evidence = EvidenceAdministration::new(
        &connection,
        Arc::clone(&service.clock) as Arc<dyn Clock>,
        lacre_tests::operator::caller(lacre_tests::vault::CUSTODIAN),
    );
    faults.strike("DeleteObject", 2, usize::MAX, Fault::Refuse);
    let OrphanedObjects { keys, removed, examined, failure } =
        evidence.reconcile(Duration::hours(1), true).await.unwrap();
    assert_eq!((removed.as_slice(), keys.as_slice(), examined), (&strays[..1], &strays[1..], 4));
    assert!(failure.is_some_and(|why| why.starts_with("AWS: DeleteObject was refused")));
    faults.clear();
    let rest = evidence.reconcile(Duration::hours(1), true).await.unwrap();
    assert_eq!((rest.removed.as_slice(), rest.keys.len(), rest.failure), (&strays[1..], 0, None));
}

#[tokio::test]
async fn an_unreadable_record_prevents_any_removal() {
    let service = Service::start().await;
    let storage = Storage::of(&service);
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let capture_id = capture(&customer).await;
    storage.damage("EVIDENCE_TABLE", &[("capture_id", capture_id)], "manifest_key").await;
    service.clock.advance(Duration::hours(2));
    let before = storage.keys("PROOFS_BUCKET").await;
    assert_eq!(before.len(), 1, "its manifest");
    let refused = service.evidence().reconcile(Duration::hours(1), true).await;
    assert!(matches!(refused, Err(Error::Unavailable(lacre_storage::Error::Corrupt { .. }))));
    assert_eq!(storage.keys("PROOFS_BUCKET").await, before);
}
