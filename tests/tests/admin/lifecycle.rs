//! Tests the effect of operators' decisions on a client's requests: `/validate`, creation, load and ingest, before and
//! after each decision.

use std::collections::{BTreeMap, BTreeSet};

use lacre_administration::{Error, PageRequest};
use lacre_domain::{Clock, Environment, KeyId, LicenseId, Moment, NamedTerms, limits::RECORD_REPLICAS};
use lacre_tests::{Answer, Service, Storage, customer::Customer, frame, journal, service::Loaded};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, Time, UtcOffset};

/// Sessions that exist before a decision: one that will be loaded, and a loaded one with an uploaded photo.
struct Open {
    created: String,
    loaded: Loaded,
    submission: Value,
}

impl Open {
    async fn of(customer: &Customer<'_>) -> Self {
        let loaded = customer.open().await;
        let submission = customer.upload(&loaded, &frame::fresh()).await;
        Self { created: Service::token_of(customer.create().await), loaded, submission }
    }

    /// The current responses to a load and an ingest.
    async fn answers(&self, customer: &Customer<'_>) -> [Answer; 2] {
        [customer.load(&self.created).await, customer.ingest(&self.submission).await]
    }

    async fn goes_on(&self, customer: &Customer<'_>) {
        for answer in self.answers(customer).await {
            assert_eq!(answer.status, 200, "{}", answer.body);
        }
    }

    async fn is_refused(&self, customer: &Customer<'_>) {
        let [load, ingest] = self.answers(customer).await;
        assert_eq!((load.status, &load.body["block_reason"]), (403, &json!("web_license_invalid")));
        assert_eq!(ingest.outcome(), (403, json!({ "error": "License inválida — verifique a licença." })));
    }

    /// Gets a new nonce for the waiting photo; a refused ingest leaves the session open.
    async fn again(self, customer: &Customer<'_>) -> Self {
        let body = customer.load(&self.loaded.token).await.ok();
        let loaded = Loaded { token: self.loaded.token, body };
        let submission = customer.upload(&loaded, &frame::fresh()).await;
        Self { loaded, submission, ..self }
    }
}

fn refusal(reason: &str) -> Value {
    json!({ "valid": false, "reason": reason })
}

/// Every record that names a license, for comparison. Its alerts are left out, because the alerts function marks them
/// as published.
async fn records_of(service: &Service, license: &LicenseId) -> BTreeSet<String> {
    let items = Storage::of(service).items("ACCOUNTS_TABLE").await.into_iter();
    let items = items.map(|item| format!("{:?}", BTreeMap::from_iter(item)));
    items.filter(|item| item.contains(license.as_str()) && !item.contains("REVOKED")).collect()
}

#[tokio::test]
async fn a_revoked_license_stays_refused_everywhere() {
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let open = Open::of(&customer).await;

    let revoked = administration.licenses.revoke(&customer.license_id).await.unwrap();
    assert_eq!(serde_json::to_value(&revoked).unwrap()["status"], "revoked");
    assert_eq!(customer.validate().await, refusal("REVOKED"));
    assert_eq!(customer.create().await.status, 403);
    open.is_refused(&customer).await;

    let before = records_of(&service, &customer.license_id).await;
    let refused = [
        administration.licenses.revoke(&customer.license_id).await.err(),
        administration.licenses.configure(&customer.license_id, &NamedTerms::default()).await.err(),
        administration.licenses.rotate_key(&customer.license_id).await.err(),
    ];
    for error in refused {
        let Some(Error::Refused(text)) = error else { panic!("{error:?}") };
        assert_eq!(text, format!("license {} is revoked, for good; issue a new license instead", customer.license_id));
    }
    let replicas = 2 * usize::from(RECORD_REPLICAS);
    assert_eq!(before.len(), replicas + 3, "the license, its key, its places in three lists");
    assert!(records_of(&service, &customer.license_id).await == before);
    // The client's other licenses are not affected.
    let terms =
        NamedTerms { expires_at: Some(Moment(service.clock.now() + Duration::days(1))), ..NamedTerms::default() };
    let other = administration.licenses.issue(&customer.client_id, Environment::Sandbox, &terms).await.unwrap();
    journal::remember(&other.license_key);
    let body = json!({ "license_key": other.license_key }).to_string();
    assert_eq!(service.validate_with(body, None).await.ok()["valid"], true);
}

