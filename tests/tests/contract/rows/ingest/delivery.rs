//! Refusals after the checks: the capture cannot be signed, delivered, stored or recorded.

use std::collections::BTreeMap;

use lacre_domain::{Environment, SignerProfile};
use lacre_http::{json, respond};
use lacre_storage::SignerState;
use lacre_tests::{Answer, Authority, Behavior, Fault, Service, Storage, frame, service::refusal};
use time::Duration;

use super::{Ready, Row, deployed_with, rows};

rows! { Ingest:
    IngestPresignConfigFailed => no_credentials_for_urls,
    IngestPresignFailed => credentials_for_urls_unavailable,
    SignerRejected => nothing_was_signed,
    SignerUnavailable => signer_silent,
    SignerResponseInvalid => signer_answers_nonsense,
    SignedPayloadTooLarge => answer_too_large,
    ResponseSerializationFailed => answer_that_is_no_json,
    ProofStoreUnavailable => proof_not_stored,
    LedgerWriteFailed => evidence_not_written,
}

async fn profile(service: &Service) -> SignerProfile {
    let profiles = lacre_storage::SignerProfiles::new(service.connection()).in_force().await.unwrap();
    profiles.into_iter().find(|profile| profile.environment == Environment::Sandbox).unwrap()
}

async fn no_credentials_for_urls(row: &Row) {
    let neither = [("PRESIGNER_ACCESS_KEY_ID", ""), ("PRESIGNER_SECRET_ACCESS_KEY", "")];
    for (cause, lacking) in [("half a key", &neither[..1]), ("no key", &neither[..])] {
        let service = deployed_with(lacking).await;
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        row.is(cause, &service.ingest(&ready.submission).await);
        // The frame is not a duplicate, because nothing was signed.
        row.is("again", &ready.capture_again(&service).await);
    }
}

async fn credentials_for_urls_unavailable(row: &Row) {
    let service = deployed_with(&[
        ("PRESIGNER_ACCESS_KEY_ID", ""),
        ("PRESIGNER_SECRET_ARN", "arn:aws:secretsmanager:sa-east-1:000000000000:secret:presigner"),
        // A port without a listener.
        ("AWS_ENDPOINT_URL_SECRETS_MANAGER", "http://127.0.0.1:1"),
    ])
    .await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    row.is("no answer from Secrets Manager", &service.ingest(&ready.submission).await);
    row.is("again", &ready.capture_again(&service).await);
}

async fn nothing_was_signed(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    faults.always("Sign seal", Fault::Refuse);
    row.is("the first signature is refused", &service.ingest(&ready.submission).await);
    faults.clear();
    ready.works_again(&service).await;

    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let storage = Storage::of(&service);
    let sound = profile(&service).await;
    storage.kms.disable_key().key_id(&sound.seal.key_arn).send().await.unwrap();
    row.is("the key is disabled", &service.ingest(&ready.submission).await);
    storage.kms.enable_key().key_id(&sound.seal.key_arn).send().await.unwrap();
    ready.works_again(&service).await;

    let profiles = lacre_storage::SignerProfiles::new(service.connection());
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let before = profiles.state(sound.environment).await.unwrap();
    let mut swapped = sound.clone();
    (swapped.seal.key_arn, swapped.claim.key_arn) = (sound.claim.key_arn.clone(), sound.seal.key_arn.clone());
    swapped.version += 1;
    assert!(profiles.put_in_force(&before, &swapped, &lacre_tests::operator::entry()).await.unwrap());
    row.is("the certificates are of other keys", &service.ingest(&ready.submission).await);
    let item = [("pk", "signer#SANDBOX".to_owned()), ("sk", "profile".to_owned())];
    storage.damage("ACCOUNTS_TABLE", &item, "claim").await;
    row.is("the profile cannot be read", &ready.capture_again(&service).await);
    storage.delete("ACCOUNTS_TABLE", &item).await;
    row.is("no profile", &ready.capture_again(&service).await);
    let fixed = SignerProfile { version: swapped.version + 1, ..sound };
    assert!(profiles.put_in_force(&SignerState::default(), &fixed, &lacre_tests::operator::entry()).await.unwrap());
    ready.works_again(&service).await;
}

/// Checks that a frame that may have been signed stays reserved for ten minutes.
async fn held_for_ten_minutes(service: &Service, ready: &Ready) {
    let taken = refusal(409, "Esta captura não pôde ser processada.", Some("web_duplicate"));
    assert_eq!(ready.capture_again(service).await.outcome(), taken);
    service.clock.advance(Duration::minutes(10));
    ready.works_again(service).await;
    // AWS has its own clock, from which the service's must not differ too much.
    service.clock.advance(Duration::minutes(-10));
}

