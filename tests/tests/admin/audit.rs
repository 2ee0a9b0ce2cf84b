//! Tests the audit log: each operation writes an entry in its own transaction, and each request writes one.

use std::{collections::BTreeMap, sync::Arc};

use lacre_administration::{Administration, Caller, Error, PageRequest};
use lacre_domain::{AuditOutcome, Clock, Environment, KeyId, Moment, NamedTerms, Operation, RequestId};
use lacre_storage::Connection;
use lacre_tests::{Fault, Faults, Service, Storage, customer::Customer, operator::caller, vault::CUSTODIAN};
use reqwest::Method;
use serde_json::{Value, json};

async fn get(service: &Service, path: &str) -> Value {
    service.admin(Method::GET, path, Value::Null).await.ok()
}

fn request_id() -> RequestId {
    RequestId::from_entropy(lacre_storage::entropy())
}

/// Operation, outcome and subject of the last entries, latest first.
async fn last(service: &Service, entries: usize) -> Vec<(String, String, Value)> {
    let found = get(service, &format!("/audit?limit={entries}")).await;
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let entries = found["audit"].as_array().unwrap().iter();
    entries.map(|entry| (text(entry, "operation"), text(entry, "outcome"), entry["subject"].clone())).collect()
}

#[tokio::test]
async fn entries_record_principal_operation_and_outcome() {
    let service = Service::start().await;
    let id = request_id();
    let body = json!({ "name": "Seguradora Exemplo" });
    let headers = [("idempotency-key", id.as_str())];
    let client = service.admin_with(Method::POST, "/clients", body, &headers).await.body["id"].clone();
    let entry = get(&service, &format!("/audit/{id}")).await;
    let expected = json!({
        "id": id.as_str(), "at": entry["at"], "operation": "client.create", "outcome": "done",
        "principal": format!("arn:aws:iam::000000000000:user/{}", service.variable("AWS_ACCESS_KEY_ID")),
        "via": "api", "source": "127.0.0.1", "client_id": client, "subject": null, "detail": "Seguradora Exemplo",
    });
    assert_eq!(entry, expected);
    let of_client = get(&service, &format!("/audit?client={}", client.as_str().unwrap())).await;
    assert_eq!(of_client, json!({ "audit": [expected], "next": null }));
}

/// A kit.
pub(crate) const KIT: &[u8] =
    br#"{"name":"auto","steps":[{"id":"a","title":{"pt-BR":"A"},"instruction":{"pt-BR":"B"},"framing":"square"}]}"#;
/// A sender.
pub(crate) const SENDER: &[u8] =
    br#"{"name":"A","purpose":{"pt-BR":"B"},"duration":{"pt-BR":"C"},"controller":"D","contact":"E",
    "sharing":{"pt-BR":"F"},"responsibilities":{"pt-BR":"G"}}"#;

