//! Tests operators' writes when AWS fails, including writes that failed but persisted.

use std::{collections::BTreeSet, sync::Arc};

use lacre_administration::{Administration, Error, PageRequest};
use lacre_domain::{ClientId, ClientStatus, Clock, Environment, KeyId, Moment, NamedTerms};
use lacre_storage::Connection;
use lacre_tests::{Fault, Faults, Service, Storage, customer::Customer, operator::caller, vault::CUSTODIAN};

use crate::audit::{KIT, SENDER};

const PASSING: [Fault; 4] = [Fault::LoseAnswer, Fault::Throttle, Fault::ServerError, Fault::Cut];

/// The operations of the function `admin`, with its own fault proxies.
async fn behind_faults(service: &Service) -> (Administration, Faults) {
    let faults = Faults::before(service).await;
    let connection = Connection::new(faults.config(service)).unwrap().as_program("admin");
    (Administration::new(&connection, Arc::clone(&service.clock) as Arc<dyn Clock>, caller(CUSTODIAN)), faults)
}

fn page() -> PageRequest {
    PageRequest::first(100)
}

/// Every record that names a client.
async fn records_of(service: &Service, client: &ClientId) -> BTreeSet<String> {
    let items = Storage::of(service).items("ACCOUNTS_TABLE").await.into_iter();
    let items = items.map(|item| format!("{:?}", std::collections::BTreeMap::from_iter(item)));
    items.filter(|item| item.contains(client.as_str())).collect()
}

#[tokio::test]
async fn makes_writes_with_lost_responses_once() {
    let service = Service::start().await;
    let (administration, faults) = behind_faults(&service).await;
    for fault in PASSING {
        let strike = || faults.once("TransactWriteItems", fault);
        strike();
        let client = administration.clients.create("Lost Answers").await.unwrap();
        let named = administration
            .clients
            .list("", &page())
            .await
            .unwrap()
            .entries
            .into_iter()
            .filter(|known| known.id == client.id);
        assert_eq!(named.count(), 1);

        strike();
        administration.api_keys.issue(&client.id, Environment::Staging, "backend").await.unwrap();
        assert_eq!(administration.api_keys.list(&client.id, &page()).await.unwrap().entries.len(), 1);

        strike();
        let spare = administration.api_keys.issue(&client.id, Environment::Staging, "spare").await.unwrap();
        strike();
        administration.api_keys.revoke(&client.id, &KeyId::parse(spare.view.id.as_str()).unwrap()).await.unwrap();

        strike();
        let terms = NamedTerms {
            expires_at: Some(Moment(service.clock.now() + time::Duration::days(1))),
            volume_limit: Some(10),
            ..NamedTerms::default()
        };
        let license = administration.licenses.issue(&client.id, Environment::Staging, &terms).await.unwrap();
        let listed = administration.licenses.list(&client.id, &page()).await.unwrap().entries;
        assert_eq!(listed.iter().map(|listed| &listed.license.view.id).collect::<Vec<_>>(), [&license.view.id]);

        strike();
        let more = NamedTerms { volume_limit: Some(20), ..NamedTerms::default() };
        assert_eq!(administration.licenses.configure(&license.view.id, &more).await.unwrap().terms.volume_limit, 20);
        strike();
        let rotated = administration.licenses.rotate_key(&license.view.id).await.unwrap();
        assert_eq!(administration.licenses.read(&license.view.id).await.unwrap().view.key_id, rotated.view.key_id);
        strike();
        assert_eq!(administration.kits.put(&client.id, Environment::Staging, KIT).await.unwrap().version, 1);
        strike();
        administration.kits.retire(&client.id, Environment::Staging, "auto").await.unwrap();
        strike();
        assert_eq!(administration.kits.put(&client.id, Environment::Staging, KIT).await.unwrap().version, 2);
        strike();
        administration.senders.set(&client.id, Environment::Staging, SENDER).await.unwrap();

        strike();
        administration.clients.suspend(&client.id).await.unwrap();
        strike();
        let resumed = administration.clients.resume(&client.id).await.unwrap();
        assert_eq!(resumed.status, ClientStatus::Active);
        strike();
        administration.licenses.revoke(&license.view.id).await.unwrap();
        let filter = lacre_administration::AlertFilter { license: Some(license.view.id), ..Default::default() };
        assert_eq!(administration.alerts.list(&filter).await.unwrap().len(), 1, "{fault:?}");
        assert_eq!(faults.clear(), 14, "{fault:?} was injected into each of them");
    }
}

