//! Tests slow or silent AWS calls: a request is answered before the gateway's timeout, whatever is slow.
//!
//! The functions have a tenth of production's time budgets, all scaled alike.

use std::{future::Future, time::Duration};

use lacre_storage::TimeBudgets;
use lacre_tests::{Fault, Service};

use crate::case::{Case, Reply, Route, is_success, put_kit};

/// Additional time that a busy machine may need.
const MACHINE: Duration = Duration::from_secs(20);

fn budgets() -> TimeBudgets {
    TimeBudgets::PRODUCTION.divided_by(10)
}

/// Checks that the response arrives within the functions' time budgets.
async fn in_time(asked: impl Future<Output = Reply>) -> Reply {
    let limit = budgets().worst_case() + MACHINE;
    tokio::time::timeout(limit, asked).await.expect("an answer, before the gateway gives up")
}

/// Checks that the response is a documented 502 or 503.
#[track_caller]
fn assert_failed((status, body): &Reply, what: &str) {
    assert!(matches!(status, 502 | 503), "{what}: {status} {body}");
    let reason = body["block_reason"].as_str().unwrap();
    assert!(
        reason.ends_with("_unavailable") || ["web_ingest_presign_failed", "web_ledger_write_failed"].contains(&reason),
        "{what}: {reason}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_answers_while_aws_hangs() {
    let service = Service::start().await;
    put_kit(&service).await;
    for route in Route::ALL {
        let case = Case::with_budgets(&service, budgets()).await;
        let stage = case.stage(route).await;
        case.faults.always("", Fault::Hang);
        assert_failed(&in_time(case.ask(route, &stage)).await, route.name());
        case.faults.clear();
        assert!(is_success(case.ask(route, &stage).await.0), "{}", route.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ingest_answers_wherever_aws_hangs() {
    let service = Service::start().await;
    let cold = Case::cold(&service).await;
    let stage = cold.stage(Route::Ingest).await;
    cold.faults.take_calls();
    assert_eq!(cold.ask(Route::Ingest, &stage).await.0, 200);
    let calls = cold.faults.take_calls();
    let commit = calls.iter().position(|call| call == "TransactWriteItems").unwrap() + 1;
    for nth in 1..=commit {
        let case = Case::with_budgets(&service, budgets()).await;
        let first = case.stage(Route::Ingest).await;
        let token = first.token.clone();
        case.faults.strike("", nth, usize::MAX, Fault::Hang);
        assert_failed(&in_time(case.ask(Route::Ingest, &first)).await, &format!("call {nth} of {calls:?}"));
        case.faults.clear();
        assert_eq!(case.captures_used().await, 0);
        // The session still accepts another frame.
        let another = lacre_tests::frame::fresh();
        assert_eq!(case.ingest(&case.prepare_with(&token, &another).await).await.0, 200, "call {nth} of {calls:?}");
        assert_eq!(case.captures_used().await, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_calls_end_with_the_request() {
    let service = Service::start().await;
    // Each response comes before its attempt times out, but together they exceed the request's time.
    let budgets = budgets();
    let slow = budgets.request / 4;
    let patient =
        TimeBudgets { attempt: 2 * slow, call: 2 * slow, object_attempt: 2 * slow, object_call: 2 * slow, ..budgets };
    let case = Case::with_budgets(&service, patient).await;
    let stage = case.stage(Route::Ingest).await;
    case.faults.always("", Fault::Slow(slow));
    assert_failed(&in_time(case.ask(Route::Ingest, &stage)).await, "an ingest");
    case.faults.clear();
    assert_eq!(case.captures_used().await, 0);
    let another = lacre_tests::frame::fresh();
    assert_eq!(case.ingest(&case.prepare_with(&stage.token, &another).await).await.0, 200);
}