#[tokio::test]
async fn every_operation_leaves_one_entry() {
    let service = Service::start().await;
    let admin = service.administration();
    let client = admin.clients.create("Everything").await.unwrap();
    let staging = Environment::Staging;
    let key = admin.api_keys.issue(&client.id, staging, "backend").await.unwrap();
    let key_id = KeyId::parse(key.view.id.as_str()).unwrap();
    admin.api_keys.revoke(&client.id, &key_id).await.unwrap();
    let terms = NamedTerms {
        expires_at: Some(Moment(service.clock.now() + time::Duration::days(1))),
        volume_limit: Some(10),
        store_asset_policy: Some(lacre_domain::StoreAssetPolicy::Always),
        redirect_origins: Some(vec!["https://app.example.com".into()]),
        ..NamedTerms::default()
    };
    let license = admin.licenses.issue(&client.id, staging, &terms).await.unwrap().view.id;
    let more = NamedTerms { volume_limit: Some(20), ..NamedTerms::default() };
    admin.licenses.configure(&license, &more).await.unwrap();
    admin.licenses.rotate_key(&license).await.unwrap();
    let secret = admin.webhooks.issue_secret(&client.id, staging).await.unwrap().view.id;
    admin.webhooks.rotate_secret(&client.id, staging, None).await.unwrap();
    admin.licenses.host(&license).await.unwrap();
    admin.kits.put(&client.id, staging, KIT).await.unwrap();
    admin.kits.retire(&client.id, staging, "auto").await.unwrap();
    admin.senders.set(&client.id, staging, SENDER).await.unwrap();
    admin.webhooks.revoke_secret(&client.id, &secret, true).await.unwrap();
    admin.usage.recount(&license, None, false).await.unwrap();
    admin.licenses.revoke(&license).await.unwrap();
    let month = lacre_domain::capture::month_of(service.clock.now());
    admin.alerts.acknowledge(&license, &month, "REVOKED").await.unwrap();
    admin.clients.suspend(&client.id).await.unwrap();
    admin.clients.resume(&client.id).await.unwrap();
    assert!(matches!(admin.licenses.revoke(&license).await, Err(Error::Refused(_))));
    assert!(matches!(admin.api_keys.revoke(&client.id, &key_id).await, Err(Error::Refused(_))));
    assert!(matches!(admin.kits.retire(&client.id, staging, "auto").await, Err(Error::Refused(_))));
    // Invalid documents have no entry.
    assert!(matches!(admin.kits.put(&client.id, staging, b"{}").await, Err(Error::Invalid(_))));
    assert!(matches!(admin.senders.set(&client.id, staging, b"{}").await, Err(Error::Invalid(_))));
    let pasted = format!("/clients/{}/api-keys/svc_api_secret/revoke", client.id);
    assert_eq!(service.admin(Method::POST, &pasted, Value::Null).await.status, 400);

    let found = admin.audit.of_client(&client.id, &PageRequest::first(100)).await.unwrap();
    let mut seen: Vec<String> = found.entries.iter().map(|entry| word(&entry.operation)).collect();
    seen.reverse();
    let expected = [
        "client.create",
        "api_key.issue",
        "api_key.revoke",
        "license.issue",
        "license.configure",
        "license.rotate",
        "webhook_secret.issue",
        "webhook_secret.rotate",
        "license.host",
        "kit.put",
        "kit.retire",
        "sender.set",
        "webhook_secret.revoke",
        "license.recount",
        "license.revoke",
        "alert.acknowledge",
        "client.suspend",
        "client.resume",
        "api_key.revoke",
        "kit.retire",
    ];
    let done = found.entries.iter().filter(|entry| entry.outcome == AuditOutcome::Done).count();
    assert_eq!((seen, done), (expected.map(str::to_owned).to_vec(), expected.len() - 2));
    assert!(found.entries.iter().all(|entry| entry.principal == CUSTODIAN && entry.source == "test.example"));

    // For a refused license id the client is unknown.
    let refused = last(&service, 3).await;
    assert_eq!(refused[2], ("license.revoke".into(), "refused".into(), json!(license)));
    let items = Storage::of(&service).items("AUDIT_TABLE").await;
    for secret in [&key.api_key, "svc_api_secret"] {
        assert!(!format!("{items:?}").contains(secret), "a key is in the log");
    }
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn carries_out_repeated_requests_once() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let rotate = format!("/licenses/{}/rotate", customer.license_id);
    let id = request_id();
    let headers = [("idempotency-key", id.as_str())];
    let send = || service.admin_with(Method::POST, &rotate, Value::Null, &headers);
    let both = futures_util::future::join_all([send(), send(), send(), send()]).await;
    let (made, repeated): (Vec<_>, Vec<_>) = both.iter().partition(|answer| answer.status == 200);
    assert_eq!(made.len(), 1, "{both:?}");
    for answer in repeated {
        // Another request changed the license first, or this request was already carried out.
        assert_eq!(answer.status, 409, "{answer:?}");
    }
    let again = send().await;
    let at = get(&service, &format!("/audit/{id}")).await["at"].clone();
    let error = format!("this request was carried out at {}; it is not carried out again", at.as_str().unwrap());
    assert_eq!(again.outcome(), (409, json!({ "error": error, "carried_out_at": at })));
    let shown = get(&service, &format!("/licenses/{}", customer.license_id)).await;
    assert_eq!((&shown["revision"], &shown["key_id"]), (&json!(2), &made[0].body["key_id"]));

    // The repetition is recognized even if the state left by the first request would be a reason to refuse it.
    let headers = [("idempotency-key", id.as_str()), ("if-match", "\"1\"")];
    let again = service.admin_with(Method::POST, &rotate, Value::Null, &headers).await;
    assert_eq!((again.status, &again.body["carried_out_at"]), (409, &at));

    // Another operation cannot reuse the id.
    let revoke = format!("/licenses/{}/revoke", customer.license_id);
    let other = service.admin_with(Method::POST, &revoke, Value::Null, &[("idempotency-key", id.as_str())]).await;
    assert_eq!((other.status, &other.body["carried_out_at"]), (409, &at));
    for malformed in ["x", "0B6E9C2E-1111-4222-8333-444455556666"] {
        let answer = service.admin_with(Method::POST, &revoke, Value::Null, &[("idempotency-key", malformed)]).await;
        assert_eq!(answer.outcome(), (400, json!({ "error": "idempotency-key must be a UUID in lower case" })));
    }
}