async fn signer_silent(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for (call, fault) in [
        ("Sign seal", Fault::ServerError),
        ("Sign seal", Fault::Throttle),
        ("Sign claim", Fault::ServerError),
        ("Sign claim", Fault::Cut),
    ] {
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        faults.always(call, fault);
        row.is(&format!("{call}: {fault:?}"), &service.ingest(&ready.submission).await);
        faults.clear();
        held_for_ten_minutes(&service, &ready).await;
    }
    let (key, _) = service.license_like("LICENSE_KEY", |license| license.terms.tsa_required = true).await;
    let ready = Ready::with(&service, service.open_with(&key).await, frame::fresh()).await;
    let mut authorities = None;
    service.change_timestamps(Environment::Sandbox, |timestamps| authorities = timestamps.take()).await;
    row.is("a timestamp is required, and no authority is configured", &service.ingest(&ready.submission).await);
    service.change_timestamps(Environment::Sandbox, |timestamps| *timestamps = authorities).await;
    ready.works_again(&service).await;
}

async fn signer_answers_nonsense(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for (call, fault) in [
        ("Sign seal", Fault::WrongSignature),
        ("Sign seal", Fault::Garble),
        ("Sign claim", Fault::WrongSignature),
        ("Sign claim", Fault::Garble),
        ("Sign claim", Fault::Refuse),
    ] {
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        faults.always(call, fault);
        row.is(&format!("{call}: {fault:?}"), &service.ingest(&ready.submission).await);
        faults.clear();
        held_for_ten_minutes(&service, &ready).await;
    }
    // Without its timestamp, the frame is signed again under the other policy.
    let authority = Authority::before(&service).await;
    service.ask(&[&authority]).await;
    authority.set_behavior(Behavior::ServiceUnavailable);
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    faults.strike("Sign seal", 2, 1, Fault::Refuse);
    row.is("the second signature of the seal is refused", &service.ingest(&ready.submission).await);
    assert_eq!(faults.clear(), 1);
    held_for_ten_minutes(&service, &ready).await;
}

async fn answer_too_large(row: &Row) {
    let service = deployed_with(&[("MAX_ASSET_BYTES", "8000000")]).await;
    let large = frame::with_comment(&frame::large(1200));
    assert!((4_800_000..5_000_000).contains(&large.len()), "{}", large.len());
    let ready = Ready::with(&service, service.open("LICENSE_KEY_ALWAYS").await, large).await;
    row.is("a photo that is too large in base64", &service.ingest(&ready.submission).await);
    row.is("again, for nothing is kept", &ready.capture_again(&service).await);
    assert_eq!(Storage::of(&service).keys("PROOFS_BUCKET").await, Vec::<String>::new());
}

/// No route can produce this error, because responses consist of strings and numbers. It is tested at the common
/// serialization, with map keys that JSON does not support.
async fn answer_that_is_no_json(row: &Row) {
    let response = respond("Lacre", async { json(&BTreeMap::from([(vec![1], 1)])) }).await;
    let text = |value: &lambda_http::http::HeaderValue| value.to_str().unwrap().to_owned();
    let answer = Answer {
        status: response.status().as_u16(),
        headers: response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        body: serde_json::from_slice(response.body()).unwrap(),
    };
    row.is_without_origin("keys that are not text", &answer);
}

async fn proof_not_stored(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for call in ["PutObject proofs", "PutObject proofs jpg", "PutObject proofs c2pa"] {
        let ready = Ready::under(&service, "LICENSE_KEY_ALWAYS").await;
        faults.always(call, Fault::Refuse);
        row.is(call, &service.ingest(&ready.submission).await);
        faults.clear();
        ready.works_again(&service).await;
    }
}

async fn evidence_not_written(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for fault in [Fault::Refuse, Fault::ServerError] {
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        faults.always("TransactWriteItems", fault);
        row.is(&format!("{fault:?}"), &service.ingest(&ready.submission).await);
        faults.clear();
        // The photo was signed but not recorded, so it is not delivered. The frame stays registered; the session
        // accepts another.
        let taken = refusal(409, "Esta captura não pôde ser processada.", Some("web_duplicate"));
        service.clock.advance(Duration::minutes(10));
        assert_eq!(ready.capture_again(&service).await.outcome(), taken);
        service.clock.advance(Duration::minutes(-10));
        let loaded = service.reload(&ready.loaded.token).await;
        assert_eq!(service.capture_in(&loaded, &frame::fresh()).await.status, 200);
    }
}
