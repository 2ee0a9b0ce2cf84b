//! `GET /web/sessions/:token`.

use lacre_api::{Refusal::*, Route, limits};
use lacre_domain::{LicenseStatus, Nonce, SessionToken};
use lacre_load_session::LoadSession;
use lacre_tests::{
    Fault, Service,
    event::event,
    service::{PAGE, SAFARI},
};
use time::{Duration, OffsetDateTime};

use super::{Deployment, LicensePlan, Opened, Outcome, Place, SessionPlan, ask, clock, refuses, walk};

const ORDER: &[Place<Plan>] = &[
    &[refuses("token's shape", SessionNotFound, |plan| plan.token = Some("x"))],
    &[
        refuses("session read", UpstreamUnavailable, |plan| plan.deployment.strike("GetItem sessions", Fault::Refuse)),
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
        refuses("license readable", LicenseInvalid, |plan| plan.license.unreadable = true),
        refuses("license not revoked", LicenseInvalid, |plan| {
            plan.license.changes.push(|license| license.status = LicenseStatus::Revoked)
        }),
        refuses("license in time", LicenseInvalid, |plan| {
            plan.license.changes.push(|license| license.terms.expires_at.0 = OffsetDateTime::UNIX_EPOCH)
        }),
    ],
    &[refuses("any origin", OriginAllowlistEmpty, |plan| {
        plan.license.changes.push(|license| license.terms.authorized_origins.clear())
    })],
    &[refuses("origin", OriginNotAllowed, |plan| plan.origin = Some("https://evil.example"))],
    &[
        refuses("loads", LoadLimitReached, |plan| plan.loads_used_up = true),
        refuses("loads known", UpstreamUnavailable, |plan| {
            plan.deployment.strike("UpdateItem sessions loads", Fault::Refuse)
        }),
    ],
    &[refuses("presign", PresignUnavailable, |plan| plan.deployment.set("UPLOADS_BUCKET", ""))],
    &[refuses("nonce stored", UpstreamUnavailable, |plan| {
        plan.deployment.strike("PutItem sessions nonce", Fault::Refuse)
    })],
];

#[derive(Default)]
struct Plan {
    token: Option<&'static str>,
    session: SessionPlan,
    license: LicensePlan,
    agent: Option<&'static str>,
    origin: Option<&'static str>,
    loads_used_up: bool,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    walk(Route::LoadSession, ORDER, &[], async |plan| load(&service, plan).await).await;
}

async fn load(service: &Service, plan: Plan) -> Outcome {
    let opened = Opened::new(service).await;
    let token = plan.token.map_or_else(|| opened.token(&plan.session), str::to_owned);
    if plan.loads_used_up {
        let sessions = lacre_storage::Sessions::new(service.connection());
        let token = SessionToken::parse(&opened.loaded.token).unwrap();
        let until = OffsetDateTime::now_utc() + Duration::HOUR;
        for _ in 0..limits::LOADS_PER_SESSION {
            sessions.count_load(&token, &Nonce::from_entropy(lacre_storage::entropy()), until).await.unwrap();
        }
    }
    opened.break_it(service, &plan.session, &plan.license).await;
    let headers = [("origin", plan.origin.unwrap_or(PAGE)), ("user-agent", plan.agent.unwrap_or(SAFARI))];
    let endpoint = LoadSession::new(&plan.deployment.connect(service).await, clock(service));
    let later = if plan.session.expired { Duration::minutes(30) } else { Duration::ZERO };
    service.clock.advance(later);
    let outcome = ask(endpoint, event("load-session", &headers, None, Some(("token", &token)))).await;
    service.clock.advance(-later);
    outcome
}