#[tokio::test]
async fn refuses_changes_of_stale_revisions() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let path = format!("/licenses/{}", customer.license_id);
    let change = |limit: u64, revision: &'static str| {
        let (service, path) = (&service, &path);
        async move {
            let headers = [("if-match", revision)];
            service.admin_with(Method::PATCH, path, json!({ "volume_limit": limit }), &headers).await
        }
    };
    assert_eq!(change(20, "\"1\"").await.status, 200);
    let stale = change(30, "\"1\"").await;
    let error = "the license has revision 2, not 1: another operator changed it; read it again";
    assert_eq!(stale.outcome(), (412, json!({ "error": error })));
    assert_eq!(get(&service, &path).await["volume_limit"], 20);
    for malformed in ["1", "*", "W/\"1\""] {
        assert_eq!(change(30, malformed).await.status, 400, "{malformed}");
    }
    let rotate = format!("{path}/rotate");
    let stale = service.admin_with(Method::POST, &rotate, Value::Null, &[("if-match", "\"1\"")]).await;
    assert_eq!(stale.status, 412);
    let (operation, outcome, _) = last(&service, 1).await.remove(0);
    assert_eq!((operation.as_str(), outcome.as_str()), ("license.rotate", "refused"));
}

/// The operations with fault proxies, for a request with this id.
async fn behind_faults(service: &Service, id: &RequestId) -> (Administration, Faults) {
    let faults = Faults::before(service).await;
    let connection = Connection::new(faults.config(service)).unwrap().as_program("admin");
    let caller = Caller { request: Some(id.clone()), ..caller(CUSTODIAN) };
    (Administration::new(&connection, Arc::clone(&service.clock) as Arc<dyn Clock>, caller), faults)
}

