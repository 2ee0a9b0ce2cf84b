//! `POST /web/sessions`.

use lacre_api::Refusal;
use lacre_domain::{ApiKey, Clock, KeyStatus, LicenseKey, LicenseKeyRecord};
use lacre_tests::{
    Answer, Fault, Service, Storage, journal,
    service::{unknown_api_key, unknown_license_key},
};
use reqwest::Method;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::{Row, rows};

rows! { CreateSession:
    ApiKeyWrongPrefix => wrong_prefix,
    ApiKeyInvalid => api_key_missing_or_unknown,
    ApiKeyRevoked => api_key_revoked,
    CreatePayloadInvalid => body_unreadable,
    LicenseKeyMalformed => license_key_malformed,
    ReferenceIdInvalid => reference_id_invalid,
    LicenseNotOwned => license_not_owned,
    LicenseEnvironmentMismatch => other_environment,
    CreationLimitReached { retry_after: 0 } => too_many_creations,
    ApiKeyInconsistent => api_key_unreadable,
    LicenseInconsistent => license_key_unreadable,
    UpstreamUnavailable => store_unavailable,
}

/// Creates a session from a page. The CORS headers are present, although only backends have an API key.
async fn create(service: &Service, api_key: &str, body: String) -> Answer {
    let request = service.request(Method::POST, "/web/sessions").header("x-api-key", api_key);
    service.send_from_page(request.header("content-type", "application/json").body(body)).await
}

fn order(service: &Service, license: &str) -> String {
    json!({ "reference_id": "sinistro-42", "license_key": service.variable(license) }).to_string()
}

async fn create_under(service: &Service, license: &str) -> Answer {
    create(service, service.variable("API_KEY"), order(service, license)).await
}

async fn wrong_prefix(row: &Row) {
    let service = Service::start().await;
    let order = order(&service, "LICENSE_KEY");
    for key in ["pvv_api_abc", "SVC_API_abc", service.variable("LICENSE_KEY")] {
        row.is(key, &create(&service, key, order.clone()).await);
    }
}

async fn api_key_missing_or_unknown(row: &Row) {
    let service = Service::start().await;
    let order = order(&service, "LICENSE_KEY");
    for key in ["", "svc_api_", "svc_api_0OIl", &unknown_api_key()] {
        row.is(key, &create(&service, key, order.clone()).await);
    }
    let without = service.request(Method::POST, "/web/sessions").body(order);
    row.is("no header", &service.send_from_page(without).await);
}

async fn api_key_revoked(row: &Row) {
    let service = Service::start().await;
    for key in ["API_KEY_REVOKED", "API_KEY_SUSPENDED"] {
        row.is(key, &create(&service, service.variable(key), order(&service, "LICENSE_KEY")).await);
    }
}

async fn body_unreadable(row: &Row) {
    let service = Service::start().await;
    let key = service.variable("API_KEY");
    for body in ["", "{", "[]", "null", "\"text\"", "{} {}"] {
        row.is(body, &create(&service, key, body.to_owned()).await);
    }
}

async fn license_key_malformed(row: &Row) {
    let service = Service::start().await;
    let license = service.variable("LICENSE_KEY");
    let keys = [
        Value::Null,
        json!(1),
        json!(""),
        json!("svc_sand_x"),
        json!(license.replace("sand", "test")),
        json!(format!("{license} ")),
        json!(format!("{}0", &license[..license.len() - 1])),
    ];
    let missing = json!({ "reference_id": "r" });
    let bodies = keys.map(|key| json!({ "reference_id": "r", "license_key": key }));
    for body in [missing].into_iter().chain(bodies) {
        row.is(&body.to_string(), &create(&service, service.variable("API_KEY"), body.to_string()).await);
    }
}

async fn reference_id_invalid(row: &Row) {
    let service = Service::start().await;
    let license = service.variable("LICENSE_KEY");
    let references = [
        Value::Null,
        json!(42),
        json!(""),
        json!("ação"),
        json!(" x"),
        json!("x "),
        json!("a?b"),
        json!("x".repeat(513)),
    ];
    let missing = json!({ "license_key": license });
    let bodies = references.map(|reference| json!({ "reference_id": reference, "license_key": license }));
    for body in [missing].into_iter().chain(bodies) {
        row.is(&body.to_string(), &create(&service, service.variable("API_KEY"), body.to_string()).await);
    }
}

