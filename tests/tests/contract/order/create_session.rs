//! `POST /web/sessions`.

use lacre_api::{Refusal::*, Route};
use lacre_create_session::CreateSession;
use lacre_domain::{
    ApiKey, ApiKeyRecord, ClientId, ClientStatus, Clock, Environment, KeyStatus, LicenseKey, LicenseKeyRecord,
    LicenseStatus, SessionToken,
};
use lacre_tests::{Fault, Service, Storage, event::event};
use serde_json::{Value, json};
use time::Duration;

use super::{Deployment, Outcome, Place, ask, clock, refuses, walk};

const ORDER: &[Place<Plan>] = &[
    &[
        refuses("key prefix", ApiKeyWrongPrefix, |plan| plan.api_key = Some("pvv_api_abc")),
        refuses("key present", ApiKeyInvalid, |plan| plan.api_key = Some("")),
        refuses("key of base58", ApiKeyInvalid, |plan| plan.api_key = Some("svc_api_0")),
    ],
    &[
        refuses("key read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts api_key", Fault::Refuse)
        }),
        refuses("key's record readable", ApiKeyInconsistent, |plan| plan.api_key_unreadable = true),
        refuses("key known", ApiKeyInvalid, |plan| plan.api_key_unknown = true),
    ],
    &[
        refuses("key in force", ApiKeyRevoked, |plan| plan.api_key_changes.push(|key| key.status = KeyStatus::Revoked)),
        refuses("client in good standing", ApiKeyRevoked, |plan| {
            plan.api_key_changes.push(|key| key.client_status = ClientStatus::Suspended)
        }),
    ],
    &[
        refuses("body an object", CreatePayloadInvalid, |plan| plan.body = Some("[]")),
        refuses("body JSON", CreatePayloadInvalid, |plan| plan.body = Some("{")),
    ],
    &[refuses("license_key", LicenseKeyMalformed, |plan| plan.fields.push(("license_key", json!("svc_sand_x"))))],
    &[refuses("reference_id", ReferenceIdInvalid, |plan| plan.fields.push(("reference_id", json!(" "))))],
    &[
        refuses("license's record readable", LicenseInconsistent, |plan| plan.license_unreadable = true),
        refuses("license known", LicenseNotOwned, |plan| plan.license_unknown = true),
        refuses("license the client's", LicenseNotOwned, |plan| {
            plan.license_changes.push(|license| license.client_id = ClientId::from_u128(1))
        }),
        refuses("license in force", LicenseNotOwned, |plan| {
            plan.license_changes.push(|license| license.license_status = LicenseStatus::Revoked)
        }),
    ],
    &[refuses("environment", LicenseEnvironmentMismatch, |plan| {
        plan.license_changes.push(|license| license.environment = Environment::Production)
    })],
    &[
        refuses("rate", CreationLimitReached { retry_after: 0 }, |plan| plan.hour_used_up = true),
        refuses("rate known", UpstreamUnavailable, |plan| {
            plan.deployment.strike("UpdateItem sessions creations", Fault::Refuse)
        }),
    ],
    &[refuses("create", UpstreamUnavailable, |plan| plan.deployment.strike("PutItem sessions session", Fault::Refuse))],
];

#[derive(Default)]
struct Plan {
    api_key: Option<&'static str>,
    api_key_unknown: bool,
    api_key_unreadable: bool,
    api_key_changes: Vec<fn(&mut ApiKeyRecord)>,
    body: Option<&'static str>,
    fields: Vec<(&'static str, Value)>,
    license_unknown: bool,
    license_unreadable: bool,
    license_changes: Vec<fn(&mut LicenseKeyRecord)>,
    hour_used_up: bool,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    // Moves to the start of an hour, so that the test does not cross one.
    let into_the_hour = service.clock.millis() % 3_600_000;
    service.clock.advance(Duration::milliseconds(3_600_000 - into_the_hour));
    walk(Route::CreateSession, ORDER, &[], async |plan| create(&service, plan).await).await;
}

/// Creates a session with new keys as planned.
async fn create(service: &Service, plan: Plan) -> Outcome {
    let accounts = lacre_storage::Accounts::new(service.connection());
    let seeded = LicenseKey::parse(service.variable("LICENSE_KEY")).unwrap();
    let seeded = accounts.read_license_key(&seeded.hash()).await.unwrap().unwrap();
    let api_key = ApiKey::from_entropy(lacre_storage::entropy());
    let license_key = LicenseKey::from_entropy(Environment::Sandbox, lacre_storage::entropy());

    let mut api_record = ApiKeyRecord {
        client_id: seeded.client_id.clone(),
        environment: Environment::Sandbox,
        status: KeyStatus::Active,
        client_status: ClientStatus::Active,
    };
    plan.api_key_changes.iter().for_each(|change| change(&mut api_record));
    if !plan.api_key_unknown {
        service.records().put_api_key(&api_key.hash(), &api_record).await;
    }
    let mut license_record = seeded;
    plan.license_changes.iter().for_each(|change| change(&mut license_record));
    if !plan.license_unknown {
        service.records().put_license_key(&license_key.hash(), &license_record).await;
    }
    let storage = Storage::of(service);
    let item = |kind: &str, hash: &lacre_domain::KeyHash| {
        [("pk", format!("{kind}#{}", hash.as_str())), ("sk", kind.to_owned())]
    };
    if plan.api_key_unreadable && !plan.api_key_unknown {
        storage.damage("ACCOUNTS_TABLE", &item("api_key", &api_key.hash()), "v").await;
    }
    if plan.license_unreadable && !plan.license_unknown {
        storage.damage("ACCOUNTS_TABLE", &item("license_key", &license_key.hash()), "v").await;
    }
    if plan.hour_used_up {
        let sessions = lacre_storage::Sessions::new(service.connection());
        for _ in 0..100 {
            let token = SessionToken::from_entropy(lacre_storage::entropy());
            sessions.count_creation(&api_key.hash(), &token, service.clock.now()).await.unwrap();
        }
    }
    let mut body = json!({ "reference_id": "r", "license_key": license_key.expose() });
    for (field, value) in plan.fields {
        body[field] = value;
    }
    let body = plan.body.map_or_else(|| body.to_string(), str::to_owned);
    let headers = [("x-api-key", plan.api_key.unwrap_or_else(|| api_key.expose()))];
    let endpoint = CreateSession::new(&plan.deployment.connect(service).await, clock(service));
    ask(endpoint, event("create-session", &headers, Some(body), None)).await
}