#[tokio::test]
async fn refused_writes_change_nothing() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let (administration, faults) = behind_faults(&service).await;
    let before = records_of(&service, &customer.client_id).await;
    faults.always("TransactWriteItems", Fault::Refuse);
    let (client, license) = (&customer.client_id, &customer.license_id);
    let terms = NamedTerms { volume_limit: Some(1), ..NamedTerms::default() };
    for (operation, error) in [
        ("create a client", administration.clients.create("Nobody").await.err()),
        ("issue an API key", administration.api_keys.issue(client, Environment::Staging, "k").await.err()),
        ("configure", administration.licenses.configure(license, &terms).await.err()),
        ("rotate", administration.licenses.rotate_key(license).await.err()),
        ("revoke", administration.licenses.revoke(license).await.err()),
        ("put a kit", administration.kits.put(client, Environment::Staging, KIT).await.err()),
        ("set the sender", administration.senders.set(client, Environment::Staging, SENDER).await.err()),
    ] {
        assert!(matches!(error, Some(Error::NothingChanged(_))), "{operation}: {error:?}");
    }
    assert_eq!(records_of(&service, client).await, before);
    assert!(
        administration.clients.list("", &page()).await.unwrap().entries.iter().all(|client| client.name != "Nobody")
    );
    assert_eq!(customer.validate().await["valid"], true);

    // The client's own record is written first; repeating the call repairs the copies.
    assert!(matches!(administration.clients.suspend(client).await, Err(Error::NothingChanged(_))));
    faults.clear();
    administration.clients.suspend(client).await.unwrap();
    assert_eq!(customer.create().await.status, 401);
}

/// If two operators change a license concurrently, one of them gets an error.
#[tokio::test]
async fn concurrent_changes_are_never_lost_silently() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let administration = service.administration();
    let change = |limit| {
        let terms = NamedTerms { volume_limit: Some(limit), ..NamedTerms::default() };
        let (administration, license) = (&administration, &customer.license_id);
        async move { administration.licenses.configure(license, &terms).await.map(|view| view.terms.volume_limit) }
    };
    let changed = futures_util::future::join_all((200..216).map(change)).await;
    let made: Vec<u64> = changed.iter().filter_map(|changed| changed.as_ref().ok().copied()).collect();
    for error in changed.iter().filter_map(|changed| changed.as_ref().err()) {
        assert!(matches!(error, Error::Refused(_)), "{error:?}");
    }
    let now = administration.licenses.read(&customer.license_id).await.unwrap().view.terms.volume_limit;
    assert!(made.contains(&now), "{now} of {made:?}");
}

/// With concurrent suspension and issuing, no key of a suspended client works, whichever comes first.
#[tokio::test]
async fn suspends_keys_issued_during_the_suspension() {
    let service = Service::start().await;
    let administration = service.administration();
    for _ in 0..8 {
        let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
        let issue = || administration.api_keys.issue(&customer.client_id, Environment::Staging, "racing");
        let (suspended, first, second, rotated) = tokio::join!(
            administration.clients.suspend(&customer.client_id),
            issue(),
            issue(),
            administration.licenses.rotate_key(&customer.license_id),
        );
        suspended.unwrap();
        let keys = [first, second].into_iter().flatten().map(|issued| issued.api_key);
        let license_key = rotated.map_or(customer.license_key.clone(), |rotated| rotated.license_key);
        for api_key in keys.chain([customer.api_key.clone()]) {
            lacre_tests::journal::remember(&api_key);
            assert_eq!(customer.with_keys(&api_key, &license_key).create().await.status, 401);
        }
        administration.clients.resume(&customer.client_id).await.unwrap();
        assert_eq!(customer.with_keys(&customer.api_key, &license_key).create().await.status, 200);
    }
}