#[tokio::test]
async fn rotation_replaces_the_license_key() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
    let open = Open::of(&customer).await;

    let rotated = service.administration().licenses.rotate_key(&customer.license_id).await.unwrap();
    journal::remember(&rotated.license_key);
    assert_eq!(rotated.view.id, customer.license_id);
    assert_eq!(customer.validate().await, refusal("INVALID_KEY"));
    assert_eq!(customer.create().await.status, 403);
    open.goes_on(&customer).await;

    let customer = customer.with_keys(&customer.api_key, &rotated.license_key);
    assert_eq!(customer.validate().await["captures_used"], 2);
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
    let usage = service.administration().licenses.read(&customer.license_id).await.unwrap().usage;
    assert_eq!(usage.captures_used, 3);
}

#[tokio::test]
async fn refuses_a_suspended_client_until_resumed() {
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let neighbour = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let open = Open::of(&customer).await;

    administration.clients.suspend(&customer.client_id).await.unwrap();
    assert_eq!(customer.validate().await, refusal("CLIENT_SUSPENDED"));
    let created = customer.create().await;
    assert_eq!(created.outcome(), (401, json!({ "error": "API key inválida ou revogada" })));
    open.is_refused(&customer).await;
    for error in [
        administration.api_keys.issue(&customer.client_id, Environment::Staging, "second").await.err(),
        administration.licenses.issue(&customer.client_id, Environment::Staging, &NamedTerms::default()).await.err(),
    ] {
        assert!(matches!(error, Some(Error::Refused(_))), "{error:?}");
    }
    // A key that is rotated afterwards is refused too.
    let rotated = administration.licenses.rotate_key(&customer.license_id).await.unwrap();
    journal::remember(&rotated.license_key);
    let customer = customer.with_keys(&customer.api_key, &rotated.license_key);
    assert_eq!(customer.validate().await, refusal("CLIENT_SUSPENDED"));
    assert_eq!(neighbour.capture(&frame::fresh()).await.status, 200);

    administration.clients.resume(&customer.client_id).await.unwrap();
    assert_eq!(customer.validate().await["valid"], true);
    open.again(&customer).await.goes_on(&customer).await;
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
}

/// A suspension that was interrupted after the client's own record left its keys unchanged; suspending again repairs
/// this.
#[tokio::test]
async fn suspending_again_repairs_an_interrupted_suspension() {
    let service = Service::start().await;
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let suspended = lacre_domain::Client {
        id: customer.client_id.clone(),
        name: "Customer".into(),
        status: lacre_domain::ClientStatus::Suspended,
    };
    service.records().put_client(&suspended).await;
    assert_eq!(customer.create().await.status, 200, "the copies are as they were");
    service.administration().clients.suspend(&customer.client_id).await.unwrap();
    assert_eq!(customer.create().await.status, 401);
}

/// An unreadable record and a missing one do not prevent the suspension of the other keys.
#[tokio::test]
async fn suspends_all_keys_despite_damaged_records() {
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let expires_at = Some(Moment(service.clock.now() + Duration::days(1)));
    let terms = NamedTerms { expires_at, volume_limit: Some(1), ..NamedTerms::default() };
    let damaged = administration.licenses.issue(&customer.client_id, Environment::Staging, &terms).await.unwrap();
    let gone = administration.api_keys.issue(&customer.client_id, Environment::Staging, "gone").await.unwrap();
    journal::remember(&damaged.license_key);
    journal::remember(&gone.api_key);
    let storage = Storage::of(&service);
    let license = [("pk", format!("license#{}", damaged.view.id)), ("sk", "license".to_owned())];
    storage.damage("ACCOUNTS_TABLE", &license, "key").await;
    let hash = lacre_domain::KeyHash::of(&gone.api_key);
    storage
        .delete("ACCOUNTS_TABLE", &[("pk", format!("api_key#{}", hash.as_str())), ("sk", "api_key".to_owned())])
        .await;

    let suspended = administration.clients.suspend(&customer.client_id).await;
    assert!(matches!(suspended, Err(Error::Unavailable(lacre_storage::Error::Corrupt { .. }))), "{suspended:?}");
    assert_eq!(customer.create().await.status, 401);
    assert_eq!(customer.validate().await, refusal("CLIENT_SUSPENDED"));
}

