//! `POST /web/ingest`: what it answers, and what it refuses.

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{FrameHash, Nonce};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    Service, frame,
    service::{Loaded, PAGE, SAFARI, refusal},
    verifiers,
};
use time::Duration;

const NONCE: &str = "Sessão de captura inválida — recarregue a sessão";

/// A session whose frame is uploaded, and the submission that would succeed.
async fn ready(service: &Service, license: &str) -> (Loaded, Value) {
    let photo = frame::fresh();
    let loaded = service.open(license).await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    let submission = service.submission(&loaded, &photo);
    (loaded, submission)
}

fn with(submission: &Value, name: &str, value: impl Into<Value>) -> Value {
    let mut changed = submission.clone();
    changed[name] = value.into();
    changed
}

fn without(submission: &Value, name: &str) -> Value {
    let mut changed = submission.clone();
    changed.as_object_mut().unwrap().remove(name);
    changed
}

#[tokio::test]
async fn a_capture_is_delivered_inline_and_by_url() {
    let service = Service::start().await;
    for (license, retained) in [("LICENSE_KEY", false), ("LICENSE_KEY_ALWAYS", true)] {
        let (_, submission) = ready(&service, license).await;
        let answer = service.ingest(&submission).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let body = answer.ok();
        assert_eq!(body.as_object().unwrap().len(), 6, "{license}");
        assert_eq!((&body["photo_order"], &body["complete"]), (&json!(1), &json!(true)));
        assert!(domain::SessionId::parse(body["session_id"].as_str().unwrap()).is_some());
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
async fn checks_before_the_session_come_before_the_session() {
    let service = Service::start().await;
    let (_, submission) = ready(&service, "LICENSE_KEY").await;
    let nobody = with(&submission, "token", domain::SessionToken::from_entropy(aws::entropy()).expose());
    let not_found = refusal(404, "Sessão não encontrada", None);
    assert_eq!(service.ingest(&nobody).await.told(), not_found);
    assert_eq!(service.ingest(&with(&submission, "token", "x")).await.told(), not_found);

    let bad_label = with(&nobody, "label", "<b>");
    assert_eq!(service.ingest(&bad_label).await.told(), refusal(400, "Rótulo inválido", Some("web_label_invalid")));
    let bad_place = with(&bad_label, "gps_lat", 91);
    assert_eq!(service.ingest(&bad_place).await.told(), refusal(400, "Localização inválida.", None));
    let bad_body = with(&bad_place, "gps_lon", "west");
    assert_eq!(service.ingest(&bad_body).await.told(), refusal(400, "Payload inválido", None));
    for field in ["token", "photo_order", "image_key", "frame_hash", "captured_at_ms"] {
        let answer = service.ingest(&without(&submission, field)).await;
        assert_eq!(answer.told(), refusal(400, "Payload inválido", None), "{field}");
    }
    // None of this spent the nonce.
    assert_eq!(service.ingest(&submission).await.status, 200);
}

#[tokio::test]
async fn a_concluded_session_and_an_expired_one_are_told_apart() {
    let service = Service::start().await;
    let (loaded, submission) = ready(&service, "LICENSE_KEY").await;
    assert_eq!(service.ingest(&submission).await.status, 200);
    assert_eq!(service.ingest(&submission).await.told(), refusal(409, "Sessão já utilizada", None));

    let (_, late) = ready(&service, "LICENSE_KEY").await;
    service.clock.advance(Duration::minutes(30));
    assert_eq!(service.ingest(&late).await.told(), refusal(410, "Sessão expirada", None));
    assert_eq!(service.results(&loaded.token).await.ok()["status"], "captured");
}

#[tokio::test]
async fn the_page_that_ingests_is_the_page_that_loaded() {
    let service = Service::start().await;
    let (_, submission) = ready(&service, "LICENSE_KEY").await;
    let post = |origin: &str, agent: &str| {
        let request = service.request(Method::POST, "/web/ingest").header("origin", origin);
        service.send(request.header("user-agent", agent).json(&submission))
    };
    let text = "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
    assert_eq!(post(PAGE, "curl/8.5.0").await.told(), refusal(403, text, None));
    let text = "Origem não autorizada para esta licença — fale com a Lacre para habilitar este domínio.";
    let stranger = post("https://evil.example", SAFARI).await;
    assert_eq!(stranger.told(), refusal(403, text, Some("web_origin_not_allowed")));
    let text = "Sessão carregada de outra origem — recarregue a sessão.";
    let other_page = post("http://localhost:9999", SAFARI).await;
    assert_eq!(other_page.told(), refusal(403, text, Some("web_origin_session_mismatch")));
    assert_eq!(post(PAGE, SAFARI).await.status, 200);
}

#[tokio::test]
async fn a_nonce_is_of_one_session_and_works_once() {
    let service = Service::start().await;
    let (loaded, submission) = ready(&service, "LICENSE_KEY").await;
    let (other, _) = ready(&service, "LICENSE_KEY").await;
    for (nonce, reason) in [
        (Value::Null, "web_nonce_missing"),
        (json!(""), "web_nonce_missing"),
        (json!("abc"), "web_nonce_malformed"),
        (json!(Nonce::from_entropy(aws::entropy()).expose()), "web_nonce_replay"),
        (other.body["nonce"].clone(), "web_nonce_replay"),
    ] {
        let answer = service.ingest(&with(&submission, "nonce", nonce.clone())).await;
        assert_eq!(answer.told(), refusal(403, NONCE, Some(reason)), "{nonce}");
    }
    // Spent by an ingest that fails behind it: the session stays open, a reload gives a new one.
    let announced = with(&submission, "frame_hash", FrameHash::of(b"another frame").hex());
    assert_eq!(service.ingest(&announced).await.told(), refusal(400, "Imagem ausente ou inválida", None));
    assert_eq!(service.ingest(&submission).await.told(), refusal(403, NONCE, Some("web_nonce_replay")));
    let again = service.reload(&loaded.token).await;
    assert_eq!(service.capture_in(&again, &frame::fresh()).await.status, 200);
}

#[tokio::test]
async fn the_device_s_clock_is_checked() {
    let service = Service::start().await;
    let (_, submission) = ready(&service, "LICENSE_KEY").await;
    let text = "Relógio do dispositivo fora de sincronia — verifique data e hora";
    let now = service.clock.millis();
    for wrong in [now - 200_000, now + 200_000, 0] {
        let answer = service.ingest(&with(&submission, "captured_at_ms", wrong)).await;
        assert_eq!(answer.told(), refusal(403, text, None));
    }
    assert_eq!(service.ingest(&with(&submission, "captured_at_ms", now + 100_000)).await.status, 200);
}

#[tokio::test]
async fn the_extra_frames_are_checked() {
    let service = Service::start().await;
    let (_, submission) = ready(&service, "LICENSE_KEY").await;
    let hash = |i: u8| json!(FrameHash::of(&[i]).hex());
    let many: Vec<Value> = (0..9).map(hash).collect();
    for (hashes, reason) in [
        (Value::Null, "web_liveness_insufficient"),
        (json!([hash(0)]), "web_liveness_insufficient"),
        (json!(many), "web_liveness_too_many"),
        (json!([hash(0), "abc"]), "web_liveness_malformed"),
        (json!([hash(0), 1]), "web_liveness_malformed"),
        (json!([hash(0), hash(0)]), "web_liveness_static"),
        (json!([hash(0), submission["frame_hash"]]), "web_liveness_static"),
    ] {
        let answer = service.ingest(&with(&submission, "extra_frame_hashes", hashes.clone())).await;
        assert_eq!(answer.told(), refusal(400, "Quadros adicionais inválidos", Some(reason)), "{hashes}");
    }
}

#[tokio::test]
async fn hash_order_and_place_are_checked() {
    let service = Service::start().await;
    let (_, submission) = ready(&service, "LICENSE_KEY").await;
    let answer = service.ingest(&with(&submission, "frame_hash", "abc")).await;
    assert_eq!(answer.told(), refusal(400, "Payload inválido", None));
    let text = "photo_order não corresponde à foto pendente desta sessão.";
    let answer = service.ingest(&with(&submission, "photo_order", 2)).await;
    assert_eq!(answer.told(), refusal(400, text, Some("web_photo_order_mismatch")));
    let (elsewhere, _) = ready(&service, "LICENSE_KEY").await;
    let answer = service.ingest(&with(&submission, "image_key", elsewhere.text("image_key"))).await;
    assert_eq!(answer.told(), refusal(404, "Imagem não encontrada — refaça o upload", None));
}

#[tokio::test]
async fn an_image_that_was_not_uploaded_can_be_uploaded_still() {
    let service = Service::start().await;
    let photo = frame::fresh();
    let loaded = service.open("LICENSE_KEY").await;
    let answer = service.ingest(&service.submission(&loaded, &photo)).await;
    assert_eq!(answer.told(), refusal(404, "Imagem não encontrada — refaça o upload", None));
    let again = service.reload(&loaded.token).await;
    assert_eq!(service.capture_in(&again, &photo).await.status, 200);
}

#[tokio::test]
async fn only_what_the_component_makes_is_an_image() {
    let service = Service::start().await;
    let plain = frame::encode(320, 240, |_| {});
    let truncated = plain[..plain.len() - 2].to_vec();
    let trailing = [plain.as_slice(), b"x"].concat();
    let two = [plain.as_slice(), plain.as_slice()].concat();
    let signed = frame::insert_segment(&plain, 0xeb, b"JP\0\x01\0\0\0\x01\0\0\0\x08jumb");
    for (what, bytes) in [
        ("text", b"GIF89a".to_vec()),
        ("truncated", truncated),
        ("trailing data", trailing),
        ("two images", two),
        ("a manifest already", signed),
        ("too small", frame::encode(239, 320, |_| {})),
        ("no scan", [&plain[..100], &[0xff, 0xd9]].concat()),
    ] {
        let (_, answer) = service.capture("LICENSE_KEY", &bytes).await;
        assert_eq!(answer.told(), refusal(400, "Imagem ausente ou inválida", None), "{what}");
    }
}

#[tokio::test]
async fn what_cameras_and_encoders_make_is_an_image() {
    let service = Service::start().await;
    let plain = frame::encode(320, 240, |_| {});
    let xmp = [b"http://ns.adobe.com/xap/1.0/\0".as_slice(), b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"].concat();
    let mut filled = plain.clone();
    filled.splice(2..2, [0xff, 0xff, 0xff]);
    for (what, bytes) in [
        ("EXIF", frame::insert_segment(&plain, 0xe1, b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0")),
        ("XMP", frame::insert_segment(&plain, 0xe1, &xmp)),
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
async fn an_image_over_the_limit_is_measured() {
    let service = Service::start().await;
    let small = frame::fresh();
    // Comments of the largest size, until the limit is crossed.
    let mut large = small;
    while large.len() <= 4_194_304 {
        large = frame::insert_segment(&large, 0xfe, &[b'x'; 65_000]);
    }
    let (_, answer) = service.capture("LICENSE_KEY", &large).await;
    assert_eq!(
        answer.told(),
        (
            413,
            json!({
                "error": "Imagem acima do tamanho máximo aceito (4194304 bytes).",
                "block_reason": "web_asset_too_large", "bytes": large.len(), "max_asset_bytes": 4_194_304,
            })
        )
    );
}

#[tokio::test]
async fn a_frame_is_captured_once() {
    let service = Service::start().await;
    let photo = frame::fresh();
    assert_eq!(service.capture("LICENSE_KEY", &photo).await.1.status, 200);
    let (token, again) = service.capture("LICENSE_KEY_ALWAYS", &photo).await;
    let text = "Esta captura não pôde ser processada.";
    assert_eq!(again.told(), refusal(409, text, Some("web_duplicate")));
    // The session stays open for another frame, and the duplicate stays one for good.
    service.clock.advance(Duration::minutes(11));
    let loaded = service.reload(&token).await;
    assert_eq!(service.capture_in(&loaded, &photo).await.told(), refusal(409, text, Some("web_duplicate")));
    let loaded = service.reload(&token).await;
    assert_eq!(service.capture_in(&loaded, &frame::fresh()).await.status, 200);
}

#[tokio::test]
async fn a_frame_whose_location_was_refused_is_free_again() {
    let service = Service::start().await;
    let photo = frame::fresh();
    let loaded = service.open("LICENSE_KEY_GPS_REQUIRED").await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    let mut nowhere = service.submission(&loaded, &photo);
    (nowhere["gps_lat"], nowhere["gps_lon"], nowhere["gps_accuracy"]) = (json!(0), json!(0), json!(9999));
    let text = "Não foi possível validar a localização da captura.";
    assert_eq!(service.ingest(&nowhere).await.told(), refusal(422, text, None));

    let again = service.reload(&loaded.token).await;
    assert_eq!(service.capture_in(&again, &photo).await.status, 200);
}

#[tokio::test]
async fn the_upload_that_was_ingested_is_removed() {
    let service = Service::start().await;
    let (loaded, submission) = ready(&service, "LICENSE_KEY").await;
    assert_eq!(service.ingest(&submission).await.status, 200);
    let uploads = aws::Uploads::new(service.connection());
    let key = loaded.text("image_key");
    // The removal is not waited for by the answer.
    for _ in 0..1000 {
        match uploads.read(key).await {
            Err(aws::ReadObjectError::NotFound) => return,
            _ => tokio::task::yield_now().await,
        }
    }
    panic!("the upload is still there");
}
