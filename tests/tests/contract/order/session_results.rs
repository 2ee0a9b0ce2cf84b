//! `GET /web/session-results/:token`.

use lacre_api::{Refusal::*, Route};
use lacre_session_results::SessionResults;
use lacre_tests::{Fault, Service, event::event, frame};

use super::{Deployment, LicensePlan, Opened, Outcome, Place, SessionPlan, ask, clock, refuses, walk};

const ORDER: &[Place<Plan>] = &[
    &[refuses("token's shape", SessionNotFound, |plan| plan.token = Some("x"))],
    &[
        refuses("session read", UpstreamUnavailable, |plan| plan.deployment.strike("GetItem sessions", Fault::Refuse)),
        refuses("session known", SessionNotFound, |plan| plan.session.unknown = true),
        refuses("session readable", SessionCorrupt, |plan| plan.session.corrupt = true),
    ],
    &[refuses("URLs", UpstreamUnavailable, |plan| plan.deployment.set("PRESIGNER_ACCESS_KEY_ID", ""))],
];

#[derive(Default)]
struct Plan {
    token: Option<&'static str>,
    session: SessionPlan,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    walk(Route::SessionResults, ORDER, &[], async |plan| results(&service, plan).await).await;
}

async fn results(service: &Service, plan: Plan) -> Outcome {
    let opened = Opened::new(service).await;
    assert_eq!(service.capture_in(&opened.loaded, &frame::fresh()).await.status, 200);
    let token = plan.token.map_or_else(|| opened.token(&plan.session), str::to_owned);
    opened.break_it(service, &plan.session, &LicensePlan::default()).await;
    let endpoint = SessionResults::new(&plan.deployment.connect(service).await, clock(service));
    ask(endpoint, event("session-results", &[], None, Some(("token", &token)))).await
}
