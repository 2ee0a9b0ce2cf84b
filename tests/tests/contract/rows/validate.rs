//! `POST /validate`. Its verdicts are successful responses.

use lacre_domain::LicenseKey;
use lacre_tests::{
    Answer, Fault, Service, Storage,
    service::{PAGE, unknown_license_key},
};
use serde_json::json;

use super::{Row, delete_license, rows};

rows! { Validate:
    PayloadInvalid => body_unreadable,
    UpstreamUnavailable => no_verdict,
}

async fn body_unreadable(row: &Row) {
    let service = Service::start().await;
    for body in ["", "{", "[]", "null", "1", "\"text\"", "{} {}"] {
        row.is(body, &service.validate_with(body.to_owned(), Some(PAGE)).await);
    }
}

async fn no_verdict(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let validate = async |key: &str| -> Answer {
        service.validate_with(json!({ "license_key": key }).to_string(), Some(PAGE)).await
    };
    for call in ["BatchGetItem accounts license_key", "BatchGetItem accounts client license"] {
        faults.always(call, Fault::Refuse);
        row.is(call, &validate(service.variable("LICENSE_KEY")).await);
        faults.clear();
    }
    assert_eq!(validate(&unknown_license_key()).await.status, 200);

    let accounts = lacre_storage::Accounts::new(service.connection());
    let storage = Storage::of(&service);
    let hash = |key: &str| LicenseKey::parse(key).unwrap().hash();
    let (key, license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let record = accounts.read_license_key(&hash(&key)).await.unwrap().unwrap();
    let stranger = lacre_domain::LicenseKeyRecord { client_id: lacre_domain::ClientId::from_u128(1), ..record };
    service.records().put_license_key(&hash(&key), &stranger).await;
    row.is("a key of an unknown client", &validate(&key).await);
    delete_license(&service, &license.id).await;
    row.is("a key of an unknown license", &validate(&key).await);

    let (key, license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let item = [("pk", format!("license#{}", license.id)), ("sk", "license".to_owned())];
    storage.damage("ACCOUNTS_TABLE", &item, "environment").await;
    row.is("a license that cannot be read", &validate(&key).await);
    let item = [("pk", format!("license_key#{}", hash(&key).as_str())), ("sk", "license_key".to_owned())];
    storage.damage("ACCOUNTS_TABLE", &item, "v").await;
    row.is("a key's record that cannot be read", &validate(&key).await);
}
