//! `POST {capture_url}/web/skip`.

use lacre_api::{Refusal::*, Route};
use lacre_domain::{LicenseStatus, Nonce, OriginPattern, SessionToken, StoreAssetPolicy};
use lacre_load_session::LoadSession;
use lacre_tests::{
    Fault, Service, Storage,
    event::{HOSTED_PAGE, hosted_event},
    frame,
    kits::kit,
    service::SAFARI,
};
use serde_json::json;
use time::Duration;

use super::{Deployment, LicensePlan, Outcome, Place, SessionPlan, ask, clock, refuses, walk};

const ORDER: &[Place<Plan>] = &[
    &[refuses("body", PayloadInvalid, |plan| plan.body = Some("[]"))],
    &[refuses("token's shape", SessionNotFound, |plan| plan.body = Some(r#"{"token":"x","photo_order":1}"#))],
    &[
        refuses("session read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem sessions", Fault::Refuse)
        }),
        refuses("session known", SessionNotFound, |plan| plan.session.unknown = true),
        refuses("session readable", SessionCorrupt, |plan| plan.session.corrupt = true),
    ],
    &[
        refuses("session unused", SessionUsedOrExpired, |plan| plan.session.concluded = true),
        refuses("session in time", SessionUsedOrExpired, |plan| plan.session.expired = true),
    ],
    &[refuses("browser", AccessNotValidated, |plan| plan.agent = Some("curl/8.5.0"))],
    &[refuses("license there", LicenseMissing, |plan| plan.session.without_license = true)],
    &[
        refuses("license read", UpstreamUnavailable, |plan| {
            plan.deployment.strike("BatchGetItem accounts", Fault::Refuse)
        }),
        refuses("license known", LicenseInvalid, |plan| plan.license.deleted = true),
        refuses("license not revoked", LicenseInvalid, |plan| {
            plan.license.changes.push(|license| license.status = LicenseStatus::Revoked)
        }),
    ],
    &[refuses("origin", OriginNotAllowed, |plan| plan.origin = Some("https://evil.example"))],
    &[
        refuses("nonce there", NonceMissing, |plan| plan.nonce = Some(String::new())),
        refuses("nonce's form", NonceMalformed, |plan| plan.nonce = Some("AAAA".to_owned())),
    ],
    &[refuses("nonce known", NonceReplay, |plan| {
        plan.nonce.get_or_insert_with(|| Nonce::from_entropy([7; 32]).expose().to_owned());
    })],
    &[refuses("the nonce's origin", OriginSessionMismatch, |plan| plan.loaded_from = Some("https://evil.example"))],
    &[refuses("photo order", PhotoOrderMismatch, |plan| plan.photo_order = Some(2))],
    &[refuses("optional", PhotoRequired, |plan| plan.required = true)],
    &[refuses("nonce consumed", UpstreamUnavailable, |plan| {
        plan.deployment.strike("UpdateItem sessions nonce", Fault::Refuse)
    })],
    &[refuses("photo skipped", UpstreamUnavailable, |plan| {
        plan.deployment.strike("UpdateItem sessions session", Fault::Refuse)
    })],
    &[refuses("presign", PresignUnavailable, |plan| plan.deployment.set("UPLOADS_BUCKET", ""))],
    &[refuses("nonce stored", UpstreamUnavailable, |plan| {
        plan.deployment.strike("PutItem sessions nonce", Fault::Refuse)
    })],
];

#[derive(Default)]
struct Plan {
    body: Option<&'static str>,
    session: SessionPlan,
    license: LicensePlan,
    agent: Option<&'static str>,
    origin: Option<&'static str>,
    nonce: Option<String>,
    loaded_from: Option<&'static str>,
    photo_order: Option<i64>,
    required: bool,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    service.put_kit(&kit("opcional", &[("a", true), ("b", false)])).await;
    service.put_kit(&kit("obrigatoria", &[("a", false), ("b", false)])).await;
    walk(Route::Skip, ORDER, &[], async |plan| skip(&service, plan).await).await;
}

async fn skip(service: &Service, plan: Plan) -> Outcome {
    let (_, license) = service
        .license_like("LICENSE_KEY", |license| {
            license.terms.store_asset_policy = StoreAssetPolicy::Always;
            license.terms.redirect_origins = vec![OriginPattern::parse("http://localhost:3000").unwrap()];
        })
        .await;
    service.records().put_hosted_license(&license).await;
    let kit = if plan.required { "obrigatoria" } else { "opcional" };
    let token = service.create_hosted(kit).await;
    let issued = service.issued_to(&token, plan.loaded_from.unwrap_or(HOSTED_PAGE)).await;
    if plan.session.concluded {
        let mut loaded = service.open_hosted(&token).await;
        for _ in 0..2 {
            let ingested = service.capture_hosted(&loaded, &frame::fresh()).await.ok();
            loaded = loaded.followed_by(ingested.get("next").unwrap_or(&json!({})));
        }
    }
    let storage = Storage::of(service);
    let item = [("pk", format!("session#{}", SessionToken::parse(&token).unwrap().hash().as_str()))];
    if plan.session.corrupt {
        storage.damage("SESSIONS_TABLE", &item, "reference_id").await;
    }
    if plan.session.without_license {
        storage.damage("SESSIONS_TABLE", &item, "license_id").await;
    }
    plan.license.put(service, license).await;
    let mut body = issued.skip();
    if plan.session.unknown {
        body["token"] = SessionToken::from_entropy(lacre_storage::entropy()).expose().into();
    }
    if let Some(nonce) = plan.nonce {
        body["nonce"] = nonce.into();
    }
    if let Some(order) = plan.photo_order {
        body["photo_order"] = order.into();
    }
    let body = plan.body.map_or_else(|| body.to_string(), str::to_owned);
    let headers = [("origin", plan.origin.unwrap_or(HOSTED_PAGE)), ("user-agent", plan.agent.unwrap_or(SAFARI))];
    let endpoint = LoadSession::new(&plan.deployment.connect(service).await, clock(service));
    let later = if plan.session.expired { Duration::minutes(30) } else { Duration::ZERO };
    service.clock.advance(later);
    // The sample event of the ingest is a POST of a page, too.
    let outcome = ask(endpoint, hosted_event("ingest", &headers, Some(body), None)).await;
    service.clock.advance(-later);
    outcome
}
