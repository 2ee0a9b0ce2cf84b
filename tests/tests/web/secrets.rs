//! Tests that no `session_id` is in anything that is stored or delivered, and no secret is in a log line.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_tests::{Service, Storage, frame, journal};
use serde_json::json;

#[tokio::test]
async fn photos_and_records_contain_no_session_id() {
    let service = Service::start().await;
    let (token, ingested) = service.capture("LICENSE_KEY_ALWAYS", &frame::fresh()).await;
    let ingested = ingested.ok();
    let session_id = ingested["session_id"].as_str().unwrap();
    let jpeg = STANDARD.decode(ingested["signed_image_base64"].as_str().unwrap()).unwrap();
    let manifest = service.fetch(ingested["manifest_url"].as_str().unwrap()).await.1;
    let kept = Storage::of(&service).everything().await;
    let capture_id = lacre_domain::SessionId::parse(session_id).unwrap().capture_id();
    let contains = |place: &[u8], text: &str| place.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(contains(kept.as_bytes(), capture_id.as_str()), "the search sees the evidence");
    assert!(contains(&jpeg, capture_id.as_str()) && contains(&manifest, capture_id.as_str()));
    for secret in [session_id, token.as_str()] {
        for form in [secret.to_owned(), secret.replace('-', "")] {
            assert!(!contains(&jpeg, &form) && !contains(&manifest, &form));
            assert!(!kept.contains(&form));
            assert!(!ingested["manifest_url"].as_str().unwrap().contains(&form));
            assert!(!ingested["authenticated_jpeg_url"].as_str().unwrap().contains(&form));
        }
        let raw = uuid_bytes(secret);
        assert!(!jpeg.windows(16).any(|window| window == raw));
    }
}

fn uuid_bytes(text: &str) -> Vec<u8> {
    hex_pairs(&text.replace('-', ""))
}

fn hex_pairs(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// Every other test also searches the log when its service ends.
#[tokio::test]
async fn no_log_line_contains_a_secret() {
    let service = Service::start().await;
    let (token, ingested) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    service.image(ingested.ok()["session_id"].as_str().unwrap()).await;
    service.load(&token).await;
    service.create_with("svc_api_wrongwrongwrongwrong", json!({ "license_key": "svc_live_wrong" })).await;
    assert!(journal::line_count() >= 3, "refusals are logged");
    journal::assert_no_secret();
}
