//! What a license does to the captures under it, also when it changes while a session is open.

use domain::{LicenseStatus, StoreAssetPolicy};
use reqwest::StatusCode;
use serde_json::json;
use tests::{Service, frame, service::refusal};
use time::{Duration, OffsetDateTime};

#[tokio::test]
async fn per_session_is_captured_as_never() {
    let service = Service::start().await;
    let (key, _) =
        service.license_like("LICENSE_KEY", |license| license.store_asset_policy = StoreAssetPolicy::PerSession).await;
    let loaded = service.open_with(&key).await;
    let ingested = service.capture_in(&loaded, &frame::fresh()).await.ok();
    assert_eq!(ingested["authenticated_jpeg_url"], json!(null));
    assert_eq!(
        service.image(ingested["session_id"].as_str().unwrap()).await.told(),
        refusal(404, "Captura não encontrada", Some("web_asset_not_retained"))
    );
}

#[tokio::test]
async fn a_license_that_ends_while_a_session_is_open_ends_the_session() {
    let service = Service::start().await;
    let text = "License inválida — verifique a licença.";
    for end in [(|license| license.status = LicenseStatus::Revoked) as fn(&mut domain::License), |license| {
        license.expires_at = OffsetDateTime::now_utc() - Duration::SECOND
    }] {
        let (key, mut license) = service.license_like("LICENSE_KEY", |_| {}).await;
        let photo = frame::fresh();
        let loaded = service.open_with(&key).await;
        assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);

        end(&mut license);
        service.put_license(&license).await;
        let reload = service.load(&loaded.token).await;
        assert_eq!(reload.told(), refusal(403, text, Some("web_license_invalid")));
        let ingest = service.ingest(&service.submission(&loaded, &photo)).await;
        assert_eq!(ingest.told(), refusal(403, text, None));
    }
}

#[tokio::test]
async fn a_license_of_another_client_than_the_session_s_cannot_record_a_capture() {
    let service = Service::start().await;
    let (key, mut license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let photo = frame::fresh();
    let loaded = service.open_with(&key).await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    license.client_id = domain::ClientId("another".into());
    service.put_license(&license).await;
    let answer = service.ingest(&service.submission(&loaded, &photo)).await;
    let text = "Serviço temporariamente indisponível, tente novamente";
    assert_eq!(answer.told(), refusal(502, text, Some("web_ledger_client_id_unauthoritative")));
}

#[tokio::test]
async fn a_proof_without_the_timestamp_that_its_license_asks_for_is_not_made() {
    let service = Service::start().await;
    let (key, _) = service.license_like("LICENSE_KEY", |license| license.tsa_required = true).await;
    let photo = frame::fresh();
    let loaded = service.open_with(&key).await;
    let answer = service.capture_in(&loaded, &photo).await;
    let text = "Serviço temporariamente indisponível, tente novamente";
    assert_eq!(answer.told(), refusal(502, text, Some("web_signer_unavailable")));
    // Nothing was signed, so the frame is free.
    assert_eq!(service.capture("LICENSE_KEY", &photo).await.1.status, 200);
}
