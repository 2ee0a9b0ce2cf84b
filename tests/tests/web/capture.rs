//! Tests a complete capture, from a session to a JPEG that anyone can verify offline.

use base64::{Engine, engine::general_purpose::STANDARD};
use c2pa::ValidationState;
use lacre_domain::{Environment, ExpectedPhoto, FrameHash, NamedTerms, ReferenceId, Session, SessionToken};
use lacre_pki::{ClaimPki, SealPki};
use lacre_tests::{Service, customer::Customer, frame, verifiers};
use reqwest::StatusCode;
use serde_json::json;
use time::OffsetDateTime;

#[tokio::test]
async fn a_capture_verifies_with_every_verifier() {
    let service = Service::start().await;
    for license in ["LICENSE_KEY", "LICENSE_KEY_ALWAYS"] {
        let photo = frame::with_comment(&frame::encode(1920, 1080, |_| {}));
        let loaded = service.open(license).await;
        assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
        let mut submission = service.submission(&loaded, &photo);
        submission["label"] = "Frente do veículo".into();
        submission["user_agent"] = lacre_tests::service::SAFARI.into();
        submission["heading"] = 90.5.into();
        submission["media_stream_settings"] = json!({ "width": 1920, "height": 1080, "frameRate": 30 });
        let body = service.ingest(&submission).await.ok();
        let jpeg = STANDARD.decode(body["signed_image_base64"].as_str().unwrap()).unwrap();
        let (status, manifest) = service.fetch(body["manifest_url"].as_str().unwrap()).await;
        assert_eq!(status, 200);

        let (report, contents) = verifiers::ours(&jpeg, service.trust_anchors());
        assert!(report.valid, "{license}: {:?}", report.checks);
        assert_eq!(report.environment, Some(Environment::Sandbox));
        assert_eq!(report.frame_hash, Some(FrameHash::of(&photo)));
        let browser = json!(report.browser);
        for (stated, sent) in [("photo_label", "label"), ("user_agent", "user_agent"), ("heading", "heading")] {
            assert_eq!(browser[stated], submission[sent], "{license}: {sent}");
        }
        let settings = json!({ "width": 1920.0, "height": 1080.0, "frame_rate": 30.0 });
        assert_eq!(browser["media_stream_settings"], settings, "{license}");
        let contents = contents.unwrap();
        assert!(contents.frame == photo, "the frame comes back byte for byte");
        assert!(contents.manifest == manifest, "the sidecar is the embedded manifest");

        let states = verifiers::c2pa_reader(&jpeg, &manifest, service.trust_anchors());
        assert_eq!(states, [ValidationState::Trusted, ValidationState::Trusted], "{license}");

        let directory = tempfile::tempdir().unwrap();
        let (file, anchors) = (directory.path().join("photo.jpg"), directory.path().join("anchors.pem"));
        std::fs::write(&file, &jpeg).unwrap();
        std::fs::write(&anchors, service.trust_anchors()).unwrap();
        let said = verifiers::independent(&file, &anchors);
        for verdict in [
            "openssl: CAdES signature over frame.jpg holds",
            "c2pa-python: the embedded manifest is Trusted",
            "c2pa-python: the sidecar is Trusted",
        ] {
            assert!(said.contains(verdict), "{said}");
        }
    }
}

#[tokio::test]
async fn a_photo_states_its_environment() {
    let service = Service::start().await;
    for environment in Environment::ALL {
        let customer = Customer::new(&service, environment, NamedTerms::default()).await;
        let body = customer.capture(&frame::fresh()).await.ok();
        let jpeg = STANDARD.decode(body["signed_image_base64"].as_str().unwrap()).unwrap();
        let (report, _) = verifiers::ours(&jpeg, service.trust_anchors());
        assert!(report.valid, "{environment:?}: {:?}", report.checks);
        assert_eq!(report.environment, Some(environment));
    }
}

#[tokio::test]
async fn rejects_retouched_photos_and_untrusted_signers() {
    let service = Service::start().await;
    let (_, answer) = service.capture("LICENSE_KEY", &frame::fresh()).await;
    let jpeg = STANDARD.decode(answer.ok()["signed_image_base64"].as_str().unwrap()).unwrap();
    assert!(verifiers::ours(&jpeg, service.trust_anchors()).0.valid);

    let mut retouched = jpeg.clone();
    let middle = retouched.len() - 500;
    retouched[middle] ^= 1;
    assert!(!verifiers::ours(&retouched, service.trust_anchors()).0.valid);

    // CAs with the same names that signed nothing here.
    let now = OffsetDateTime::now_utc();
    let strangers = [ClaimPki::generate(now).unwrap().anchors_pem(), SealPki::generate(now).unwrap().anchors_pem()];
    let strangers = strangers.map(Result::unwrap).concat();
    assert!(!verifiers::ours(&jpeg, &strangers).0.valid);
}

/// API sessions have one photo, but the routes support any number.
#[tokio::test]
async fn a_session_is_partial_between_photos() {
    let service = Service::start().await;
    let (_, license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let token = SessionToken::from_entropy(lacre_storage::entropy());
    let reference = ReferenceId::parse("three").unwrap();
    let now = OffsetDateTime::now_utc();
    let session =
        Session::new(license.client_id, license.id, license.environment, reference, ExpectedPhoto::plain(3), now);
    lacre_storage::Sessions::new(service.connection()).create(&token, &session).await.unwrap();

    let mut session_ids = std::collections::BTreeSet::new();
    for (order, status) in [(1, "pending"), (2, "partial"), (3, "partial")] {
        let loaded = service.reload(&token.expose()).await;
        assert_eq!(
            (&loaded.body["photo_order"], &loaded.body["status"], &loaded.body["captured_count"]),
            (&json!(order), &json!(status), &json!(order - 1))
        );
        let body = service.capture_in(&loaded, &frame::fresh()).await.ok();
        assert_eq!((&body["photo_order"], &body["complete"]), (&json!(order), &json!(order == 3)));
        session_ids.insert(body["session_id"].as_str().unwrap().to_owned());
    }
    assert_eq!(session_ids.len(), 3);
    let results = service.results(&token.expose()).await.ok();
    assert_eq!((&results["status"], &results["captured_count"]), (&json!("captured"), &json!(3)));
    assert_eq!(service.load(&token.expose()).await.status, 410);
}
