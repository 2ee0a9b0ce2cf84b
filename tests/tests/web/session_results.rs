//! `GET /web/session-results/:token`.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_domain::{FrameHash, Sha256Digest};
use lacre_tests::{Service, frame};
use serde_json::json;
use time::Duration;

#[tokio::test]
async fn waiting_sessions_list_their_pending_photo() {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let mut body = service.results(&token).await.ok();
    let created_at = body.as_object_mut().unwrap().remove("created_at").unwrap();
    assert!(created_at.as_str().unwrap().ends_with('Z'));
    let pending = json!({
        "reference_id": "sinistro-42", "status": "pending", "total_photos": 1, "captured_count": 0,
        "photos": [{ "order": 1, "label": "", "status": "pending" }],
    });
    assert_eq!(body, pending);

    service.clock.advance(Duration::minutes(30));
    assert_eq!(service.results(&token).await.ok()["status"], "expired");
}

#[tokio::test]
async fn returns_captures_as_sent() {
    let service = Service::start().await;
    let photo = frame::fresh();
    let loaded = service.open("LICENSE_KEY_ALWAYS").await;
    assert_eq!(service.upload(&loaded, &photo).await, 200);
    let mut submission = service.submission(&loaded, &photo);
    submission["label"] = "Frente do veículo".into();
    submission["heading"] = 271.5.into();
    let ingested = service.ingest(&submission).await.ok();

    let body = service.results(&loaded.token).await.ok();
    assert_eq!((&body["status"], &body["captured_count"]), (&json!("captured"), &json!(1)));
    let [photo_result] = body["photos"].as_array().unwrap().as_slice() else { panic!("{body}") };
    let mut result = photo_result.clone();
    let signed = STANDARD.decode(ingested["signed_image_base64"].as_str().unwrap()).unwrap();
    let mut url = |name: &str| result.as_object_mut().unwrap().remove(name).unwrap().as_str().unwrap().to_owned();
    let (jpeg_url, manifest_url) = (url("authenticated_jpeg_url"), url("manifest_url"));
    assert_eq!(
        result,
        json!({
            "order": 1, "label": "Frente do veículo", "status": "captured", "custody": "held",
            "session_id": ingested["session_id"],
            "heading": 271.5, "gps_lat": -23.5505, "gps_lon": -46.6333, "gps_accuracy": 12.5,
            "captured_at_ms": submission["captured_at_ms"], "frame_hash_hex": FrameHash::of(&photo).hex(),
            "authenticated_jpeg_sha256": Sha256Digest::of(&signed).hex(),
        })
    );
    for (url, earlier) in [(jpeg_url, &ingested["authenticated_jpeg_url"]), (manifest_url, &ingested["manifest_url"])] {
        let again = service.fetch(earlier.as_str().unwrap()).await;
        assert_eq!(again.0, 200);
        assert_eq!(service.fetch(&url).await, again);
    }
}

#[tokio::test]
async fn unretained_captures_have_only_a_manifest() {
    let service = Service::start().await;
    let (token, ingested) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    assert_eq!(ingested.ok()["authenticated_jpeg_url"], json!(null));
    let body = service.results(&token).await.ok();
    let photo = &body["photos"][0];
    assert_eq!((&photo["authenticated_jpeg_url"], &photo["label"]), (&json!(null), &json!("")));
    assert_eq!(photo.get("heading"), None);
    assert_eq!(service.fetch(photo["manifest_url"].as_str().unwrap()).await.0, 200);
}

#[tokio::test]
async fn result_urls_permit_only_their_object() {
    let service = Service::start().await;
    let (token, ingested) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    assert_eq!(ingested.status, 200);
    let manifest_url = async || {
        let body = service.results(&token).await.ok();
        body["photos"][0]["manifest_url"].as_str().unwrap().to_owned()
    };
    assert!(manifest_url().await.contains("X-Amz-Expires=604800"));

    // AWS has its own clock, so the URL is made in the past.
    service.clock.advance(Duration::days(-7) - Duration::seconds(2));
    assert_eq!(service.fetch(&manifest_url().await).await.0, 403);
    service.clock.advance(Duration::seconds(60));
    let url = manifest_url().await;
    assert_eq!(service.fetch(&url).await.0, 200);
    assert_eq!(service.fetch(&url.replace("manifest.c2pa", "photo.jpg")).await.0, 403);
    assert_eq!(service.http.delete(&url).send().await.unwrap().status(), 403);
}
