//! `POST {capture_url}/web/skip`.

use lacre_domain::{Nonce, SessionToken};
use lacre_tests::{
    Answer, Fault, Service, frame,
    kits::kit,
    service::{Loaded, SAFARI},
};
use reqwest::Method;
use serde_json::{Value, json};
use time::Duration;

use crate::rows::{Row, damage_session, delete_license, deployed_with, rows};

rows! { Skip:
    PayloadInvalid => body_unreadable,
    SessionNotFound => no_such_session,
    SessionCorrupt => session_unreadable,
    SessionUsedOrExpired => used_or_expired,
    AccessNotValidated => another_browser,
    LicenseMissing => license_missing,
    LicenseInvalid => license_deleted,
    OriginNotAllowed => another_page,
    NonceMissing => no_nonce,
    NonceMalformed => nonce_malformed,
    NonceReplay => nonce_used_or_foreign,
    OriginSessionMismatch => loaded_elsewhere,
    PhotoOrderMismatch => another_photo,
    PhotoRequired => photo_required,
    PresignUnavailable => no_upload_url,
    UpstreamUnavailable => store_unavailable,
}

/// A loaded session whose first photo is optional.
async fn open(service: &Service) -> Loaded {
    let token = create(service).await;
    service.open_hosted(&token).await
}

/// A session of a kit whose first two photos are optional.
async fn create(service: &Service) -> String {
    service.put_kit(&kit("auto-previa", &[("chassi", true), ("motor", true), ("frente", false)])).await;
    service.create_hosted("auto-previa").await
}

/// Skips with one field changed or removed.
async fn skip_with(service: &Service, loaded: &Loaded, field: &str, value: Option<Value>) -> Answer {
    let mut body = loaded.skip();
    match value {
        Some(value) => body[field] = value,
        None => drop(body.as_object_mut().unwrap().remove(field)),
    }
    service.skip_with(&body).await
}

async fn body_unreadable(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    for body in [json!([]), json!(null), json!("x")] {
        row.is_without_origin(&body.to_string(), &service.skip_with(&body).await);
    }
    for (field, value) in [
        ("token", None),
        ("token", Some(json!(1))),
        ("photo_order", None),
        ("photo_order", Some(json!("1"))),
        ("photo_order", Some(json!(1.5))),
        ("nonce", Some(json!(1))),
    ] {
        row.is_without_origin(field, &skip_with(&service, &loaded, field, value).await);
    }
    assert_eq!(service.skip(&loaded).await.status, 200);
}

async fn no_such_session(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).expose();
    for token in [unknown.as_str(), "x"] {
        row.is_without_origin(token, &skip_with(&service, &loaded, "token", Some(json!(token))).await);
    }
    let component = service.open("LICENSE_KEY").await;
    row.is_without_origin("of the component", &service.skip(&component).await);
}

async fn session_unreadable(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    damage_session(&service, &loaded.token, "photos").await;
    row.is_without_origin("photos", &service.skip(&loaded).await);
}

async fn used_or_expired(row: &Row) {
    let service = Service::start().await;
    let demo = service.open_hosted(&service.create_hosted("demo").await).await;
    assert_eq!(service.capture_hosted(&demo, &frame::fresh()).await.status, 200);
    row.is_without_origin("used", &service.skip(&demo).await);
    let loaded = open(&service).await;
    service.clock.advance(Duration::minutes(30));
    row.is_without_origin("expired", &service.skip(&loaded).await);
}

async fn another_browser(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    let request = service.hosted_request(Method::POST, "/web/skip").json(&loaded.skip());
    let request = request.header("origin", service.variable("CAPTURE_URL")).header("user-agent", "curl/8.5.0");
    row.is_without_origin("curl", &service.send(request).await);
}

async fn license_missing(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    damage_session(&service, &loaded.token, "license_id").await;
    row.is_without_origin("no license in the session", &service.skip(&loaded).await);
}

