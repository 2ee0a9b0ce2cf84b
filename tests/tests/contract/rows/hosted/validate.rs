//! `POST {capture_url}/validate`. Its verdicts are successful responses.

use lacre_domain::SessionToken;
use lacre_tests::{Fault, Service, frame, service::SAFARI};
use serde_json::json;
use time::Duration;

use crate::rows::{Row, damage_session, delete_license, rows};

rows! { ValidateSession:
    PayloadInvalid => body_unreadable,
    SessionNotFound => no_such_session,
    SessionCorrupt => session_unreadable,
    SessionUsedOrExpired => used_or_expired,
    UpstreamUnavailable => no_verdict,
}

async fn body_unreadable(row: &Row) {
    let service = Service::start().await;
    for body in ["", "[]", "null", "{"] {
        let request = service.hosted_request(reqwest::Method::POST, "/validate").body(body);
        row.is_without_origin(body, &service.send(request.header("user-agent", SAFARI)).await);
    }
}

async fn no_such_session(row: &Row) {
    let service = Service::start().await;
    let unknown = SessionToken::from_entropy(lacre_storage::entropy()).expose();
    let of_the_component = Service::token_of(service.create("LICENSE_KEY").await);
    for body in [json!({}), json!({ "token": 1 }), json!({ "token": unknown }), json!({ "token": of_the_component })] {
        row.is_without_origin(&body.to_string(), &service.validate_session(&body).await);
    }
}

async fn session_unreadable(row: &Row) {
    let service = Service::start().await;
    let token = service.create_hosted("demo").await;
    damage_session(&service, &token, "photos").await;
    row.is_without_origin("photos", &service.validate_session(&json!({ "token": token })).await);
}

async fn used_or_expired(row: &Row) {
    let service = Service::start().await;
    let used = service.create_hosted("demo").await;
    let loaded = service.open_hosted(&used).await;
    service.capture_hosted(&loaded, &frame::fresh()).await.ok();
    row.is_without_origin("used", &service.validate_session(&json!({ "token": used })).await);
    let unused = service.create_hosted("demo").await;
    service.clock.advance(Duration::minutes(30));
    row.is_without_origin("expired", &service.validate_session(&json!({ "token": unused })).await);
}

async fn no_verdict(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let body = json!({ "token": service.create_hosted("demo").await, "license_key": service.variable("LICENSE_KEY_HOSTED_OTHER") });
    for call in ["GetItem sessions", "BatchGetItem accounts license_key", "BatchGetItem accounts client license"] {
        faults.always(call, Fault::Refuse);
        row.is_without_origin(call, &service.validate_session(&body).await);
        faults.clear();
    }
    let accounts = lacre_storage::Accounts::new(service.connection());
    let key = lacre_domain::LicenseKey::parse(service.variable("LICENSE_KEY_HOSTED")).unwrap().hash();
    let record = accounts.read_license_key(&key).await.unwrap().unwrap();
    delete_license(&service, &record.license_id).await;
    let body = json!({ "token": body["token"] });
    row.is_without_origin("its license is gone", &service.validate_session(&body).await);
}
