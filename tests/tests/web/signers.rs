//! Captures that cannot be signed, or whose result cannot be handed over.

use std::sync::Arc;

use domain::{Environment, SignerProfile};
use ingest::Ingest;
use lacre_http::Endpoint;
use tests::{
    Service, Storage,
    event::event,
    frame,
    service::{PAGE, SAFARI, refusal},
};

const TEXT: &str = "Serviço temporariamente indisponível, tente novamente";

async fn profile(service: &Service) -> SignerProfile {
    let profiles = aws::Accounts::new(service.connection()).read_signers().await.unwrap();
    profiles.into_iter().find(|profile| profile.environment == Environment::Sandbox).unwrap()
}

async fn put_profile(service: &Service, profile: &SignerProfile) {
    aws::Accounts::new(service.connection()).put_signer(profile).await.unwrap();
}

#[tokio::test]
async fn a_key_that_refuses_first_has_signed_nothing() {
    let service = Service::start().await;
    let storage = Storage::of(&service);
    let seal = profile(&service).await.seal.key_arn;
    storage.kms.disable_key().key_id(&seal).send().await.unwrap();
    let photo = frame::fresh();
    let (token, answer) = service.capture("LICENSE_KEY", &photo).await;
    assert_eq!(answer.told(), refusal(502, TEXT, Some("web_signer_rejected")));

    // Nothing was signed: the same session takes the same frame once the key works.
    storage.kms.enable_key().key_id(&seal).send().await.unwrap();
    let again = service.reload(&token).await;
    assert_eq!(service.capture_in(&again, &photo).await.status, 200);
}

#[tokio::test]
async fn a_key_that_refuses_second_leaves_the_frame_taken_for_a_while() {
    let service = Service::start().await;
    let storage = Storage::of(&service);
    let claim = profile(&service).await.claim.key_arn;
    storage.kms.disable_key().key_id(&claim).send().await.unwrap();
    let photo = frame::fresh();
    let (token, answer) = service.capture("LICENSE_KEY", &photo).await;
    assert_eq!(answer.told(), refusal(502, TEXT, Some("web_signer_response_invalid")));

    storage.kms.enable_key().key_id(&claim).send().await.unwrap();
    let again = service.reload(&token).await;
    let taken = refusal(409, "Esta captura não pôde ser processada.", Some("web_duplicate"));
    assert_eq!(service.capture_in(&again, &photo).await.told(), taken);
    service.clock.advance(time::Duration::minutes(10));
    let later = service.reload(&token).await;
    assert_eq!(service.capture_in(&later, &photo).await.status, 200);
}

#[tokio::test]
async fn a_profile_whose_certificate_is_of_another_key_signs_nothing() {
    let service = Service::start().await;
    let mut profile = profile(&service).await;
    let storage = Storage::of(&service);
    let other = storage
        .kms
        .create_key()
        .key_spec(aws_sdk_kms::types::KeySpec::EccNistP256)
        .key_usage(aws_sdk_kms::types::KeyUsageType::SignVerify);
    profile.claim.key_arn = other.send().await.unwrap().key_metadata.unwrap().arn.unwrap();
    profile.version += 1;
    put_profile(&service, &profile).await;
    let (_, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    assert_eq!(answer.told(), refusal(502, TEXT, Some("web_signer_rejected")));
}

#[tokio::test]
async fn a_profile_that_cannot_be_read_signs_nothing() {
    let service = Service::start().await;
    let key = [("pk", "signer#SANDBOX".to_owned()), ("sk", "profile".to_owned())];
    Storage::of(&service).damage("ACCOUNTS_TABLE", &key, "claim").await;
    let (_, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    assert_eq!(answer.told(), refusal(502, TEXT, Some("web_signer_rejected")));
}

#[tokio::test]
async fn nothing_is_signed_without_the_credentials_for_result_urls() {
    let service = Service::start().await;
    let config = service.config(|name| name.starts_with("PRESIGNER_").then(String::new));
    let connection = aws::Connection::new(config).unwrap();
    let ingest = Ingest::new(&connection, Arc::clone(&service.clock) as Arc<dyn domain::Clock>);

    let photo = frame::fresh();
    let loaded = service.open("LICENSE_KEY").await;
    assert_eq!(service.upload(&loaded, &photo).await, 200);
    let submission = service.submission(&loaded, &photo).to_string();
    let page = [("origin", PAGE), ("user-agent", SAFARI)];
    let response = ingest.handle(event("ingest", &page, Some(submission), None)).await;
    let told = (response.status().as_u16(), serde_json::from_slice(response.body()).unwrap());
    assert_eq!(told, refusal(502, TEXT, Some("web_ingest_presign_config_failed")));

    // The frame is free.
    assert_eq!(service.capture("LICENSE_KEY", &photo).await.1.status, 200);
}
