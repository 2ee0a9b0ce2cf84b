//! `GET /web/sessions/:token`.

use domain::Nonce;
use reqwest::{Method, StatusCode};
use serde_json::json;
use tests::{
    Service, frame,
    service::{PAGE, SAFARI, refusal},
};
use time::Duration;

const NOT_FOUND: (u16, &str) = (404, "Sessão não encontrada");
const GONE: (u16, &str) = (410, "Sessão expirada ou já utilizada");

fn origin_refused(reason: &str) -> (u16, serde_json::Value) {
    let text = "Origem não autorizada para esta licença — fale com a Lacre para habilitar este domínio.";
    refusal(403, text, Some(reason))
}

#[tokio::test]
async fn a_load_tells_where_and_how_to_upload() {
    let service = Service::start().await;
    let created = service.create("LICENSE_KEY").await.ok();
    let token = created["token"].as_str().unwrap();
    let mut body = service.load(token).await.ok();

    let taken = |name: &str, body: &mut serde_json::Value| body.as_object_mut().unwrap().remove(name).unwrap();
    let nonce = taken("nonce", &mut body);
    assert!(Nonce::parse(nonce.as_str()).is_ok());
    let (url, key) = (taken("upload_url", &mut body), taken("image_key", &mut body));
    assert!(url.as_str().unwrap().contains(key.as_str().unwrap()));
    assert!(url.as_str().unwrap().contains("X-Amz-Expires=300"));
    let expires_at = taken("upload_expires_at", &mut body);
    assert!(expires_at.as_str().unwrap().ends_with('Z'));
    let server_time = taken("server_time_ms", &mut body).as_i64().unwrap();
    assert!((service.clock.millis() - 10_000..=service.clock.millis()).contains(&server_time));
    assert_eq!(
        body,
        json!({
            "token": token, "status": "pending", "expires_at": created["expires_at"],
            "total_photos": 1, "captured_count": 0, "photo_order": 1,
            "upload_method": "PUT", "upload_headers": { "content-type": "image/jpeg" },
            "max_asset_bytes": 4_194_304, "capture_resolution": "FHD",
        })
    );
}

#[tokio::test]
async fn each_load_has_a_nonce_and_a_place_of_its_own() {
    let service = Service::start().await;
    let first = service.open("LICENSE_KEY").await;
    let second = service.reload(&first.token).await;
    assert_ne!(first.text("nonce"), second.text("nonce"));
    assert_ne!(first.text("image_key"), second.text("image_key"));
    // The older nonce stays good.
    assert_eq!(service.capture_in(&first, &frame::fresh()).await.status, 200);
}

#[tokio::test]
async fn a_token_that_is_none_is_not_found() {
    let service = Service::start().await;
    let unknown = domain::SessionToken::from_entropy(aws::entropy()).expose();
    for token in [unknown.as_str(), "x", &unknown.to_uppercase(), &unknown.replace('-', ""), "%C3%A9"] {
        assert_eq!(service.load(token).await.told(), refusal(NOT_FOUND.0, NOT_FOUND.1, None), "{token}");
    }
}