#[tokio::test]
async fn a_revoked_api_keys_sessions_continue() {
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    let open = Open::of(&customer).await;
    let keys = administration.api_keys.list(&customer.client_id, &PageRequest::first(1)).await.unwrap().entries;
    let id = KeyId::parse(keys[0].id.as_str()).unwrap();
    let revoke = || administration.api_keys.revoke(&customer.client_id, &id);
    let (first, second) = tokio::join!(revoke(), revoke());
    assert_eq!([&first, &second].iter().filter(|revoked| revoked.is_ok()).count(), 1, "{first:?} {second:?}");
    assert_eq!(customer.create().await.status, 401);
    open.goes_on(&customer).await;
    assert!(matches!(revoke().await, Err(Error::Refused(_))));
}

#[tokio::test]
async fn refuses_an_expired_license_until_extended() {
    let service = Service::start().await;
    let administration = service.administration();
    let end = service.clock.now() + Duration::minutes(10);
    let terms = NamedTerms { expires_at: Some(Moment(end)), ..NamedTerms::default() };
    let customer = Customer::new(&service, Environment::Staging, terms).await;
    let open = Open::of(&customer).await;

    service.clock.advance(Duration::minutes(10));
    assert_eq!(customer.validate().await, refusal("EXPIRED"));
    assert_eq!(customer.create().await.status, 403);
    open.is_refused(&customer).await;

    let longer = NamedTerms { expires_at: Some(Moment(end + Duration::days(30))), ..NamedTerms::default() };
    administration.licenses.configure(&customer.license_id, &longer).await.unwrap();
    assert_eq!(customer.validate().await["valid"], true);
    open.again(&customer).await.goes_on(&customer).await;

    let ended = NamedTerms { expires_at: Some(Moment(service.clock.now())), ..NamedTerms::default() };
    administration.licenses.configure(&customer.license_id, &ended).await.unwrap();
    assert_eq!(customer.validate().await, refusal("EXPIRED"));
    assert_eq!(customer.create().await.status, 403);
}

#[tokio::test]
async fn refuses_keys_of_another_environment() {
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    for environment in [Environment::Production, Environment::Sandbox] {
        let other = administration.api_keys.issue(&customer.client_id, environment, "other").await.unwrap();
        journal::remember(&other.api_key);
        let answer = customer.with_keys(&other.api_key, &customer.license_key).create().await;
        assert_eq!((answer.status, &answer.body["block_reason"]), (403, &json!("web_license_environment_mismatch")));
    }
    assert_eq!(customer.create().await.status, 200);
}

#[tokio::test]
async fn counts_the_volume_per_calendar_month() {
    let service = Service::start().await;
    let end = service.clock.now() + Duration::days(365);
    let terms = NamedTerms { volume_limit: Some(1), expires_at: Some(Moment(end)), ..NamedTerms::default() };
    let customer = Customer::new(&service, Environment::Staging, terms).await;
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
    assert_eq!(customer.validate().await, refusal("VOLUME_EXCEEDED"));
    // Neither creation nor ingest checks the volume.
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);

    let next_month = first_of_next_month(service.clock.now());
    service.clock.advance(next_month - service.clock.now() - Duration::seconds(30));
    assert_eq!(customer.validate().await, refusal("VOLUME_EXCEEDED"), "30 seconds before the month ends");
    service.clock.advance(Duration::seconds(60));
    assert_eq!(customer.validate().await["captures_used"], 0);
    assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
    assert_eq!(customer.validate().await, refusal("VOLUME_EXCEEDED"));
}

fn first_of_next_month(now: OffsetDateTime) -> OffsetDateTime {
    let first = now.to_offset(UtcOffset::UTC).replace_day(1).unwrap().replace_time(Time::MIDNIGHT);
    (first + Duration::days(31)).replace_day(1).unwrap()
}

#[tokio::test]
async fn lowering_the_volume_limit_raises_alerts() {
    let service = Service::start().await;
    let administration = service.administration();
    let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
    for _ in 0..2 {
        assert_eq!(customer.capture(&frame::fresh()).await.status, 200);
    }
    let lower = NamedTerms { volume_limit: Some(2), ..NamedTerms::default() };
    administration.licenses.configure(&customer.license_id, &lower).await.unwrap();
    assert_eq!(customer.validate().await, refusal("VOLUME_EXCEEDED"));
    let filter = lacre_administration::AlertFilter { license: Some(customer.license_id.clone()), ..Default::default() };
    let raised = administration.alerts.list(&filter).await.unwrap();
    let names: Vec<&str> = raised.iter().map(|alert| alert.alert.name()).collect();
    assert_eq!(names, ["VOLUME_70", "VOLUME_90", "VOLUME_100"]);
    assert_eq!((raised[0].captures_used, raised[0].volume_limit), (Some(2), Some(2)));
}