#[tokio::test]
async fn determines_the_outcome_of_lost_responses() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    // The response stays lost after all attempts: the change was made.
    let (id, revision) = (request_id(), async || {
        service.administration().licenses.read(&customer.license_id).await.unwrap().view.revision
    });
    let (admin, faults) = behind_faults(&service, &id).await;
    faults.always("TransactWriteItems", Fault::LoseAnswer);
    let rotated = admin.licenses.rotate_key(&customer.license_id).await.unwrap();
    faults.clear();
    let known = lacre_tests::Answer::ok(
        service.validate_with(json!({ "license_key": rotated.license_key }).to_string(), None).await,
    );
    assert_eq!((revision().await, &known["valid"]), (2, &json!(true)));

    // The write never arrived: nothing was changed and nothing will be.
    let id = request_id();
    let (admin, faults) = behind_faults(&service, &id).await;
    faults.always("TransactWriteItems", Fault::Cut);
    let error = admin.licenses.rotate_key(&customer.license_id).await.err().unwrap();
    assert!(matches!(error, Error::NothingChanged(_)), "{error:?}");
    faults.clear();
    assert_eq!(revision().await, 2);
    let entry = service.administration().audit.entry(&id).await.unwrap();
    assert_eq!((entry.operation, entry.outcome), (Operation::RotateLicenseKey, AuditOutcome::Failed));
    // A repetition with the same id is refused, so a delayed first attempt changes nothing either.
    assert!(matches!(admin.licenses.rotate_key(&customer.license_id).await, Err(Error::Refused(_))));
    assert_eq!(revision().await, 2);

    // Neither the change nor the log is reachable: the outcome is unknown, and the error says so.
    let (admin, faults) = behind_faults(&service, &request_id()).await;
    faults.always("TransactWriteItems", Fault::Cut);
    faults.always("PutItem", Fault::Cut);
    let error = admin.licenses.rotate_key(&customer.license_id).await.err().unwrap();
    assert!(matches!(error, Error::Unavailable(lacre_storage::Error::Unavailable(_))), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_acts_on_evidence_once() {
    let service = lacre_tests::vault::exporting_service().await;
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let id = lacre_tests::vault::capture_id(&customer.capture(&lacre_tests::frame::fresh()).await.ok());
    let request = request_id();
    let by_request = || {
        let clock = Arc::clone(&service.clock) as Arc<dyn Clock>;
        let caller = Caller { request: Some(request.clone()), ..caller(CUSTODIAN) };
        lacre_administration::EvidenceAdministration::new(service.connection(), clock, caller)
    };
    by_request().withhold(&id, "case 7").await.unwrap();
    for repeated in [by_request().withhold(&id, "case 7").await.err(), by_request().release(&id, "case 7").await.err()]
    {
        assert!(matches!(repeated, Some(Error::Repeated { .. })), "{repeated:?}");
    }
    service.exported().await;
    service.evidence().erase(&id, "request 41").await.unwrap();
    // Repeating an interrupted erasure writes another entry.
    service.evidence().erase(&id, "request 41").await.unwrap();
    let admin = service.administration();
    let entries = admin.audit.of_client(&customer.client_id, &PageRequest::first(100)).await.unwrap().entries;
    let acts = entries.iter().filter(|entry| entry.subject.as_deref() == Some(&id)).map(|entry| word(&entry.operation));
    assert_eq!(acts.collect::<Vec<_>>(), ["evidence.erase", "evidence.erase", "evidence.withhold"]);
}

#[tokio::test]
async fn lists_entries_in_pages_latest_first() {
    let service = Service::start().await;
    let admin = service.administration();
    let client = admin.clients.create("Pages").await.unwrap();
    for _ in 0..7 {
        admin.clients.suspend(&client.id).await.unwrap();
        service.clock.advance(time::Duration::seconds(1));
    }
    let (mut path, mut seen) = (format!("/audit?client={}&limit=3", client.id), BTreeMap::new());
    for entries in [3, 3, 2] {
        let page = get(&service, &path).await;
        let audit = page["audit"].as_array().unwrap();
        assert_eq!(audit.len(), entries);
        for entry in audit {
            seen.insert(entry["id"].to_string(), entry["at"].to_string());
        }
        match page["next"].as_str() {
            Some(next) => path = format!("/audit?client={}&cursor={next}&limit=3", client.id),
            None => assert_eq!(seen.len(), 8),
        }
    }
    let cursor = service.admin(Method::GET, "/audit?cursor=7b7d", Value::Null).await;
    assert_eq!(
        cursor.outcome(),
        (400, json!({ "error": "the cursor is not valid for this list: start from its first page" }))
    );
}
