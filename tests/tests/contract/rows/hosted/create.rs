//! `POST {capture_url}/web/sessions`.

use lacre_api::Refusal;
use lacre_domain::{ApiKey, ClientStatus, License, LicenseStatus, StoreAssetPolicy};
use lacre_tests::{Answer, Fault, Service, Storage, service::unknown_api_key};
use reqwest::Method;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use crate::rows::{Row, rows};

rows! { CreateHostedSession:
    ApiKeyWrongPrefix => wrong_prefix,
    ApiKeyInvalid => api_key_missing_or_unknown,
    ApiKeyRevoked => api_key_revoked,
    CreatePayloadInvalid => body_unreadable,
    FieldInvalid { field: "profile" } => field_missing,
    ReferenceIdInvalid => reference_id_invalid,
    ProfileInvalid => profile_unknown,
    RedirectUriInvalid => redirect_refused,
    WebhookUrlInvalid => webhook_refused,
    LicenseNotOwned => no_usable_license,
    CreationLimitReached { retry_after: 0 } => too_many_creations,
    ApiKeyInconsistent => api_key_unreadable,
    LicenseInconsistent => license_unreadable,
    UpstreamUnavailable => store_unavailable,
}

async fn create_text(service: &Service, api_key: &str, body: &str) -> Answer {
    let request = service.hosted_request(Method::POST, "/web/sessions").header("x-api-key", api_key);
    service.send(request.header("content-type", "application/json").body(body.to_owned())).await
}

async fn create(service: &Service, body: &Value) -> Answer {
    service.create_hosted_with(service.variable("API_KEY"), body).await
}

/// The usual order with one field changed or removed.
fn with(field: &str, value: Option<Value>) -> Value {
    let mut order = Service::hosted_order("demo");
    match value {
        Some(value) => order[field] = value,
        None => drop(order.as_object_mut().unwrap().remove(field)),
    }
    order
}

fn usual() -> Value {
    Service::hosted_order("demo")
}

async fn wrong_prefix(row: &Row) {
    let service = Service::start().await;
    row.is_without_origin("a license key", &create_text(&service, service.variable("LICENSE_KEY"), "{}").await);
}

async fn api_key_missing_or_unknown(row: &Row) {
    let service = Service::start().await;
    for key in ["", "svc_api_0", &unknown_api_key()] {
        row.is_without_origin(key, &create_text(&service, key, &usual().to_string()).await);
    }
}

async fn api_key_revoked(row: &Row) {
    let service = Service::start().await;
    for key in ["API_KEY_REVOKED", "API_KEY_SUSPENDED"] {
        row.is_without_origin(key, &create_text(&service, service.variable(key), "[]").await);
    }
}

async fn body_unreadable(row: &Row) {
    let service = Service::start().await;
    for body in ["", "{", "[]", "null", "1"] {
        row.is_without_origin(body, &create_text(&service, service.variable("API_KEY"), body).await);
    }
}

async fn field_missing(row: &Row) {
    let service = Service::start().await;
    for field in ["reference_id", "redirect_uri", "webhook_url", "profile"] {
        let refusal = Refusal::FieldInvalid { field };
        for value in [None, Some(Value::Null), Some(json!(1)), Some(json!(["x"])), Some(json!({}))] {
            let answer = create(&service, &with(field, value.clone())).await;
            row.is_with_without_origin(refusal, &format!("{field} {value:?}"), &answer);
        }
    }
    let steps = [
        json!([]),
        json!({}),
        json!("foto"),
        json!(["foto"]),
        json!([{ "id": "foto" }]),
        json!([{ "id": 1 }]),
        json!([{ "id": "objeto" }, { "id": "objeto" }]),
        json!([{ "id": "objeto", "note": "<b>" }]),
        json!([{ "id": "objeto", "note": 1 }]),
    ];
    for value in steps {
        let answer = create(&service, &with("steps", Some(value.clone()))).await;
        row.is_with_without_origin(Refusal::FieldInvalid { field: "steps" }, &value.to_string(), &answer);
    }
    assert_eq!(create(&service, &json!({})).await.body["error"], "Payload inválido: reference_id");
    for value in [Value::Null, json!([{ "id": "objeto" }])] {
        assert_eq!(create(&service, &with("steps", Some(value))).await.status, 201);
    }
}

async fn reference_id_invalid(row: &Row) {
    let service = Service::start().await;
    for reference in ["", " x", "ação", &"x".repeat(513)] {
        row.is_without_origin(reference, &create(&service, &with("reference_id", Some(json!(reference)))).await);
    }
}

async fn profile_unknown(row: &Row) {
    let service = Service::start().await;
    for profile in ["", "Demo", "vehicle_inspection ", "auto-previa", "auto-previa@1", "demo@1", "@1", "a@0"] {
        row.is_without_origin(profile, &create(&service, &with("profile", Some(json!(profile)))).await);
    }
}

