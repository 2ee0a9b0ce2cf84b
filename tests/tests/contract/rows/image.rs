//! `GET /web/image/:session_id`.

use lacre_domain::{SessionId, StoreAssetPolicy};
use lacre_tests::{Answer, Fault, Service, Storage, frame};
use reqwest::Method;
use serde_json::Value;

use super::{Row, capture_by_a_sound_function, deployed_with, rows};

rows! { Image:
    CaptureNotFound => no_such_capture,
    AssetNotRetained => not_retained,
    AssetWithheld => withheld,
    AssetErased => erased,
    UpstreamUnavailable => store_unavailable,
    PresignUnavailable => no_url,
}

async fn image(service: &Service, session_id: &str) -> Answer {
    service.send_from_page(service.request(Method::GET, &format!("/web/image/{session_id}"))).await
}

fn session_id((_, captured): (String, Answer)) -> String {
    captured.ok()["session_id"].as_str().unwrap().to_owned()
}

async fn no_such_capture(row: &Row) {
    let service = Service::start().await;
    let (token, captured) = service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await;
    let known = session_id((token.clone(), captured));
    let unknown = lacre_domain::SessionToken::from_entropy(lacre_storage::entropy()).session_id(1).expose();
    for id in [unknown.as_str(), &token, "x", &known.to_uppercase(), "%C3%A9"] {
        row.is(id, &image(&service, id).await);
    }
    assert_eq!(image(&service, &known).await.status, 200);
}

async fn not_retained(row: &Row) {
    let service = Service::start().await;
    let never = session_id(service.capture("LICENSE_KEY", &frame::fresh()).await);
    row.is("NEVER", &image(&service, &never).await);
    let per_session =
        |license: &mut lacre_domain::License| license.terms.store_asset_policy = StoreAssetPolicy::PerSession;
    let (key, _) = service.license_like("LICENSE_KEY", per_session).await;
    let loaded = service.open_with(&key).await;
    let captured = service.capture_in(&loaded, &frame::fresh()).await;
    assert_eq!(captured.body["authenticated_jpeg_url"], Value::Null);
    row.is("PER_SESSION", &image(&service, &session_id((loaded.token, captured))).await);
}

async fn withheld(row: &Row) {
    let service = Service::start().await;
    let known = session_id(service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await);
    service.evidence().withhold(&known, "case 7").await.unwrap();
    row.is("withheld", &image(&service, &known).await);
    service.evidence().release(&known, "case 7").await.unwrap();
    assert_eq!(image(&service, &known).await.status, 200);
    let client = service.license_like("LICENSE_KEY_ALWAYS", |_| {}).await.1.client_id;
    service.administration().clients.suspend(&client).await.unwrap();
    row.is("a suspended client", &image(&service, &known).await);
}

async fn erased(row: &Row) {
    let service = Service::start().await;
    let known = session_id(service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await);
    service.evidence().erase(&known, "request 41").await.unwrap();
    row.is("erased", &image(&service, &known).await);
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let known = session_id(service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await);
    faults.always("GetItem evidence", Fault::Refuse);
    row.is("the store", &image(&service, &known).await);
    faults.clear();
    faults.always("BatchGetItem", Fault::Refuse);
    row.is("what decides on a renewal", &image(&service, &known).await);
    faults.clear();
    let key = [("capture_id", SessionId::parse(&known).unwrap().capture_id().as_str().to_owned())];
    Storage::of(&service).damage("EVIDENCE_TABLE", &key, "attempt").await;
    row.is("a record that cannot be read", &image(&service, &known).await);
}

async fn no_url(row: &Row) {
    let service = deployed_with(&[("PRESIGNER_ACCESS_KEY_ID", "")]).await;
    let (_, session_id) = capture_by_a_sound_function(&service, "LICENSE_KEY_ALWAYS").await;
    row.is("no credentials for result URLs", &image(&service, &session_id).await);
}
