//! Tests the fault proxies: what a caller of AWS sees of each fault, and whether the call took effect.

use std::{collections::HashMap, time::Duration};

use aws_sdk_dynamodb::{
    config::timeout,
    types::{AttributeValue, KeysAndAttributes, Put, TransactWriteItem},
};
use futures_util::future::join_all;
use lacre_tests::{Fault, Faults, Service, frame};

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

/// A client without retries.
fn dynamodb(service: &Service, faults: &Faults) -> aws_sdk_dynamodb::Client {
    let storage = lacre_tests::Storage::of(service);
    let config = storage.dynamodb.config().to_builder();
    let config = config.endpoint_url(&faults.endpoints()["AWS_ENDPOINT_URL_DYNAMODB"]);
    let retry = aws_sdk_dynamodb::config::retry::RetryConfig::disabled();
    aws_sdk_dynamodb::Client::from_conf(config.retry_config(retry).build())
}

#[tokio::test]
async fn each_fault_has_a_known_effect() {
    let service = Service::start().await;
    let faults = Faults::before(&service).await;
    let (client, raw) = (dynamodb(&service, &faults), lacre_tests::Storage::of(&service).dynamodb);
    let table = service.variable("FRAMES_TABLE");
    for (fault, takes_effect, code) in [
        (Fault::Refuse, false, Some("AccessDeniedException")),
        (Fault::Throttle, false, Some("ProvisionedThroughputExceededException")),
        (Fault::ServerError, false, Some("InternalServerError")),
        (Fault::Cut, false, None),
        (Fault::LoseAnswer, true, None),
        (Fault::Garble, true, None),
    ] {
        let key = format!("{fault:?}");
        faults.once("PutItem frames", fault);
        let error = client.put_item().table_name(table).item("pk", text(&key)).send().await.unwrap_err();
        assert_eq!(aws_sdk_dynamodb::error::ProvideErrorMetadata::code(&error), code, "{fault:?}");
        let found = raw.get_item().table_name(table).key("pk", text(&key)).consistent_read(true).send().await.unwrap();
        assert_eq!(found.item.is_some(), takes_effect, "{fault:?}");
        client.put_item().table_name(table).item("pk", text(&key)).send().await.expect("a fault is injected once");
    }
    assert_eq!(faults.take_calls().len(), 12);
}

#[tokio::test]
async fn unanswered_calls_have_a_known_effect() {
    let service = Service::start().await;
    let faults = Faults::before(&service).await;
    let (client, raw) = (dynamodb(&service, &faults), lacre_tests::Storage::of(&service).dynamodb);
    let table = service.variable("FRAMES_TABLE");
    let is_there = async |key: &str| {
        let read = raw.get_item().table_name(table).key("pk", text(key)).consistent_read(true).send();
        read.await.unwrap().item.is_some()
    };
    for (fault, at_once, later) in
        [(Fault::Hang, false, false), (Fault::HangAfter, true, true), (Fault::Late, false, true)]
    {
        let key = format!("{fault:?}");
        faults.once("PutItem frames", fault);
        let short_timeout = timeout::TimeoutConfig::builder().operation_timeout(Duration::from_millis(500)).build();
        let put = client.put_item().table_name(table).item("pk", text(&key)).customize();
        let put = put.config_override(aws_sdk_dynamodb::config::Builder::new().timeout_config(short_timeout));
        let error = put.send().await.unwrap_err();
        assert!(matches!(error, aws_sdk_dynamodb::error::SdkError::TimeoutError(_)), "{fault:?}: {error:?}");
        assert_eq!(is_there(&key).await, at_once, "{fault:?}");
        assert_eq!(faults.clear(), 1);
        faults.let_late_calls_in().await;
        assert_eq!(is_there(&key).await, later, "{fault:?}");
    }
}