async fn license_not_owned(row: &Row) {
    let service = Service::start().await;
    for license in ["LICENSE_KEY_FOREIGN", "LICENSE_KEY_REVOKED", "LICENSE_KEY_EXPIRED", "LICENSE_KEY_SUSPENDED"] {
        row.is(license, &create_under(&service, license).await);
    }
    let under = async |key: &str| {
        let body = json!({ "reference_id": "r", "license_key": key });
        create(&service, service.variable("API_KEY"), body.to_string()).await
    };
    row.is("unknown", &under(&unknown_license_key()).await);

    let (key, license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let issued = LicenseKeyRecord {
        license_id: license.id,
        client_id: license.client_id,
        environment: license.environment,
        status: KeyStatus::Active,
        license_status: license.status,
        client_status: lacre_domain::ClientStatus::Active,
        expires_at: license.terms.expires_at.0,
        max_captures_per_session: None,
    };
    let records = service.records();
    for (cause, record) in [
        ("rotated", LicenseKeyRecord { status: KeyStatus::Revoked, ..issued.clone() }),
        ("no captures in a session", LicenseKeyRecord { max_captures_per_session: Some(0), ..issued }),
    ] {
        records.put_license_key(&LicenseKey::parse(&key).unwrap().hash(), &record).await;
        row.is(cause, &under(&key).await);
    }
}

async fn other_environment(row: &Row) {
    let service = Service::start().await;
    for (api_key, license) in [
        ("API_KEY", "LICENSE_KEY_LIVE"),
        ("API_KEY", "LICENSE_KEY_STAGING"),
        ("API_KEY_STAGING", "LICENSE_KEY"),
        ("API_KEY_LIVE", "LICENSE_KEY"),
    ] {
        row.is(license, &create(&service, service.variable(api_key), order(&service, license)).await);
    }
}

async fn too_many_creations(row: &Row) {
    let service = Service::start().await;
    // Moves to the start of an hour, so that the test does not cross one.
    let into_the_hour = service.clock.millis() % 3_600_000;
    service.clock.advance(Duration::milliseconds(3_600_000 - into_the_hour));
    assert_eq!(create_under(&service, "LICENSE_KEY_FOREIGN").await.status, 403, "a refused creation does not count");
    for _ in 0..100 {
        assert_eq!(service.create("LICENSE_KEY").await.status, 200);
    }
    let to_next_hour = |now: OffsetDateTime| 3600 - u32::try_from(now.unix_timestamp() % 3600).unwrap();
    let at_most = to_next_hour(service.clock.now());
    let refused = create_under(&service, "LICENSE_KEY").await;
    let at_least = to_next_hour(service.clock.now());
    let retry_after: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((at_least..=at_most).contains(&retry_after), "{retry_after}");
    row.is_with(Refusal::CreationLimitReached { retry_after }, "101", &refused);

    let other_key = create(&service, service.variable("API_KEY_STAGING"), order(&service, "LICENSE_KEY_STAGING")).await;
    assert_eq!(other_key.status, 200, "each key has a count of its own");
    service.clock.advance(Duration::seconds(retry_after.into()));
    assert_eq!(service.create("LICENSE_KEY").await.status, 200);
}

async fn api_key_unreadable(row: &Row) {
    for attribute in ["client_id", "v", "status"] {
        let service = Service::start().await;
        let hash = ApiKey::parse(service.variable("API_KEY")).unwrap().hash();
        let key = [("pk", format!("api_key#{}", hash.as_str())), ("sk", "api_key".to_owned())];
        Storage::of(&service).damage("ACCOUNTS_TABLE", &key, attribute).await;
        row.is(attribute, &create_under(&service, "LICENSE_KEY").await);
        row.is(attribute, &create(&service, service.variable("API_KEY"), "[]".to_owned()).await);
    }
}

async fn license_key_unreadable(row: &Row) {
    let service = Service::start().await;
    for (license, attribute) in
        [("LICENSE_KEY", "v"), ("LICENSE_KEY_ALWAYS", "client_id"), ("LICENSE_KEY_NO_ORIGIN", "expires_at")]
    {
        let hash = LicenseKey::parse(service.variable(license)).unwrap().hash();
        let key = [("pk", format!("license_key#{}", hash.as_str())), ("sk", "license_key".to_owned())];
        Storage::of(&service).damage("ACCOUNTS_TABLE", &key, attribute).await;
        row.is(attribute, &create_under(&service, license).await);
    }
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let api_key = unknown_api_key();
    journal::remember(&api_key);
    for call in
        ["BatchGetItem accounts api_key license_key", "UpdateItem sessions creations", "PutItem sessions session"]
    {
        faults.always(call, Fault::Refuse);
        row.is(call, &create_under(&service, "LICENSE_KEY").await);
        faults.clear();
    }
    faults.always("BatchGetItem accounts api_key", Fault::Refuse);
    row.is("the API key alone", &create(&service, &api_key, "[]".to_owned()).await);
}
