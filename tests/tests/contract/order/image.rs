//! `GET /web/image/:session_id`.

use lacre_api::{Refusal::*, Route};
use lacre_domain::{CustodyState, SessionId, SessionToken};
use lacre_image::Image;
use lacre_tests::{Fault, Service, Storage, event::event, frame};

use super::{Deployment, Outcome, Place, ask, clock, refuses, walk};

const ORDER: &[Place<Plan>] = &[
    &[refuses("identifier's shape", CaptureNotFound, |plan| plan.session_id = Some("x"))],
    &[
        refuses("capture read", UpstreamUnavailable, |plan| plan.deployment.strike("GetItem evidence", Fault::Refuse)),
        refuses("capture known", CaptureNotFound, |plan| plan.unknown = true),
        refuses("capture readable", UpstreamUnavailable, |plan| plan.unreadable = true),
    ],
    &[refuses("photo retained", AssetNotRetained, |plan| plan.not_retained = true)],
    &[
        refuses("renewal read", UpstreamUnavailable, |plan| plan.deployment.strike("BatchGetItem", Fault::Refuse)),
        refuses("capture held", AssetWithheld, |plan| plan.custody = Some(CustodyState::Withheld)),
        refuses("capture not erased", AssetErased, |plan| plan.custody = Some(CustodyState::Erased)),
    ],
    &[refuses("presign", PresignUnavailable, |plan| plan.deployment.set("PRESIGNER_ACCESS_KEY_ID", ""))],
];

#[derive(Default)]
struct Plan {
    session_id: Option<&'static str>,
    unknown: bool,
    unreadable: bool,
    not_retained: bool,
    custody: Option<CustodyState>,
    deployment: Deployment,
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_in_the_documented_order() {
    let service = Service::start().await;
    walk(Route::Image, ORDER, &[], async |plan| image(&service, plan).await).await;
}

async fn image(service: &Service, plan: Plan) -> Outcome {
    let license = if plan.not_retained { "LICENSE_KEY" } else { "LICENSE_KEY_ALWAYS" };
    let (_, captured) = service.capture(license, &frame::fresh()).await;
    let known = captured.ok()["session_id"].as_str().unwrap().to_owned();
    // Custody must change before the record is damaged.
    match plan.custody {
        Some(CustodyState::Withheld) => drop(service.evidence().withhold(&known, "case 7").await.unwrap()),
        Some(CustodyState::Erased) => drop(service.evidence().erase(&known, "case 7").await.unwrap()),
        Some(CustodyState::Held) | None => {}
    }
    if plan.unreadable {
        let capture_id = SessionId::parse(&known).unwrap().capture_id();
        let item = [("capture_id", capture_id.as_str().to_owned())];
        Storage::of(service).damage("EVIDENCE_TABLE", &item, "attempt").await;
    }
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).session_id(1).expose();
    let session_id = plan.session_id.unwrap_or(if plan.unknown { &unknown } else { &known });
    let endpoint = Image::new(&plan.deployment.connect(service).await, clock(service));
    ask(endpoint, event("image", &[], None, Some(("session_id", session_id)))).await
}
