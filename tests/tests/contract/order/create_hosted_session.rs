//! `POST {capture_url}/web/sessions`.

use lacre_api::{Refusal::*, Route};
use lacre_create_session::CreateSession;
use lacre_domain::{
    ApiKey, ApiKeyRecord, Client, ClientId, ClientStatus, Clock, Environment, KeyStatus, License, LicenseStatus,
    OriginPattern, SessionToken, StoreAssetPolicy,
};
use lacre_tests::{Fault, Service, Storage, event::hosted_event, records::new_id};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::{Deployment, Outcome, Place, ask, clock, refuses, walk};

const ORDER: &[Place<Plan>] = &[
    &[
        refuses("key prefix", ApiKeyWrongPrefix, |plan| plan.api_key = Some("pvv_api_abc")),
        refuses("key present", ApiKeyInvalid, |plan| plan.api_key = Some("")),
    ],
    &[
        refuses("key read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts api_key", Fault::Refuse)
        }),
        refuses("key's record readable", ApiKeyInconsistent, |plan| plan.api_key_unreadable = true),
        refuses("key known", ApiKeyInvalid, |plan| plan.api_key_unknown = true),
    ],
    &[refuses("key in force", ApiKeyRevoked, |plan| plan.api_key_revoked = true)],
    &[refuses("body", CreatePayloadInvalid, |plan| plan.body = Some("[]"))],
    &[refuses("reference_id typed", FieldInvalid { field: "reference_id" }, |plan| {
        plan.fields.push(("reference_id", json!(1)))
    })],
    &[refuses("redirect_uri typed", FieldInvalid { field: "redirect_uri" }, |plan| {
        plan.fields.push(("redirect_uri", json!(1)))
    })],
    &[refuses("webhook_url typed", FieldInvalid { field: "webhook_url" }, |plan| {
        plan.fields.push(("webhook_url", json!(1)))
    })],
    &[refuses("profile typed", FieldInvalid { field: "profile" }, |plan| plan.fields.push(("profile", json!(1))))],
    &[refuses("reference_id", ReferenceIdInvalid, |plan| plan.fields.push(("reference_id", json!(" "))))],
    &[refuses("profile", ProfileInvalid, |plan| plan.fields.push(("profile", json!("x"))))],
    &[refuses("redirect_uri", RedirectUriInvalid, |plan| plan.fields.push(("redirect_uri", json!("x"))))],
    &[refuses("webhook_url", WebhookUrlInvalid, |plan| plan.fields.push(("webhook_url", json!("x"))))],
    &[
        refuses("hosted license named", LicenseNotOwned, |plan| plan.not_named = true),
        refuses("its name read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts hosted", Fault::Refuse)
        }),
    ],
    &[
        refuses("license read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts client license", Fault::Refuse)
        }),
        refuses("license readable", LicenseInconsistent, |plan| plan.license_unreadable = true),
        refuses("license in force", LicenseNotOwned, |plan| {
            plan.license_changes.push(|license| license.status = LicenseStatus::Revoked)
        }),
        refuses("license in time", LicenseNotOwned, |plan| {
            plan.license_changes.push(|license| license.terms.expires_at.0 = OffsetDateTime::UNIX_EPOCH)
        }),
        refuses("license retains", LicenseNotOwned, |plan| {
            plan.license_changes.push(|license| license.terms.store_asset_policy = StoreAssetPolicy::Never)
        }),
    ],
    &[refuses("redirect of the license", RedirectUriInvalid, |plan| {
        plan.license_changes.push(|license| {
            license.terms.redirect_origins = vec![OriginPattern::parse("http://localhost:1").unwrap()];
        })
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
    api_key_revoked: bool,
    body: Option<&'static str>,
    fields: Vec<(&'static str, Value)>,
    not_named: bool,
    license_unreadable: bool,
    license_changes: Vec<fn(&mut License)>,
    hour_used_up: bool,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    let into_the_hour = service.clock.millis() % 3_600_000;
    service.clock.advance(Duration::milliseconds(3_600_000 - into_the_hour));
    walk(Route::CreateHostedSession, ORDER, &[], async |plan| create(&service, plan).await).await;
}

/// Creates a session for a new client, with keys and license as planned.
async fn create(service: &Service, plan: Plan) -> Outcome {
    let client_id = ClientId::from_u128(new_id());
    let client = Client { id: client_id.clone(), name: "c".into(), status: ClientStatus::Active };
    service.records().put_client(&client).await;
    let (_, license) = service
        .license_like("LICENSE_KEY_HOSTED", |license| {
            license.client_id = client_id.clone();
            plan.license_changes.iter().for_each(|change| change(license));
        })
        .await;
    if !plan.not_named {
        service.records().put_hosted_license(&license).await;
    }
    let api_key = ApiKey::from_entropy(lacre_storage::entropy());
    let status = if plan.api_key_revoked { KeyStatus::Revoked } else { KeyStatus::Active };
    let record =
        ApiKeyRecord { client_id, environment: Environment::Sandbox, status, client_status: ClientStatus::Active };
    if !plan.api_key_unknown {
        service.records().put_api_key(&api_key.hash(), &record).await;
    }
    let storage = Storage::of(service);
    if plan.api_key_unreadable && !plan.api_key_unknown {
        let item = [("pk", format!("api_key#{}", api_key.hash().as_str())), ("sk", "api_key".to_owned())];
        storage.damage("ACCOUNTS_TABLE", &item, "v").await;
    }
    if plan.license_unreadable {
        let item = [("pk", format!("license#{}", license.id)), ("sk", "license".to_owned())];
        storage.damage("ACCOUNTS_TABLE", &item, "environment").await;
    }
    if plan.hour_used_up {
        let sessions = lacre_storage::Sessions::new(service.connection());
        for _ in 0..100 {
            let token = SessionToken::from_entropy(lacre_storage::entropy());
            sessions.count_creation(&api_key.hash(), &token, service.clock.now()).await.unwrap();
        }
    }
    let mut body = Service::hosted_order("vehicle_inspection");
    for (field, value) in plan.fields {
        body[field] = value;
    }
    let body = plan.body.map_or_else(|| body.to_string(), str::to_owned);
    let headers = [("x-api-key", plan.api_key.unwrap_or_else(|| api_key.expose()))];
    let endpoint = CreateSession::new(&plan.deployment.connect(service).await, clock(service));
    ask(endpoint, hosted_event("create-session", &headers, Some(body), None)).await
}
