//! Refusals without reading the image. They do not use the nonce.

use lacre_domain::{Client, ClientId, ClientStatus, FrameHash, LicenseStatus, Nonce, SessionToken};
use lacre_tests::{
    Answer, Fault, Service, Storage,
    faults::is_of_submission,
    frame,
    service::{PAGE, SAFARI},
};
use reqwest::Method;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::{Ready, Row, damage_session, delete_license, rows};

rows! { Ingest:
    PayloadInvalid => body_unreadable,
    LocationInvalid => location_out_of_range,
    LabelInvalid => label_invalid,
    SessionNotFound => no_such_session,
    SessionCorrupt => session_unreadable,
    SessionAlreadyUsed => session_concluded,
    SessionExpired => session_expired,
    AccessNotValidated => other_browsers,
    LicenseMissing => license_missing,
    LicenseRefused => license_refused,
    LedgerClientIdUnauthoritative => client_unknown,
    OriginAllowlistEmpty => no_origin_authorized,
    OriginNotAllowed => origin_not_authorized,
    NonceMissing => nonce_missing,
    NonceMalformed => nonce_malformed,
    NonceReplay => nonce_used_or_foreign,
    OriginSessionMismatch => page_that_did_not_load,
    ClockOutOfSync => device_clock_off,
    LivenessInsufficient => too_few_extra_frames,
    LivenessTooMany => too_many_extra_frames,
    LivenessMalformed => extra_frames_malformed,
    LivenessStatic => extra_frames_alike,
    PhotoOrderMismatch => other_photo,
    NonceStoreUnavailable => store_unavailable,
}

async fn ingest_from(service: &Service, submission: &Value, origin: Option<&str>, agent: Option<&str>) -> Answer {
    let mut request = service.request(Method::POST, "/web/ingest").json(submission);
    for (name, value) in [("origin", origin), ("user-agent", agent)] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    service.send(request).await
}

fn hash(seed: u8) -> String {
    FrameHash::of(&[seed]).hex()
}

async fn body_unreadable(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    for body in ["", "{", "[]", "null", "\"text\"", "{} {}"] {
        let request = service.request(Method::POST, "/web/ingest").header("content-type", "application/json");
        row.is(body, &service.send_from_page(request.body(body)).await);
    }
    let required = ["token", "photo_order", "image_key", "frame_hash", "captured_at_ms"];
    for field in required {
        let mut absent = ready.submission.clone();
        absent.as_object_mut().unwrap().remove(field);
        row.is(&format!("{field} is missing"), &service.ingest(&absent).await);
        row.is(&format!("{field} is null"), &service.ingest(&ready.but(field, Value::Null)).await);
    }
    let optional = ["nonce", "extra_frame_hashes", "heading", "user_agent"];
    for field in required.into_iter().chain(optional) {
        row.is(&format!("{field} is a truth"), &service.ingest(&ready.but(field, true)).await);
    }
    for (field, value) in [
        ("photo_order", json!(1.5)),
        ("captured_at_ms", json!(u64::MAX)),
        ("heading", json!(360.5)),
        ("heading", json!(-1)),
        ("extra_frame_hashes", json!({})),
        ("frame_hash", json!("abc")),
        ("frame_hash", json!("")),
    ] {
        row.is(&format!("{field} is {value}"), &service.ingest(&ready.but(field, value)).await);
    }
    ready.still_works(&service).await;
}

async fn location_out_of_range(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    for (field, value) in
        [("gps_lat", 90.001), ("gps_lat", -91.0), ("gps_lon", 180.001), ("gps_lon", -181.0), ("gps_accuracy", -0.001)]
    {
        row.is(&format!("{field} {value}"), &service.ingest(&ready.but(field, value)).await);
    }
    for field in ["gps_lat", "gps_lon", "gps_accuracy"] {
        let mut absent = ready.submission.clone();
        absent.as_object_mut().unwrap().remove(field);
        row.is(&format!("{field} is missing"), &service.ingest(&absent).await);
        for value in [Value::Null, json!(true), json!("1"), json!([1]), json!({})] {
            row.is(&format!("{field} is {value}"), &service.ingest(&ready.but(field, value)).await);
        }
    }
    ready.still_works(&service).await;
}

async fn label_invalid(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let long = format!("{}x", "é".repeat(32));
    for label in ["a<b", "a>b", "a&b", "a\"b", "a'b", "a`b", "a\nb", "a\u{202e}b", "a\u{2028}b", "a\u{feff}b", &long] {
        row.is(label, &service.ingest(&ready.but("label", label)).await);
    }
    for label in [json!(1), json!(true), json!(["a"]), json!({})] {
        row.is(&label.to_string(), &service.ingest(&ready.but("label", label.clone())).await);
    }
    assert_eq!(service.ingest(&ready.but("label", "é".repeat(32))).await.status, 200, "64 bytes");
}

