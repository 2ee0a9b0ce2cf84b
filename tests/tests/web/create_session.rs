//! `POST /web/sessions`.

use serde_json::{Value, json};
use tests::{
    Service,
    service::{refusal, unknown_api_key, unknown_license_key},
};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

fn order(service: &Service, license: &str) -> Value {
    json!({ "reference_id": "sinistro-42", "license_key": service.variable(license) })
}

#[tokio::test]
async fn a_session_is_a_token_that_works_for_30_minutes() {
    let service = Service::start().await;
    let before = OffsetDateTime::now_utc() - Duration::SECOND;
    let created = service.create("LICENSE_KEY").await;
    assert_eq!(created.header("cache-control"), Some("no-store"));
    assert_eq!(created.header("x-content-type-options"), Some("nosniff"));
    let body = created.ok();
    assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
    let token = body["token"].as_str().unwrap();
    assert!(domain::SessionToken::parse(token).is_some());
    let expires_at = body["expires_at"].as_str().unwrap();
    assert!(expires_at.ends_with('Z'));
    let validity = OffsetDateTime::parse(expires_at, &Rfc3339).unwrap() - before;
    assert!((Duration::minutes(30)..Duration::minutes(31)).contains(&validity), "{validity}");
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let service = Service::start().await;
    let mut body = order(&service, "LICENSE_KEY");
    body["store_asset_policy"] = "ALWAYS".into();
    assert_eq!(service.create_with(service.variable("API_KEY"), body).await.status, 200);
}

#[tokio::test]
async fn the_api_key_is_judged_first() {
    let service = Service::start().await;
    let invalid = refusal(401, "API key inválida ou ausente", None);
    let nonsense = json!("no object");
    for (key, expected) in [
        (String::new(), invalid.clone()),
        ("svc_api_".into(), invalid.clone()),
        (unknown_api_key(), invalid.clone()),
        ("pvv_api_abc".into(), refusal(401, "API key inválida — apenas svc_api_* aceito", None)),
        (service.variable("API_KEY_REVOKED").into(), refusal(401, "API key inválida ou revogada", None)),
    ] {
        for body in [order(&service, "LICENSE_KEY"), nonsense.clone()] {
            assert_eq!(service.create_with(&key, body).await.told(), expected, "{key}");
        }
    }
    let request = service.request(reqwest::Method::POST, "/web/sessions").json(&order(&service, "LICENSE_KEY"));
    assert_eq!(service.send(request).await.told(), invalid);
}

#[tokio::test]
async fn the_body_says_what_is_wrong_with_it() {
    let service = Service::start().await;
    let (key, license) = (service.variable("API_KEY"), service.variable("LICENSE_KEY"));
    let malformed = |reason| refusal(400, "Payload inválido", Some(reason));
    for (body, reason) in [
        (json!([]), "web_create_payload_invalid"),
        (json!({}), "web_license_key_malformed"),
        (json!({ "license_key": 1, "reference_id": "r" }), "web_license_key_malformed"),
        (json!({ "license_key": "svc_test_x", "reference_id": "r" }), "web_license_key_malformed"),
        (json!({ "license_key": format!("{license} "), "reference_id": "r" }), "web_license_key_malformed"),
        (json!({ "license_key": license }), "web_reference_id_invalid"),
        (json!({ "license_key": license, "reference_id": 42 }), "web_reference_id_invalid"),
        (json!({ "license_key": license, "reference_id": "" }), "web_reference_id_invalid"),
        (json!({ "license_key": license, "reference_id": "ação" }), "web_reference_id_invalid"),
        (json!({ "license_key": license, "reference_id": "x".repeat(513) }), "web_reference_id_invalid"),
    ] {
        assert_eq!(service.create_with(key, body.clone()).await.told(), malformed(reason), "{body}");
    }
    let request = service.request(reqwest::Method::POST, "/web/sessions").header("x-api-key", key).body("{");
    assert_eq!(service.send(request).await.told(), malformed("web_create_payload_invalid"));
}

#[tokio::test]
async fn a_license_that_may_not_be_used_looks_the_same_whatever_the_cause() {
    let service = Service::start().await;
    let refused = refusal(403, "License inválida para esta API key", None);
    for license in ["LICENSE_KEY_FOREIGN", "LICENSE_KEY_REVOKED", "LICENSE_KEY_EXPIRED", "LICENSE_KEY_SUSPENDED"] {
        assert_eq!(service.create(license).await.told(), refused, "{license}");
    }
    let unknown = json!({ "reference_id": "r", "license_key": unknown_license_key() });
    assert_eq!(service.create_with(service.variable("API_KEY"), unknown).await.told(), refused);
}

#[tokio::test]
async fn license_and_api_key_are_of_one_environment() {
    let service = Service::start().await;
    assert_eq!(
        service.create("LICENSE_KEY_LIVE").await.told(),
        refusal(403, "License e API key pertencem a ambientes diferentes", Some("web_license_environment_mismatch"))
    );
}

#[tokio::test]
async fn a_key_creates_100_sessions_in_a_clock_hour() {
    let service = Service::start().await;
    // From the start of an hour on, so that the test itself does not cross one.
    let into_the_hour = service.clock.millis() % 3_600_000;
    service.clock.advance(Duration::milliseconds(3_600_000 - into_the_hour));
    for _ in 0..100 {
        assert_eq!(service.create("LICENSE_KEY").await.status, 200);
    }
    let refused = service.create("LICENSE_KEY").await;
    let limit = "Limite de criação de sessões atingido — tente novamente mais tarde";
    assert_eq!(refused.told(), refusal(429, limit, None));
    let retry_after: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((3_000..=3_600).contains(&retry_after), "{retry_after}");

    service.clock.advance(Duration::seconds(retry_after));
    assert_eq!(service.create("LICENSE_KEY").await.status, 200);
}

#[tokio::test]
async fn what_is_no_route_is_the_gateway_s_own_404() {
    let service = Service::start().await;
    for (method, path) in
        [(reqwest::Method::GET, "/web/sessions"), (reqwest::Method::POST, "/web"), (reqwest::Method::POST, "/validate")]
    {
        let answer = service.send(service.request(method, path)).await;
        assert_eq!(answer.told(), (404, json!({ "message": "Not Found" })), "{path}");
    }
}