async fn redirect_refused(row: &Row) {
    let service = Service::start().await;
    for uri in [
        "",
        "done",
        "javascript:alert(1)",
        "http://localhost:3000/#done",
        "http://user@localhost:3000/",
        "http://localhost.evil.example/",
        "http://[::1]/",
        "http://evil.example/",
        // Valid URLs whose origin the license does not list.
        "https://app.example.com/",
        "https://localhost/",
        &format!("http://localhost/{}", "x".repeat(2048)),
    ] {
        row.is_without_origin(uri, &create(&service, &with("redirect_uri", Some(json!(uri)))).await);
    }
}

async fn webhook_refused(row: &Row) {
    let service = Service::start().await;
    for url in [
        "",
        "hooks.example.com",
        "http://hooks.example.com/",
        "https://user:secret@hooks.example.com/",
        "https://hooks.example.com:22/",
        "https://10.0.0.1/",
        "https://169.254.169.254/",
        "https://[::ffff:7f00:1]/",
    ] {
        row.is_without_origin(url, &create(&service, &with("webhook_url", Some(json!(url)))).await);
    }
}

async fn no_usable_license(row: &Row) {
    let service = Service::start().await;
    for key in ["API_KEY_STAGING", "API_KEY_LIVE"] {
        let mut order = usual();
        order["redirect_uri"] = json!("https://app.example.com/");
        row.is_without_origin("none is named", &service.create_hosted_with(service.variable(key), &order).await);
    }
    let license = hosted_license(&service).await;
    type Change = fn(&mut License);
    let changes: [(&str, Change); 6] = [
        ("revoked", |license| license.status = LicenseStatus::Revoked),
        ("expired", |license| license.terms.expires_at.0 = OffsetDateTime::UNIX_EPOCH),
        ("not hosted", |license| license.terms.redirect_origins.clear()),
        ("not retained", |license| license.terms.store_asset_policy = StoreAssetPolicy::Never),
        ("another client's", |license| license.client_id = lacre_domain::ClientId::from_u128(1)),
        ("too few captures", |license| license.terms.max_captures_per_session = Some(0)),
    ];
    for (cause, change) in changes {
        let mut changed = license.clone();
        change(&mut changed);
        service.put_license(&changed).await;
        row.is_without_origin(cause, &create(&service, &usual()).await);
    }
    let mut two_photos = license.clone();
    two_photos.terms.max_captures_per_session = Some(2);
    service.put_license(&two_photos).await;
    row.is_without_origin("three photos", &create(&service, &Service::hosted_order("real_estate")).await);
    assert_eq!(create(&service, &usual()).await.status, 201, "one photo");
}

/// The hosted license of the sandbox.
async fn hosted_license(service: &Service) -> License {
    let accounts = lacre_storage::Accounts::new(service.connection());
    let key = ApiKey::parse(service.variable("API_KEY")).unwrap().hash();
    let record = accounts.read_api_key(&key).await.unwrap().unwrap();
    assert_eq!(record.client_status, ClientStatus::Active);
    let id = accounts.read_hosted_license(&record.client_id, record.environment).await.unwrap().unwrap();
    accounts.read_license(&id, &record.client_id, None).await.unwrap().license.unwrap().unwrap()
}

async fn too_many_creations(row: &Row) {
    let service = Service::start().await;
    let into_the_hour = service.clock.millis() % 3_600_000;
    service.clock.advance(Duration::milliseconds(3_600_000 - into_the_hour));
    // Creations of both flows are counted together.
    for _ in 0..50 {
        assert_eq!(service.create("LICENSE_KEY").await.status, 200);
        assert_eq!(create(&service, &usual()).await.status, 201);
    }
    let refused = create(&service, &usual()).await;
    let retry_after = refused.header("retry-after").unwrap().parse().unwrap();
    row.is_with_without_origin(Refusal::CreationLimitReached { retry_after }, "101", &refused);
}

async fn api_key_unreadable(row: &Row) {
    let service = Service::start().await;
    let hash = ApiKey::parse(service.variable("API_KEY")).unwrap().hash();
    let key = [("pk", format!("api_key#{}", hash.as_str())), ("sk", "api_key".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &key, "client_id").await;
    row.is_without_origin("the record", &create(&service, &usual()).await);
}

async fn license_unreadable(row: &Row) {
    let service = Service::start().await;
    let license = hosted_license(&service).await;
    let item = [("pk", format!("license#{}", license.id)), ("sk", "license".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &item, "environment").await;
    row.is_without_origin("the license", &create(&service, &usual()).await);
    let item = [("pk", format!("client#{}", license.client_id)), ("sk", "hosted#SANDBOX".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &item, "license_id").await;
    row.is_without_origin("its name", &create(&service, &usual()).await);
}

async fn store_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for call in [
        "BatchGetItem accounts api_key",
        "BatchGetItem accounts hosted",
        "BatchGetItem accounts client license",
        "UpdateItem sessions creations",
        "PutItem sessions session",
    ] {
        faults.always(call, Fault::Refuse);
        row.is_without_origin(call, &create(&service, &usual()).await);
        faults.clear();
    }
    assert_eq!(create(&service, &usual()).await.status, 201);
}
