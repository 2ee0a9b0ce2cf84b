//! `POST {capture_url}/validate`: its errors, and the precedence of its verdicts.

use lacre_api::{Refusal::*, Route};
use lacre_domain::{ClientStatus, LicenseStatus, SessionToken};
use lacre_tests::{Fault, Service, Storage, event::hosted_event, frame};
use lacre_validate::Validate;
use serde_json::json;
use time::{Duration, OffsetDateTime};

use super::{
    Deployment, LicensePlan, Outcome, Place, ask, clock, refuses,
    walk::{judges, walk},
};

const ORDER: &[Place<Plan>] = &[
    &[refuses("body", PayloadInvalid, |plan| plan.body = Some("[]"))],
    &[refuses("token's shape", SessionNotFound, |plan| plan.body = Some(r#"{"token":"x"}"#))],
    &[
        refuses("session read", UpstreamUnavailable, |plan| plan.deployment.strike("GetItem sessions", Fault::Refuse)),
        refuses("session readable", SessionCorrupt, |plan| plan.corrupt = true),
    ],
    &[
        refuses("session unused", SessionUsedOrExpired, |plan| plan.concluded = true),
        refuses("session in time", SessionUsedOrExpired, |plan| plan.expired = true),
    ],
    &[judges("license there", "INVALID_KEY", |plan| plan.without_license = true)],
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
    &[judges("volume", "VOLUME_EXCEEDED", |plan| plan.license.changes.push(|license| license.terms.volume_limit = 0))],
];

#[derive(Default)]
struct Plan {
    body: Option<&'static str>,
    corrupt: bool,
    concluded: bool,
    expired: bool,
    without_license: bool,
    client_suspended: bool,
    license: LicensePlan,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    walk(Route::ValidateSession, ORDER, &[], async |plan| validate(&service, plan).await).await;
}

/// Validates a session under a new license in staging, because the sandbox has no volume limit.
async fn validate(service: &Service, plan: Plan) -> Outcome {
    let accounts = lacre_storage::Accounts::new(service.connection());
    let (_, license) = service
        .license_like("LICENSE_KEY_STAGING", |license| {
            license.terms.store_asset_policy = lacre_domain::StoreAssetPolicy::Always;
            license.terms.redirect_origins =
                vec![lacre_domain::OriginPattern::parse("https://app.example.com").unwrap()];
        })
        .await;
    service.records().put_hosted_license(&license).await;
    let mut order = Service::hosted_order("demo");
    order["redirect_uri"] = json!("https://app.example.com/done");
    let token = service.create_hosted_with(service.variable("API_KEY_STAGING"), &order).await.hosted_token();
    if plan.concluded {
        let loaded = service.open_hosted(&token).await;
        service.capture_hosted(&loaded, &frame::fresh()).await.ok();
    }
    let item = [("pk", format!("session#{}", SessionToken::parse(&token).unwrap().hash().as_str()))];
    let storage = Storage::of(service);
    if plan.corrupt {
        storage.damage("SESSIONS_TABLE", &item, "reference_id").await;
    }
    if plan.without_license {
        storage.damage("SESSIONS_TABLE", &item, "license_id").await;
    }
    let client = accounts.read_license(&license.id, &license.client_id, None).await.unwrap().client.unwrap().unwrap();
    if plan.client_suspended {
        let suspended = lacre_domain::Client { status: ClientStatus::Suspended, ..client.clone() };
        service.records().put_client(&suspended).await;
    }
    plan.license.put(service, license).await;
    let body = plan.body.map_or_else(|| json!({ "token": token }).to_string(), str::to_owned);
    let endpoint = Validate::new(&plan.deployment.connect(service).await, clock(service));
    let later = if plan.expired { Duration::minutes(30) } else { Duration::ZERO };
    service.clock.advance(later);
    let outcome = ask(endpoint, hosted_event("validate", &[], Some(body), None)).await;
    service.clock.advance(-later);
    service.records().put_client(&client).await;
    outcome
}