async fn no_such_session(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).expose();
    for token in ["", "x", &unknown, &ready.loaded.token.to_uppercase(), &ready.loaded.token.replace('-', "")] {
        row.is(token, &service.ingest(&ready.but("token", token)).await);
    }
    service.clock.advance(Duration::minutes(30) + Duration::hours(24));
    row.is("removed", &service.ingest(&ready.submission).await);
}

async fn session_unreadable(row: &Row) {
    let service = Service::start().await;
    for attribute in ["reference_id", "v", "client_id"] {
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        damage_session(&service, &ready.loaded.token, attribute).await;
        row.is(attribute, &service.ingest(&ready.submission).await);
    }
}

async fn session_concluded(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let second_tab = service.reload(&ready.loaded.token).await;
    let other = Ready::with(&service, second_tab, frame::fresh()).await;
    ready.still_works(&service).await;
    row.is("the same again", &service.ingest(&ready.submission).await);
    row.is("another load of it", &service.ingest(&other.submission).await);
    service.clock.advance(Duration::minutes(30));
    row.is("and expired", &service.ingest(&other.submission).await);
}

async fn session_expired(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    service.clock.advance(Duration::minutes(30));
    row.is("after 30 minutes", &service.ingest(&ready.submission).await);
}

async fn other_browsers(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    for agent in [None, Some("curl/8.5.0")] {
        let answer = ingest_from(&service, &ready.submission, Some(PAGE), agent).await;
        row.is(agent.unwrap_or("none"), &answer);
    }
    ready.still_works(&service).await;
}

async fn license_missing(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    damage_session(&service, &ready.loaded.token, "license_id").await;
    row.is("no license in the session", &service.ingest(&ready.submission).await);
}