#[tokio::test]
async fn a_batch_returns_its_unprocessed_keys() {
    let service = Service::start().await;
    let faults = Faults::before(&service).await;
    let client = dynamodb(&service, &faults);
    let table = service.variable("FRAMES_TABLE");
    let key = |pk| HashMap::from([("pk".to_owned(), text(pk))]);
    for pk in ["a", "b"] {
        client.put_item().table_name(table).set_item(Some(key(pk))).send().await.unwrap();
    }
    let keys = KeysAndAttributes::builder().keys(key("a")).keys(key("b")).consistent_read(true).build().unwrap();
    let read = || client.batch_get_item().request_items(table, keys.clone()).send();
    faults.once("BatchGetItem", Fault::LeaveUnread);
    let answer = read().await.unwrap();
    assert_eq!(answer.responses().unwrap()[table], [key("a")]);
    assert_eq!(answer.unprocessed_keys().unwrap()[table].keys(), [key("b")]);
    assert_eq!(read().await.unwrap().responses().unwrap()[table].len(), 2);
}

#[tokio::test]
async fn injects_only_into_the_nth_call() {
    let service = Service::start().await;
    let faults = Faults::before(&service).await;
    let client = dynamodb(&service, &faults);
    faults.strike("PutItem", 2, 2, Fault::Cut);
    let mut passed = Vec::new();
    for key in ["1", "2", "3", "4"] {
        let put = client.put_item().table_name(service.variable("FRAMES_TABLE")).item("pk", text(key));
        passed.push(put.send().await.is_ok());
    }
    assert_eq!(passed, [true, false, false, true]);
}

#[tokio::test]
async fn eventually_consistent_reads_are_stale() {
    let service = Service::start().await;
    let faults = Faults::before(&service).await;
    let client = dynamodb(&service, &faults);
    let table = service.variable("FRAMES_TABLE");
    client.put_item().table_name(table).item("pk", text("a")).send().await.unwrap();
    let read = |consistent| client.get_item().table_name(table).key("pk", text("a")).consistent_read(consistent).send();
    assert!(read(true).await.unwrap().item.is_some());
    assert!(read(false).await.unwrap().item.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicting_transactions_are_cancelled() {
    let service = Service::start().await;
    // Two sets of proxies in front of one AWS share its conflicts.
    let clients = [Faults::before(&service).await, Faults::before(&service).await];
    let clients = clients.each_ref().map(|faults| dynamodb(&service, faults));
    let table = service.variable("FRAMES_TABLE");
    let put = || Put::builder().table_name(table).item("pk", text("contended")).build().unwrap();
    let write = |i: usize| {
        let item = TransactWriteItem::builder().put(put()).build();
        clients[i % 2].transact_write_items().transact_items(item).send()
    };
    let outcomes = join_all((0..32).map(write)).await;
    let cancelled = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).map(|error| {
        let error = error.as_service_error().unwrap();
        assert!(error.is_transaction_canceled_exception(), "{error:?}");
        format!("{error:?}").contains("TransactionConflict")
    });
    let cancelled: Vec<bool> = cancelled.collect();
    assert!(!cancelled.is_empty() && cancelled.len() < 32, "some pass, some meet: {}", cancelled.len());
    assert!(cancelled.iter().all(|conflict| *conflict));
}

#[tokio::test]
async fn damages_objects_and_signatures() {
    let (service, faults) = Service::start_behind_faults().await;
    let (_, answer) = service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await;
    let url = answer.ok()["authenticated_jpeg_url"].as_str().unwrap().to_owned();
    let whole = service.fetch(&url).await.1;
    faults.once("GetObject proofs", Fault::CutShort);
    let cut = service.http.get(&url).send().await.unwrap();
    assert_eq!(cut.content_length(), Some(whole.len() as u64));
    assert!(cut.bytes().await.is_err());
    faults.once("GetObject proofs", Fault::Garble);
    let (status, garbled) = service.fetch(&url).await;
    assert!(status == 200 && garbled != whole && garbled.len() == whole.len());
    for key in ["seal", "claim"] {
        faults.once(&format!("Sign {key}"), Fault::WrongSignature);
        let (_, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
        assert_eq!(
            (answer.status, &answer.body["block_reason"]),
            (502, &"web_signer_response_invalid".into()),
            "{key}"
        );
    }
}
