//! `GET /web/sessions/:token`.

use lacre_api::{Refusal, limits};
use lacre_domain::{Client, ClientStatus, LicenseStatus, SessionToken};
use lacre_tests::{
    Answer, Fault, Service, Storage, frame,
    service::{PAGE, SAFARI},
};
use reqwest::Method;
use time::{Duration, OffsetDateTime};

use super::{Row, damage_session, delete_license, deployed_with, rows};

rows! { LoadSession:
    SessionNotFound => no_such_session,
    SessionCorrupt => session_unreadable,
    SessionUsedOrExpired => used_or_expired,
    AccessNotValidated => other_browsers,
    LicenseMissing => license_missing,
    LicenseInvalid => license_not_usable,
    OriginAllowlistEmpty => no_origin_authorized,
    OriginNotAllowed => origin_not_authorized,
    LoadLimitReached => too_many_loads,
    PresignUnavailable => no_upload_url,
    UpstreamUnavailable => store_unavailable,
}

async fn token(service: &Service) -> String {
    Service::token_of(service.create("LICENSE_KEY").await)
}

async fn load_as(service: &Service, token: &str, origin: Option<&str>, agent: Option<&str>) -> Answer {
    let mut request = service.request(Method::GET, &format!("/web/sessions/{token}"));
    for (name, value) in [("origin", origin), ("user-agent", agent)] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    service.send(request).await
}

async fn no_such_session(row: &Row) {
    let service = Service::start().await;
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).expose();
    let known = token(&service).await;
    for token in [&unknown, "x", &known.to_uppercase(), &known.replace('-', ""), "%C3%A9", &format!("{known}%20")] {
        row.is(token, &service.load(token).await);
    }
    service.clock.advance(Duration::minutes(30) + Duration::hours(24));
    row.is("removed", &service.load(&known).await);
}

async fn session_unreadable(row: &Row) {
    let service = Service::start().await;
    for attribute in ["reference_id", "v", "photos", "environment"] {
        let token = token(&service).await;
        damage_session(&service, &token, attribute).await;
        row.is(attribute, &service.load(&token).await);
    }
}

async fn used_or_expired(row: &Row) {
    let service = Service::start().await;
    let (used, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    assert_eq!(answer.status, 200);
    row.is("used", &service.load(&used).await);
    let unused = token(&service).await;
    service.clock.advance(Duration::minutes(30));
    row.is("expired", &service.load(&unused).await);
    row.is("used and expired", &service.load(&used).await);
}

async fn other_browsers(row: &Row) {
    let service = Service::start().await;
    let token = token(&service).await;
    let ipad = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";
    for agent in [None, Some("curl/8.5.0"), Some(ipad)] {
        row.is(agent.unwrap_or("none"), &load_as(&service, &token, Some(PAGE), agent).await);
    }
    let request = || service.request(Method::GET, &format!("/web/sessions/{token}"));
    let from = |touch_points: &str| {
        request().header("origin", PAGE).header("user-agent", ipad).header("x-svc-touch-points", touch_points)
    };
    for touch_points in ["1", "x", ""] {
        row.is(touch_points, &service.send(from(touch_points)).await);
    }
    assert_eq!(service.send(from("5")).await.status, 200, "an iPad");
    assert_eq!(service.load(&token).await.status, 200, "Safari");
}

async fn license_missing(row: &Row) {
    let service = Service::start().await;
    let token = token(&service).await;
    damage_session(&service, &token, "license_id").await;
    row.is("no license in the session", &service.load(&token).await);
}

async fn license_not_usable(row: &Row) {
    let service = Service::start().await;
    let (key, sound) = service.license_like("LICENSE_KEY", |_| {}).await;
    let token = service.open_with(&key).await.token;
    let mut revoked = sound.clone();
    revoked.status = LicenseStatus::Revoked;
    let mut expired = sound.clone();
    expired.terms.expires_at.0 = OffsetDateTime::now_utc();
    for (cause, license) in [("revoked", &revoked), ("expired", &expired)] {
        service.put_license(license).await;
        row.is(cause, &service.load(&token).await);
    }
    let key = [("pk", format!("license#{}", sound.id)), ("sk", "license".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &key, "client_id").await;
    row.is("unreadable", &service.load(&token).await);
    delete_license(&service, &sound.id).await;
    row.is("unknown", &service.load(&token).await);

    service.put_license(&sound).await;
    assert_eq!(service.load(&token).await.status, 200);
    let suspended = Client { id: sound.client_id, name: "suspended".into(), status: ClientStatus::Suspended };
    service.records().put_client(&suspended).await;
    row.is("its client is suspended", &service.load(&token).await);
}

async fn no_origin_authorized(row: &Row) {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY_NO_ORIGIN").await);
    row.is("an empty list", &service.load(&token).await);
    row.is_without_origin("and no origin", &load_as(&service, &token, None, Some(SAFARI)).await);
}

async fn origin_not_authorized(row: &Row) {
    let service = Service::start().await;
    let token = token(&service).await;
    for origin in ["https://evil.example", "null", "http://localhost.evil.example", "https://localhost", ""] {
        row.is(origin, &load_as(&service, &token, Some(origin), Some(SAFARI)).await);
    }
    row.is_without_origin("none", &load_as(&service, &token, None, Some(SAFARI)).await);
    let other_site = service.request(Method::GET, &format!("/web/sessions/{token}")).header("user-agent", SAFARI);
    row.is_without_origin("of another site", &service.send(other_site.header("sec-fetch-site", "same-site")).await);
    let of_another_name = deployed_with(&[("SERVICE_NAME", "Selo")]).await;
    let stranger = Service::token_of(of_another_name.create("LICENSE_KEY").await);
    let answer = load_as(&of_another_name, &stranger, Some("https://evil.example"), Some(SAFARI)).await;
    assert_eq!(answer.body["error"], *Refusal::OriginNotAllowed.text("Selo"), "the text names the operator");

    // The session stays valid, and none of these requests counted as a load.
    for _ in 0..limits::LOADS_PER_SESSION {
        assert_eq!(service.load(&token).await.status, 200);
    }
}

async fn too_many_loads(row: &Row) {
    let service = Service::start().await;
    let token = token(&service).await;
    for _ in 0..limits::LOADS_PER_SESSION {
        assert_eq!(service.load(&token).await.status, 200);
    }
    for cause in ["one more", "another one"] {
        row.is(cause, &service.load(&token).await);
    }
}

async fn no_upload_url(row: &Row) {
    let service = deployed_with(&[("UPLOADS_BUCKET", "")]).await;
    row.is("no bucket is configured", &service.load(&token(&service).await).await);
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for call in ["GetItem sessions", "BatchGetItem accounts", "UpdateItem sessions loads", "PutItem sessions nonce"] {
        let token = token(&service).await;
        faults.always(call, Fault::Refuse);
        row.is(call, &service.load(&token).await);
        faults.clear();
        assert_eq!(service.load(&token).await.status, 200);
    }
}
