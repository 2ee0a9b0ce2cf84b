//! `POST /web/ingest`: successful captures. Refusals are tested in `tests/tests/contract`.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_domain::FrameHash;
use lacre_tests::{
    Service, frame,
    service::{Loaded, PAGE, SAFARI},
    verifiers,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// A session with an uploaded frame, and the submission that would succeed.
async fn ready(service: &Service, license: &str) -> (Loaded, Value) {
    let photo = frame::fresh();
    let loaded = service.open(license).await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    let submission = service.submission(&loaded, &photo);
    (loaded, submission)
}

#[tokio::test]
async fn delivers_captures_inline_and_by_url() {
    let service = Service::start().await;
    for (license, retained) in [("LICENSE_KEY", false), ("LICENSE_KEY_ALWAYS", true)] {
        let (_, submission) = ready(&service, license).await;
        let answer = service.ingest(&submission).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let body = answer.ok();
        assert_eq!(body.as_object().unwrap().len(), 6, "{license}");
        assert_eq!((&body["photo_order"], &body["complete"]), (&json!(1), &json!(true)));
        assert!(lacre_domain::SessionId::parse(body["session_id"].as_str().unwrap()).is_some());
        let inline = STANDARD.decode(body["signed_image_base64"].as_str().unwrap()).unwrap();
        let contents = verifiers::ours(&inline, service.trust_anchors()).1.unwrap();
        let manifest = service.fetch(body["manifest_url"].as_str().unwrap()).await;
        assert_eq!(manifest, (200, contents.manifest));
        match body["authenticated_jpeg_url"].as_str() {
            Some(url) if retained => assert_eq!(service.fetch(url).await, (200, inline)),
            None if !retained => {}
            url => panic!("{license}: {url:?}"),
        }
    }
}

#[tokio::test]
async fn returns_the_manifest_if_asked() {
    let service = Service::start().await;
    for (header, has_manifest) in [("manifest", true), ("Manifest", false), ("", false)] {
        let (_, submission) = ready(&service, "LICENSE_KEY_ALWAYS").await;
        let request = service.request(Method::POST, "/web/ingest").header("x-svc-photo", header).json(&submission);
        let body = service.send_from_page(request).await.ok();
        let signed = service.fetch(body["authenticated_jpeg_url"].as_str().unwrap()).await.1;
        if !has_manifest {
            assert_eq!(body["signed_image_base64"], STANDARD.encode(&signed), "{header}");
            assert_eq!(body.as_object().unwrap().len(), 6, "{header}");
            continue;
        }
        assert_eq!(body.as_object().unwrap().len(), 7);
        assert_eq!(body["authenticated_jpeg_sha256"], FrameHash::of(&signed).hex());
        let manifest = service.fetch(body["manifest_url"].as_str().unwrap()).await.1;
        assert_eq!(body["manifest_base64"], STANDARD.encode(manifest));
    }
}

#[tokio::test]
async fn a_manifest_is_compressed_if_accepted() {
    let service = Service::start().await;
    for (returned, accepted, is_compressed) in
        [("manifest", "gzip, br", true), ("manifest", "identity", false), ("", "gzip, br", false)]
    {
        let (_, submission) = ready(&service, "LICENSE_KEY").await;
        let request = service.request(Method::POST, "/web/ingest").header("x-svc-photo", returned);
        let request = request.header("accept-encoding", accepted).header("origin", PAGE).header("user-agent", SAFARI);
        let response = request.json(&submission).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers().contains_key("content-encoding"), is_compressed, "{returned} {accepted}");
        let bytes = response.bytes().await.unwrap();
        assert_eq!(bytes.starts_with(&[0x1f, 0x8b]), is_compressed, "{returned} {accepted}");
    }
}

#[tokio::test]
async fn accepts_jpegs_of_cameras_and_encoders() {
    let service = Service::start().await;
    let plain = frame::encode(320, 240, |_| {});
    let mut filled = plain.clone();
    filled.splice(2..2, [0xff, 0xff, 0xff]);
    for (what, bytes) in [
        ("EXIF", frame::insert_segment(&plain, 0xe1, b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0")),
        ("progressive", frame::encode(320, 240, |encoder| encoder.set_progressive(true))),
        ("restart markers", frame::encode(320, 240, |encoder| encoder.set_restart_interval(5))),
        ("fill bytes", filled),
    ] {
        let bytes = frame::with_comment(&bytes);
        let (_, answer) = service.capture("LICENSE_KEY", &bytes).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.body);
        let jpeg = STANDARD.decode(answer.body["signed_image_base64"].as_str().unwrap()).unwrap();
        let (report, contents) = verifiers::ours(&jpeg, service.trust_anchors());
        assert!(report.valid && contents.unwrap().frame == bytes, "{what}: {:?}", report.checks);
    }
}

#[tokio::test]
async fn a_differing_user_agent_is_recorded() {
    let service = Service::start().await;
    let chrome = format!(
        "Mozilla/5.0 (Linux; Android 10; {}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
        "K".repeat(512)
    );
    let invisible = SAFARI.replace("iPhone", "iPhone\0\r\n\u{202e}");
    let long = format!("{}\t{}", &chrome[..512], "x".repeat(1000));
    for (case, header, claimed, recorded) in [
        ("equal", SAFARI, json!(SAFARI), None),
        ("another", SAFARI, json!("Mozilla/5.0 (Macintosh)"), Some(SAFARI)),
        ("absent", SAFARI, Value::Null, None),
        ("nothing visible", SAFARI, json!("\0"), None),
        ("invisible characters", SAFARI, json!(invisible), None),
        ("another after 512 bytes", chrome.as_str(), json!(long), None),
        ("another, and the header is cut", chrome.as_str(), json!(SAFARI), Some(&chrome[..512])),
    ] {
        let (_, mut submission) = ready(&service, "LICENSE_KEY").await;
        submission["user_agent"] = claimed;
        let request = service.request(Method::POST, "/web/ingest").header("origin", PAGE).header("user-agent", header);
        let body = service.send(request.json(&submission)).await.ok();
        assert_eq!(body.as_object().unwrap().len(), 6, "{case}");
        let evidence = service.evidence().capture(body["session_id"].as_str().unwrap()).await.unwrap();
        let found = evidence.fields().get("header_user_agent").map(|agent| agent.as_str().unwrap());
        assert_eq!(found, recorded, "{case}");
        let manifest = service.fetch(body["manifest_url"].as_str().unwrap()).await.1;
        let stated = |text: &str| memchr::memmem::find(&manifest, text.as_bytes()).is_some();
        assert!(recorded.is_none_or(|header| !stated(header)), "{case}: the manifest states the header");
    }
}

#[tokio::test]
async fn removes_the_ingested_upload() {
    let service = Service::start().await;
    let (loaded, submission) = ready(&service, "LICENSE_KEY").await;
    assert_eq!(service.ingest(&submission).await.status, 200);
    let uploads = lacre_storage::Uploads::new(service.connection());
    let key = loaded.text("image_key");
    // The response does not wait for the removal.
    for _ in 0..1000 {
        match uploads.read(key).await {
            Err(lacre_storage::ReadObjectError::NotFound) => return,
            _ => tokio::task::yield_now().await,
        }
    }
    panic!("the upload is still there");
}