#[tokio::test]
async fn used_and_expired_look_the_same() {
    let service = Service::start().await;
    let (used, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(service.load(&used).await.told(), refusal(GONE.0, GONE.1, None));

    let unused = Service::token_of(service.create("LICENSE_KEY").await);
    service.clock.advance(Duration::minutes(30));
    assert_eq!(service.load(&unused).await.told(), refusal(GONE.0, GONE.1, None));
    service.clock.advance(Duration::hours(24));
    assert_eq!(service.load(&unused).await.told(), refusal(NOT_FOUND.0, NOT_FOUND.1, None));
}

#[tokio::test]
async fn only_supported_browsers_load() {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let path = format!("/web/sessions/{token}");
    let get = |agent: &str| service.request(Method::GET, &path).header("origin", PAGE).header("user-agent", agent);
    let text = "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
    let refused = refusal(403, text, None);
    let ipad = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";

    assert_eq!(service.send(get("curl/8.5.0")).await.told(), refused);
    assert_eq!(service.send(get(ipad)).await.told(), refused);
    assert_eq!(service.send(get(ipad).header("x-svc-touch-points", "5")).await.status, 200);
    assert_eq!(service.send(get(SAFARI)).await.status, 200);
}

#[tokio::test]
async fn the_page_must_be_on_the_license_s_list() {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let path = format!("/web/sessions/{token}");
    let get = || service.request(Method::GET, &path).header("user-agent", SAFARI);
    for origin in ["https://evil.example", "null", "http://localhost.evil.example", "https://localhost"] {
        let answer = service.send(get().header("origin", origin)).await;
        assert_eq!(answer.told(), origin_refused("web_origin_not_allowed"), "{origin}");
    }
    assert_eq!(service.send(get()).await.told(), origin_refused("web_origin_not_allowed"));
    // The session stays valid.
    assert_eq!(service.load(&token).await.status, 200);

    let nowhere = Service::token_of(service.create("LICENSE_KEY_NO_ORIGIN").await);
    assert_eq!(service.load(&nowhere).await.told(), origin_refused("web_origin_allowlist_empty"));
}

#[tokio::test]
async fn a_page_of_the_service_s_own_origin_names_none() {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let get = service.request(Method::GET, &format!("/web/sessions/{token}")).header("user-agent", SAFARI);
    assert_eq!(service.send(get.header("sec-fetch-site", "same-origin")).await.status, 200);
}

#[tokio::test]
async fn a_session_is_loaded_20_times() {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let wrong_page = service.request(Method::GET, &format!("/web/sessions/{token}")).header("user-agent", SAFARI);
    assert_eq!(service.send(wrong_page).await.status, 403, "a load that is refused before the count does not count");
    for _ in 0..20 {
        assert_eq!(service.load(&token).await.status, 200);
    }
    let refused = service.load(&token).await;
    assert_eq!(refused.told(), refusal(429, "Limite de tentativas atingido para esta sessão", None));
    assert_eq!(refused.header("retry-after"), None, "waiting does not help");
}

#[tokio::test]
async fn an_upload_url_works_for_5_minutes_and_for_its_own_request_only() {
    let service = Service::start().await;
    let photo = frame::fresh();

    // AWS has a clock of its own: the URL is made in the past.
    service.clock.advance(Duration::minutes(-5) - Duration::seconds(2));
    let expired = service.open("LICENSE_KEY").await;
    assert_eq!(service.upload(&expired, &photo).await, StatusCode::FORBIDDEN);

    service.clock.advance(Duration::seconds(60));
    let in_time = service.open("LICENSE_KEY").await;
    let put = |url: String, kind: &str| service.http.put(url).header("content-type", kind).body(photo.clone()).send();
    let url = in_time.text("upload_url");
    let elsewhere = url.replace(in_time.text("image_key"), "other.jpg");
    assert_eq!(put(elsewhere, "image/jpeg").await.unwrap().status(), StatusCode::FORBIDDEN);
    assert_eq!(put(url.to_owned(), "text/html").await.unwrap().status(), StatusCode::FORBIDDEN);
    assert_eq!(put(url.to_owned(), "image/jpeg").await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn browsers_may_call_from_any_page() {
    let service = Service::start().await;
    let refused = service.load("x").await;
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    assert_eq!(refused.header("access-control-expose-headers"), Some("retry-after"));
    assert_eq!(refused.header("access-control-allow-credentials"), None);

    let preflight = service
        .request(Method::OPTIONS, "/web/ingest")
        .header("origin", PAGE)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type,x-svc-touch-points");
    let response = preflight.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_lowercase());
    assert_eq!(header("access-control-allow-origin").as_deref(), Some("*"));
    assert_eq!(header("access-control-allow-headers").as_deref(), Some("content-type,x-svc-touch-points"));
    assert_eq!(header("access-control-max-age").as_deref(), Some("7200"));
    assert!(header("access-control-allow-methods").unwrap().contains("post"));
}