async fn license_deleted(row: &Row) {
    let service = Service::start_anew().await;
    let loaded = open(&service).await;
    let sessions = lacre_storage::Sessions::new(service.connection());
    let token = SessionToken::parse(&loaded.token).unwrap();
    let session = sessions.read(&token, time::OffsetDateTime::now_utc()).await.unwrap().unwrap();
    delete_license(&service, &session.license_id.unwrap()).await;
    row.is_without_origin("unknown", &service.skip(&loaded).await);
}

async fn another_page(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    for origin in ["https://evil.example", "null", "http://localhost:5173"] {
        let request = service.hosted_request(Method::POST, "/web/skip").json(&loaded.skip());
        let request = request.header("origin", origin).header("user-agent", SAFARI);
        row.is_without_origin(origin, &service.send(request).await);
    }
}

async fn no_nonce(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    for nonce in [None, Some(json!(null)), Some(json!(""))] {
        row.is_without_origin("none", &skip_with(&service, &loaded, "nonce", nonce).await);
    }
}

async fn nonce_malformed(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    row.is_without_origin("short", &skip_with(&service, &loaded, "nonce", Some(json!("AAAA"))).await);
}

async fn nonce_used_or_foreign(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    let unknown = Nonce::from_entropy(lacre_storage::entropy());
    row.is_without_origin("unknown", &skip_with(&service, &loaded, "nonce", Some(json!(unknown.expose()))).await);
    let foreign = open(&service).await.body["nonce"].clone();
    row.is_without_origin("of another session", &skip_with(&service, &loaded, "nonce", Some(foreign)).await);
    assert_eq!(service.skip(&loaded).await.status, 200);
    row.is_without_origin("used", &service.skip(&loaded).await);
}

async fn loaded_elsewhere(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    let elsewhere = service.issued_to(&loaded.token, "https://elsewhere.example").await;
    row.is_without_origin("another origin", &service.skip(&elsewhere).await);
}

async fn another_photo(row: &Row) {
    let service = Service::start().await;
    let loaded = open(&service).await;
    for order in [0, 2, 3, 4, -1] {
        let answer = skip_with(&service, &loaded, "photo_order", Some(json!(order))).await;
        row.is_without_origin(&order.to_string(), &answer);
    }
    assert_eq!(service.skip(&loaded).await.status, 200, "none of them used the nonce");
}

async fn photo_required(row: &Row) {
    let service = Service::start().await;
    for profile in ["demo", "vehicle_inspection"] {
        let loaded = service.open_hosted(&service.create_hosted(profile).await).await;
        row.is_without_origin(profile, &service.skip(&loaded).await);
    }
    let mut loaded = open(&service).await;
    for _ in 0..2 {
        loaded = loaded.followed_by(&service.skip(&loaded).await.ok());
    }
    row.is_without_origin("the last step", &service.skip(&loaded).await);
    assert_eq!(service.capture_hosted(&loaded, &frame::fresh()).await.ok()["complete"], true, "its nonce is unused");
}

async fn no_upload_url(row: &Row) {
    let service = deployed_with(&[("UPLOADS_BUCKET", "")]).await;
    let token = create(&service).await;
    let loaded = service.issued_to(&token, service.variable("CAPTURE_URL")).await;
    row.is_without_origin("no bucket is configured", &service.skip(&loaded).await);
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    create(&service).await;
    for call in [
        "BatchGetItem sessions",
        "BatchGetItem accounts",
        "UpdateItem sessions nonce",
        "UpdateItem sessions session",
        "PutItem sessions nonce",
    ] {
        let loaded = open(&service).await;
        faults.always(call, Fault::Refuse);
        row.is_without_origin(call, &service.skip(&loaded).await);
        faults.clear();
        let again = service.open_hosted(&loaded.token).await;
        assert_eq!(service.skip(&again).await.status, 200, "{call}: a reload goes on");
    }
}
