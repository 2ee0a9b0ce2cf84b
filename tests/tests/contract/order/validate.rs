//! `POST /validate`: its errors, and the precedence of its verdicts.

use lacre_api::{Refusal::*, Route};
use lacre_domain::{Client, ClientStatus, KeyStatus, LicenseKey, LicenseStatus};
use lacre_tests::{Fault, Service, Storage, event::event, service::unknown_license_key};
use lacre_validate::Validate;
use serde_json::json;
use time::OffsetDateTime;

use super::{
    Deployment, LicensePlan, Outcome, Place, ask, clock, refuses,
    walk::{judges, walk},
};

const ORDER: &[Place<Plan>] = &[
    &[refuses("body", PayloadInvalid, |plan| plan.body = Some("[]"))],
    &[judges("key's shape", "INVALID_KEY", |plan| plan.body = Some(r#"{"license_key":"svc_sand_x"}"#))],
    &[
        refuses("key read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts license_key", Fault::Refuse)
        }),
        refuses("key's record readable", UpstreamUnavailable, |plan| plan.key_unreadable = true),
        judges("key known", "INVALID_KEY", |plan| plan.key_unknown = true),
        judges("key not rotated", "INVALID_KEY", |plan| plan.key_rotated = true),
    ],
    &[
        refuses("license read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts client", Fault::Refuse)
        }),
        refuses("license known", UpstreamUnavailable, |plan| plan.license.deleted = true),
        refuses("license readable", UpstreamUnavailable, |plan| plan.license.unreadable = true),
    ],
    &[judges("license not revoked", "REVOKED", |plan| {
        plan.license.changes.push(|license| license.status = LicenseStatus::Revoked)
    })],
    &[judges("client in good standing", "CLIENT_SUSPENDED", |plan| plan.client_suspended = true)],
    &[judges("license in time", "EXPIRED", |plan| {
        plan.license.changes.push(|license| license.terms.expires_at.0 = OffsetDateTime::UNIX_EPOCH)
    })],
    &[
        judges("origin", "ORIGIN_NOT_ALLOWED", |plan| plan.origin = Some("https://evil.example")),
        judges("origin readable", "ORIGIN_NOT_ALLOWED", |plan| plan.origin = Some("null")),
        judges("any origin", "ORIGIN_NOT_ALLOWED", |plan| {
            plan.license.changes.push(|license| license.terms.authorized_origins.clear())
        }),
    ],
    &[judges("volume", "VOLUME_EXCEEDED", |plan| plan.license.changes.push(|license| license.terms.volume_limit = 0))],
];

#[derive(Default)]
struct Plan {
    body: Option<&'static str>,
    key_unknown: bool,
    key_rotated: bool,
    key_unreadable: bool,
    client_suspended: bool,
    license: LicensePlan,
    origin: Option<&'static str>,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    walk(Route::Validate, ORDER, &[], async |plan| validate(&service, plan).await).await;
}

/// Validates a new license in staging, because the sandbox has no volume limit. Its client is restored afterwards.
async fn validate(service: &Service, plan: Plan) -> Outcome {
    let (accounts, records) = (lacre_storage::Accounts::new(service.connection()), service.records());
    let storage = Storage::of(service);
    let (key, license) = service.license_like("LICENSE_KEY_STAGING", |_| {}).await;
    let client = |status| Client { id: license.client_id.clone(), name: "c".into(), status };
    let (suspended, active) = (client(ClientStatus::Suspended), client(ClientStatus::Active));
    plan.license.put(service, license).await;
    let hash = LicenseKey::parse(&key).unwrap().hash();
    if plan.key_rotated {
        let mut record = accounts.read_license_key(&hash).await.unwrap().unwrap();
        record.status = KeyStatus::Revoked;
        records.put_license_key(&hash, &record).await;
    }
    if plan.key_unreadable {
        let item = [("pk", format!("license_key#{}", hash.as_str())), ("sk", "license_key".to_owned())];
        storage.damage("ACCOUNTS_TABLE", &item, "v").await;
    }
    if plan.client_suspended {
        records.put_client(&suspended).await;
    }
    let key = if plan.key_unknown { unknown_license_key() } else { key };
    let body = plan.body.map_or_else(|| json!({ "license_key": key }).to_string(), str::to_owned);
    let headers = [("origin", plan.origin.unwrap_or("https://app.example.com"))];
    let endpoint = Validate::new(&plan.deployment.connect(service).await, clock(service));
    let outcome = ask(endpoint, event("validate", &headers, Some(body), None)).await;
    records.put_client(&active).await;
    outcome
}