async fn license_refused(row: &Row) {
    let service = Service::start().await;
    let (key, sound) = service.license_like("LICENSE_KEY", |_| {}).await;
    let ready = Ready::with(&service, service.open_with(&key).await, frame::fresh()).await;
    let mut revoked = sound.clone();
    revoked.status = LicenseStatus::Revoked;
    let mut expired = sound.clone();
    expired.terms.expires_at.0 = OffsetDateTime::now_utc();
    for (cause, license) in [("revoked", &revoked), ("expired", &expired)] {
        service.put_license(license).await;
        row.is(cause, &service.ingest(&ready.submission).await);
    }
    let item = [("pk", format!("license#{}", sound.id)), ("sk", "license".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &item, "environment").await;
    row.is("unreadable", &service.ingest(&ready.submission).await);
    delete_license(&service, &sound.id).await;
    row.is("unknown", &service.ingest(&ready.submission).await);

    service.put_license(&sound).await;
    let records = service.records();
    let client = |status| Client { id: sound.client_id.clone(), name: "c".into(), status };
    records.put_client(&client(ClientStatus::Suspended)).await;
    row.is("its client is suspended", &service.ingest(&ready.submission).await);
    let item = [("pk", format!("client#{}", sound.client_id)), ("sk", "client".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &item, "status").await;
    service.put_license(&revoked).await;
    row.is("revoked, of a client that cannot be read", &service.ingest(&ready.submission).await);
    service.put_license(&sound).await;
    records.put_client(&client(ClientStatus::Active)).await;
    ready.still_works(&service).await;
}

async fn client_unknown(row: &Row) {
    let service = Service::start().await;
    let (key, sound) = service.license_like("LICENSE_KEY", |_| {}).await;
    let ready = Ready::with(&service, service.open_with(&key).await, frame::fresh()).await;
    let mut sold = sound.clone();
    sold.client_id = ClientId::from_u128(1);
    service.put_license(&sold).await;
    row.is("the license is another client's", &service.ingest(&ready.submission).await);
    service.put_license(&sound).await;

    let storage = Storage::of(&service);
    let client = [("pk", format!("client#{}", sound.client_id)), ("sk", "client".to_owned())];
    storage.damage("ACCOUNTS_TABLE", &client, "status").await;
    row.is("the client cannot be read", &service.ingest(&ready.submission).await);
    storage.delete("ACCOUNTS_TABLE", &client).await;
    row.is("the client is unknown", &service.ingest(&ready.submission).await);
}

async fn no_origin_authorized(row: &Row) {
    let service = Service::start().await;
    let (key, mut license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let ready = Ready::with(&service, service.open_with(&key).await, frame::fresh()).await;
    license.terms.authorized_origins.clear();
    service.put_license(&license).await;
    row.is("the list was emptied", &service.ingest(&ready.submission).await);
}

async fn origin_not_authorized(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    for origin in ["https://evil.example", "null", "https://localhost:5173"] {
        row.is(origin, &ingest_from(&service, &ready.submission, Some(origin), Some(SAFARI)).await);
    }
    row.is_without_origin("none", &ingest_from(&service, &ready.submission, None, Some(SAFARI)).await);
    ready.still_works(&service).await;
}

async fn nonce_missing(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let mut absent = ready.submission.clone();
    absent.as_object_mut().unwrap().remove("nonce");
    for submission in [absent, ready.but("nonce", Value::Null), ready.but("nonce", "")] {
        row.is(&submission["nonce"].to_string(), &service.ingest(&submission).await);
    }
    ready.still_works(&service).await;
}

async fn nonce_malformed(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let nonce = ready.loaded.text("nonce");
    for wrong in ["abc", "ü", " ", &format!("{nonce}="), &format!("{nonce}AA"), &nonce[1..]] {
        row.is(wrong, &service.ingest(&ready.but("nonce", wrong)).await);
    }
    ready.still_works(&service).await;
}

async fn nonce_used_or_foreign(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let other = Ready::under(&service, "LICENSE_KEY").await;
    let never_issued = Nonce::from_entropy(lacre_storage::entropy()).expose().to_owned();
    row.is("never issued", &service.ingest(&ready.but("nonce", never_issued)).await);
    row.is("another session's", &service.ingest(&ready.but("nonce", other.loaded.text("nonce"))).await);
    other.still_works(&service).await;
    // An ingest that is refused later uses the nonce.
    assert_eq!(service.ingest(&ready.but("frame_hash", hash(1))).await.status, 400);
    row.is("used", &service.ingest(&ready.submission).await);
    ready.works_again(&service).await;
}

async fn page_that_did_not_load(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    for origin in ["http://localhost:9999", "http://127.0.0.1:5173"] {
        row.is(origin, &ingest_from(&service, &ready.submission, Some(origin), Some(SAFARI)).await);
    }
    ready.still_works(&service).await;
}

async fn device_clock_off(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let now = service.clock.millis();
    // Far enough from the tolerance that the test's own duration does not matter.
    for wrong in [now - 200_000, now + 300_000, 0, -1, i64::MAX, i64::MIN] {
        row.is(&wrong.to_string(), &service.ingest(&ready.but("captured_at_ms", wrong)).await);
    }
    assert_eq!(service.ingest(&ready.but("captured_at_ms", now + 100_000)).await.status, 200);
}

async fn too_few_extra_frames(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let mut absent = ready.submission.clone();
    absent.as_object_mut().unwrap().remove("extra_frame_hashes");
    row.is("missing", &service.ingest(&absent).await);
    for hashes in [Value::Null, json!([]), json!([hash(1)])] {
        row.is(&hashes.to_string(), &service.ingest(&ready.but("extra_frame_hashes", hashes)).await);
    }
    ready.still_works(&service).await;
}

async fn too_many_extra_frames(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let hashes = |count: u8| (0..count).map(hash).collect::<Vec<_>>();
    row.is("9", &service.ingest(&ready.but("extra_frame_hashes", hashes(9))).await);
    assert_eq!(service.ingest(&ready.but("extra_frame_hashes", hashes(8))).await.status, 200);
}

async fn extra_frames_malformed(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    for wrong in [json!(""), json!("abc"), json!("g".repeat(64)), json!(1), Value::Null, json!(format!("{} ", hash(1)))]
    {
        let hashes = json!([hash(0), wrong]);
        row.is(&hashes.to_string(), &service.ingest(&ready.but("extra_frame_hashes", hashes)).await);
    }
    ready.still_works(&service).await;
}

async fn extra_frames_alike(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let main = ready.submission["frame_hash"].as_str().unwrap();
    for hashes in [
        [hash(0), hash(0)],
        [hash(0), hash(0).to_uppercase()],
        [hash(0), main.to_owned()],
        [main.to_uppercase(), hash(0)],
    ] {
        row.is(&hashes.join(", "), &service.ingest(&ready.but("extra_frame_hashes", hashes.to_vec())).await);
    }
    ready.still_works(&service).await;
}

async fn other_photo(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    for order in [0, 2, -1, i64::MAX] {
        row.is(&order.to_string(), &service.ingest(&ready.but("photo_order", order)).await);
    }
    ready.still_works(&service).await;
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    faults.take_calls();
    assert_eq!(service.ingest(&ready.submission).await.status, 200);
    let calls: Vec<_> = faults.take_calls().into_iter().filter(|call| is_of_submission(call)).collect();
    assert!(calls.len() >= 3, "the session with its nonce, the license, the use of the nonce: {calls:?}");
    for call in calls {
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        faults.always(&call, Fault::Refuse);
        row.is(&call, &service.ingest(&ready.submission).await);
        faults.clear();
        ready.still_works(&service).await;
    }
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let nonce = Nonce::parse(Some(ready.loaded.text("nonce"))).unwrap();
    let item = [("pk", format!("nonce#{}", nonce.hash().as_str()))];
    Storage::of(&service).damage("SESSIONS_TABLE", &item, "image_key").await;
    row.is("the nonce's record cannot be read", &service.ingest(&ready.submission).await);
    ready.works_again(&service).await;
}
