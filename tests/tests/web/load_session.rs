//! `GET /web/sessions/:token`.

use lacre_domain::Nonce;
use lacre_tests::{
    Service, frame,
    service::{PAGE, SAFARI},
};
use reqwest::{Method, StatusCode};
use serde_json::json;
use time::Duration;

#[tokio::test]
async fn returns_where_and_how_to_upload() {
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
            "max_asset_bytes": 4_194_304, "capture_resolution": "FHD", "position_required": false,
        })
    );
}

#[tokio::test]
async fn states_that_a_position_is_required() {
    let service = Service::start().await;
    assert_eq!(service.open("LICENSE_KEY_GPS_REQUIRED").await.body["position_required"], true);
}

#[tokio::test]
async fn each_load_has_its_own_nonce() {
    let service = Service::start().await;
    let first = service.open("LICENSE_KEY").await;
    let second = service.reload(&first.token).await;
    assert_ne!(first.text("nonce"), second.text("nonce"));
    assert_ne!(first.text("image_key"), second.text("image_key"));
    // The older nonce stays valid.
    assert_eq!(service.capture_in(&first, &frame::fresh()).await.status, 200);
}

#[tokio::test]
async fn same_origin_requests_need_no_origin_header() {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let get = service.request(Method::GET, &format!("/web/sessions/{token}")).header("user-agent", SAFARI);
    assert_eq!(service.send(get.header("sec-fetch-site", "same-origin")).await.status, 200);
}

#[tokio::test]
async fn upload_urls_permit_only_their_request() {
    let service = Service::start().await;
    let photo = frame::fresh();

    // AWS has its own clock, so the URL is made in the past.
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
async fn preflight_allows_any_page() {
    let service = Service::start().await;
    let preflight = service
        .request(Method::OPTIONS, "/web/ingest")
        .header("origin", PAGE)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type,x-svc-photo,x-svc-touch-points");
    let response = preflight.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_lowercase());
    assert_eq!(header("access-control-allow-origin").as_deref(), Some("*"));
    assert_eq!(header("access-control-allow-headers").as_deref(), Some("content-type,x-svc-photo,x-svc-touch-points"));
    assert_eq!(header("access-control-max-age").as_deref(), Some("7200"));
    assert!(header("access-control-allow-methods").unwrap().contains("post"));
}
