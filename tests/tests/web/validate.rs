//! `POST /validate`.

use lacre_tests::{
    Service, frame,
    service::{PAGE, unknown_license_key},
};
use serde_json::{Value, json};

fn invalid(reason: &str) -> (u16, Value) {
    (200, json!({ "valid": false, "reason": reason }))
}

#[tokio::test]
async fn a_usable_license_returns_its_policy() {
    let service = Service::start().await;
    let mut body = service.validate("LICENSE_KEY").await.ok();
    let expires_at = body.as_object_mut().unwrap().remove("expires_at").unwrap();
    assert!(expires_at.as_str().unwrap().ends_with('Z'));
    let policy = json!({
        "valid": true, "environment": "SANDBOX", "integrity_enforcement": "IGNORE", "capture_resolution": "FHD",
        "tsa_required": false, "max_captures_per_session": null, "captures_used": 0,
        "volume_limit": 9_007_199_254_740_991_u64,
    });
    assert_eq!(body, policy);
}

#[tokio::test]
async fn counts_captures_by_license() {
    let service = Service::start().await;
    for _ in 0..3 {
        assert_eq!(service.capture("LICENSE_KEY", &frame::fresh()).await.1.status, 200);
    }
    assert_eq!(service.validate("LICENSE_KEY").await.ok()["captures_used"], 3);
    assert_eq!(service.validate("LICENSE_KEY_ALWAYS").await.ok()["captures_used"], 0);
    // Each month has its own count.
    service.clock.advance(time::Duration::days(32));
    assert_eq!(service.validate("LICENSE_KEY").await.ok()["captures_used"], 0);
}

#[tokio::test]
async fn each_refused_license_has_a_reason() {
    let service = Service::start().await;
    for (license, reason) in [
        ("LICENSE_KEY_REVOKED", "REVOKED"),
        ("LICENSE_KEY_SUSPENDED", "CLIENT_SUSPENDED"),
        ("LICENSE_KEY_EXPIRED", "EXPIRED"),
        ("LICENSE_KEY_OVER_VOLUME", "VOLUME_EXCEEDED"),
    ] {
        assert_eq!(service.validate(license).await.outcome(), invalid(reason), "{license}");
    }
}

#[tokio::test]
async fn invalid_keys_are_a_verdict() {
    let service = Service::start().await;
    let unknown = json!({ "license_key": unknown_license_key() });
    for body in [unknown, json!({ "license_key": "svc_sand_x" }), json!({ "license_key": 1 }), json!({})] {
        assert_eq!(service.validate_with(body.to_string(), None).await.outcome(), invalid("INVALID_KEY"), "{body}");
    }
}

#[tokio::test]
async fn checks_the_origin_of_pages_only() {
    let service = Service::start().await;
    let body = json!({ "license_key": service.variable("LICENSE_KEY") }).to_string();
    assert_eq!(service.validate_with(body.clone(), Some(PAGE)).await.ok()["valid"], true);
    assert_eq!(service.validate_with(body.clone(), None).await.ok()["valid"], true);
    for origin in ["https://evil.example", "null"] {
        assert_eq!(service.validate_with(body.clone(), Some(origin)).await.outcome(), invalid("ORIGIN_NOT_ALLOWED"));
    }
}
