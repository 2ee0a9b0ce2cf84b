//! A client is moved between two cells while AWS fails in either of them.

use std::sync::Arc;

use administration::{Cell, Error};
use aws::Connection;
use domain::{Clock, Environment, Terms};
use tests::{Fault, Faults, Service, customer::Customer, frame, operator::caller, vault::CUSTODIAN};

/// A service as a cell, behind doors of its own. Not as a program: operators are none.
async fn behind_faults(name: &str, service: &Service) -> (Cell, Faults) {
    let faults = Faults::before(service).await;
    let connection = Connection::new(faults.config(service)).unwrap();
    (Cell::new(name, &connection, Arc::clone(&service.clock) as Arc<dyn Clock>, caller(CUSTODIAN)), faults)
}

async fn used(service: &Service, of: &Customer<'_>) -> u64 {
    service.administration().license(&of.license_id).await.unwrap().usage.unwrap().captures_used
}

#[tokio::test]
async fn what_is_interrupted_is_continued_and_counts_nothing_twice() {
    let (left, entered) = (Service::start().await, Service::start().await);
    let ((a, faults_of_a), (b, faults_of_b)) = (behind_faults("a", &left).await, behind_faults("b", &entered).await);
    for faults in [&faults_of_a, &faults_of_b] {
        for fault in [Fault::Refuse, Fault::LoseAnswer] {
            // The writes of a move and of a close; of one beyond them nothing fails.
            let mut write = 0;
            loop {
                write += 1;
                let customer = Customer::new(&left, Environment::Staging, Terms::default()).await;
                customer.capture(&frame::fresh()).await.ok();
                faults.strike("TransactWriteItems", write, 1, fault);
                let moved = a.move_client(&customer.client_id, &b).await;
                let moved_whole = moved.is_ok();
                if let Err(error) = moved {
                    assert!(matches!(error, Error::Unavailable(_)), "{write}: {error}");
                    let again = a.move_client(&customer.client_id, &b).await.unwrap();
                    assert!(again.ready, "{write}: {again:?}");
                }
                assert_eq!(used(&entered, &customer).await, 1, "{fault:?}, write {write}");
                let at_both = Customer::issued(
                    &entered,
                    &customer.client_id.0,
                    &customer.api_key,
                    &customer.license_id.0,
                    &customer.license_key,
                );
                at_both.capture(&frame::fresh()).await.ok();
                customer.capture(&frame::fresh()).await.ok();
                let closed = a.close_client(&customer.client_id, &b).await;
                let closed_whole = closed.is_ok();
                if closed.is_err() {
                    a.close_client(&customer.client_id, &b).await.unwrap();
                }
                assert_eq!(
                    (used(&left, &customer).await, used(&entered, &customer).await),
                    (2, 3),
                    "{fault:?}, {write}"
                );
                assert_eq!(customer.create().await.status, 401);
                let is_beyond = faults.clear() == 0;
                let failed = !(moved_whole && closed_whole);
                assert!(!(is_beyond && failed), "{fault:?}, write {write}");
                if is_beyond {
                    break;
                }
            }
            assert!(write > 2, "{fault:?}: some writes were struck");
        }
    }
}
