//! What is stored and cannot be used: damaged records, missing ones, suspended clients.

use domain::{ApiKey, Client, ClientStatus, LicenseKey, SessionToken};
use reqwest::StatusCode;
use tests::{Service, Storage, frame, service::refusal};

fn session_key(token: &str) -> [(&'static str, String); 1] {
    [("pk", format!("session#{}", SessionToken::parse(token).unwrap().hash().as_str()))]
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_corrupt_everywhere() {
    let service = Service::start().await;
    let photo = frame::fresh();
    let loaded = service.open("LICENSE_KEY").await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    Storage::of(&service).damage("SESSIONS_TABLE", &session_key(&loaded.token), "reference_id").await;
    let corrupt = refusal(403, "Sessão inválida — recrie a sessão.", Some("web_session_corrupt"));
    assert_eq!(service.load(&loaded.token).await.told(), corrupt);
    assert_eq!(service.results(&loaded.token).await.told(), corrupt);
    assert_eq!(service.ingest(&service.submission(&loaded, &photo)).await.told(), corrupt);
}

#[tokio::test]
async fn a_session_without_a_license_has_no_usable_one() {
    let service = Service::start().await;
    let photo = frame::fresh();
    let loaded = service.open("LICENSE_KEY").await;
    Storage::of(&service).damage("SESSIONS_TABLE", &session_key(&loaded.token), "license_id").await;
    let missing = refusal(403, "Sessão inválida — recrie a sessão.", Some("web_license_missing"));
    assert_eq!(service.load(&loaded.token).await.told(), missing);
    assert_eq!(service.ingest(&service.submission(&loaded, &photo)).await.told(), missing);
}

#[tokio::test]
async fn a_key_whose_record_cannot_be_read_is_no_passing_fault() {
    let service = Service::start().await;
    let storage = Storage::of(&service);
    let record = |kind: &str, hash: &str| [("pk", format!("{kind}#{hash}")), ("sk", kind.to_owned())];

    let license = LicenseKey::parse(service.variable("LICENSE_KEY")).unwrap();
    storage.damage("ACCOUNTS_TABLE", &record("license_key", license.hash().as_str()), "v").await;
    let answer = service.create("LICENSE_KEY").await;
    assert_eq!(answer.told(), refusal(500, "Erro na validação da license", None));

    let api_key = ApiKey::parse(service.variable("API_KEY")).unwrap();
    storage.damage("ACCOUNTS_TABLE", &record("api_key", api_key.hash().as_str()), "client_id").await;
    let answer = service.create("LICENSE_KEY").await;
    assert_eq!(answer.told(), refusal(500, "Erro na validação de API Key", None));
}

#[tokio::test]
async fn a_suspended_client_s_keys_and_sessions_are_refused() {
    let service = Service::start().await;
    let body = serde_json::json!({ "reference_id": "r", "license_key": service.variable("LICENSE_KEY") });
    let answer = service.create_with(service.variable("API_KEY_SUSPENDED"), body).await;
    assert_eq!(answer.told(), refusal(401, "API key inválida ou revogada", None));

    let photo = frame::fresh();
    let (key, license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let loaded = service.open_with(&key).await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    let suspended = Client { id: license.client_id, name: "suspended".into(), status: ClientStatus::Suspended };
    aws::Accounts::new(service.connection()).put_client(&suspended).await.unwrap();
    let text = "License inválida — verifique a licença.";
    assert_eq!(service.load(&loaded.token).await.told(), refusal(403, text, Some("web_license_invalid")));
    assert_eq!(service.ingest(&service.submission(&loaded, &photo)).await.told(), refusal(403, text, None));
    let verdict = service.validate("LICENSE_KEY").await;
    assert_eq!(verdict.told(), (200, serde_json::json!({ "valid": false, "reason": "CLIENT_SUSPENDED" })));
}
