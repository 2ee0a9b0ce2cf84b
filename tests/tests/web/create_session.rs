//! `POST /web/sessions`.

use lacre_tests::Service;
use serde_json::json;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

#[tokio::test]
async fn returns_tokens_valid_for_30_minutes() {
    let service = Service::start().await;
    let before = OffsetDateTime::now_utc() - Duration::SECOND;
    let created = service.create("LICENSE_KEY").await;
    assert_eq!(created.header("cache-control"), Some("no-store"));
    assert_eq!(created.header("x-content-type-options"), Some("nosniff"));
    let body = created.ok();
    assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
    let token = body["token"].as_str().unwrap();
    assert!(lacre_domain::SessionToken::parse(token).is_some());
    let expires_at = body["expires_at"].as_str().unwrap();
    assert!(expires_at.ends_with('Z'));
    let validity = OffsetDateTime::parse(expires_at, &Rfc3339).unwrap() - before;
    assert!((Duration::minutes(30)..Duration::minutes(31)).contains(&validity), "{validity}");
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let service = Service::start().await;
    let license = service.variable("LICENSE_KEY");
    let body = json!({ "reference_id": "r", "license_key": license, "store_asset_policy": "ALWAYS" });
    assert_eq!(service.create_with(service.variable("API_KEY"), body).await.status, 200);
}

#[tokio::test]
async fn unknown_routes_are_the_gateways_404() {
    let service = Service::start().await;
    for (method, path) in
        [(reqwest::Method::GET, "/web/sessions"), (reqwest::Method::POST, "/web"), (reqwest::Method::POST, "/validate")]
    {
        let answer = service.send(service.request(method, path)).await;
        assert_eq!(answer.outcome(), (404, json!({ "message": "Not Found" })), "{path}");
    }
}
