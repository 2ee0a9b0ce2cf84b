//! Refusals because of the image. The nonce is used, the session stays open, and the frame is not reserved.

use lacre_api::Refusal;
use lacre_domain::{FrameHash, RecaptureGate, RecaptureRisk};
use lacre_proof_fixtures::DOCUMENT;
use lacre_recapture::{Analysis, Planes};
use lacre_tests::{Fault, Service, frame};
use serde_json::json;
use time::Duration;

use super::{Ready, Row, deployed_with, rows};

rows! { Ingest:
    ImageNotFound => nothing_uploaded,
    AssetTooLarge { bytes: 0, max_asset_bytes: 0 } => image_too_large,
    RawReadFailed => upload_unreadable_for_good,
    RawStoreUnavailable => upload_unreadable_now,
    ImageInvalid => not_an_image_of_the_component,
    LocationNotValidated => location_not_good_enough,
    RecaptureDetected => photo_of_a_screen,
    Duplicate => captured_before_or_just_now,
    HashStoreUnavailable => registry_unavailable,
}

async fn nothing_uploaded(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let other = Ready::under(&service, "LICENSE_KEY").await;
    for key in [other.loaded.text("image_key"), "", "x", "../x"] {
        row.is(key, &service.ingest(&ready.but("image_key", key)).await);
    }
    ready.still_works(&service).await;

    let loaded = service.reload(&other.loaded.token).await;
    row.is("no upload", &service.ingest(&service.submission(&loaded, &other.photo)).await);
    other.works_again(&service).await;
}

async fn image_too_large(row: &Row) {
    let service = Service::start().await;
    // Comments of maximum size, until the limit is exceeded.
    let mut large = frame::fresh();
    while large.len() <= 4_194_304 {
        large = frame::insert_segment(&large, 0xfe, &[b'x'; 65_000]);
    }
    for (cause, image) in [("a photo", large.clone()), ("one byte, and no photo", vec![b'x'; 4_194_305])] {
        let ready = Ready::with(&service, service.open("LICENSE_KEY").await, image).await;
        let refusal = Refusal::AssetTooLarge { bytes: ready.photo.len() as u64, max_asset_bytes: 4_194_304 };
        row.is_with(refusal, cause, &service.ingest(&ready.submission).await);
    }

    let service = deployed_with(&[("MAX_ASSET_BYTES", "1000")]).await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    assert_eq!(ready.loaded.body["max_asset_bytes"], 1000);
    let refusal = Refusal::AssetTooLarge { bytes: ready.photo.len() as u64, max_asset_bytes: 1000 };
    row.is_with(refusal, "a limit of the operator's", &service.ingest(&ready.submission).await);
}

async fn upload_unreadable_for_good(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    faults.always("GetObject uploads", Fault::Refuse);
    row.is("refused", &service.ingest(&ready.submission).await);
    faults.clear();
    ready.works_again(&service).await;
}

async fn upload_unreadable_now(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for fault in [Fault::ServerError, Fault::Throttle, Fault::CutShort] {
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        faults.always("GetObject uploads", fault);
        row.is(&format!("{fault:?}"), &service.ingest(&ready.submission).await);
        faults.clear();
        ready.works_again(&service).await;
    }
}

async fn not_an_image_of_the_component(row: &Row) {
    let service = Service::start().await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    let announced = ready.but("frame_hash", FrameHash::of(b"another frame").hex());
    row.is("another frame than announced", &service.ingest(&announced).await);
    ready.works_again(&service).await;

    let plain = frame::encode(320, 240, |_| {});
    for (cause, bytes) in [
        ("nothing", Vec::new()),
        ("another format", b"GIF89a".to_vec()),
        ("truncated", plain[..plain.len() - 2].to_vec()),
        ("trailing data", [plain.as_slice(), b"x"].concat()),
        ("two images", [plain.as_slice(), &plain].concat()),
        ("a manifest already", frame::insert_segment(&plain, 0xeb, b"JP\0\x01\0\0\0\x01\0\0\0\x08jumb")),
        ("too small", frame::encode(239, 320, |_| {})),
        ("too wide", frame::encode(8193, 240, |_| {})),
        ("no scan", [&plain[..100], &[0xff, 0xd9]].concat()),
        ("XMP", frame::insert_segment(&plain, 0xe1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>")),
        ("a long comment", frame::insert_segment(&plain, 0xfe, &[b'x'; 65])),
        ("a scan that is cut", cut(&plain)),
        ("one of many scans that is cut", cut(&frame::encode(320, 240, |encoder| encoder.set_progressive(true)))),
        ("a document in a comment", frame::insert_segment(&plain, 0xfe, b"%PDF-1.\ntrailer<</Root<</Pages<<>>>>>>")),
        ("a document in a segment", frame::insert_segment(&plain, 0xed, DOCUMENT)),
    ] {
        let ready = Ready::with(&service, service.open("LICENSE_KEY").await, bytes).await;
        row.is(cause, &service.ingest(&ready.submission).await);
    }
}

/// Two thirds of a picture.
fn cut(jpeg: &[u8]) -> Vec<u8> {
    [&jpeg[..jpeg.len() * 2 / 3], &[0xff, 0xd9]].concat()
}

async fn location_not_good_enough(row: &Row) {
    let service = Service::start().await;
    for (cause, latitude, longitude, accuracy) in
        [("none", 0.0, 0.0, 9999.0), ("rough", -23.5, -46.6, 150.1), ("none, with another accuracy", 0.0, 0.0, 9998.0)]
    {
        let mut ready = Ready::under(&service, "LICENSE_KEY_GPS_REQUIRED").await;
        let submission = &mut ready.submission;
        (submission["gps_lat"], submission["gps_lon"]) = (latitude.into(), longitude.into());
        submission["gps_accuracy"] = accuracy.into();
        row.is(cause, &service.ingest(&ready.submission).await);
        ready.works_again(&service).await;
    }
}

fn of_a_screen(_: Planes, _: f64) -> Analysis {
    Analysis { risk: RecaptureRisk::High, scores: [("moire".to_owned(), 0.9)].into() }
}

async fn photo_of_a_screen(row: &Row) {
    let service = Service::start_with(local::Options { analyse: of_a_screen, ..local::Options::for_tests() }).await;
    let ready = Ready::under(&service, "LICENSE_KEY").await;
    row.is("the analysis says so", &service.ingest(&ready.submission).await);
    // Only the gate caused the refusal, and the reservation was released.
    for gate in [RecaptureGate::Record, RecaptureGate::Off] {
        let (key, _) = service.license_like("LICENSE_KEY", |license| license.terms.recapture_gate = gate).await;
        let photo = if gate == RecaptureGate::Record { ready.photo.clone() } else { frame::fresh() };
        let lenient = Ready::with(&service, service.open_with(&key).await, photo).await;
        lenient.still_works(&service).await;
    }
}

async fn captured_before_or_just_now(row: &Row) {
    let service = Service::start().await;
    let first = Ready::under(&service, "LICENSE_KEY").await;
    first.still_works(&service).await;
    let again = Ready::with(&service, service.open("LICENSE_KEY_ALWAYS").await, first.photo.clone()).await;
    row.is("captured before", &service.ingest(&again.submission).await);
    service.clock.advance(Duration::minutes(11));
    row.is("for good", &again.capture_again(&service).await);
    service.clock.advance(Duration::minutes(-11));
    // The session stays open for another frame.
    let loaded = service.reload(&again.loaded.token).await;
    assert_eq!(service.capture_in(&loaded, &frame::fresh()).await.status, 200);

    let (key, license) = service.license_like("LICENSE_KEY", |_| {}).await;
    let ready = Ready::with(&service, service.open_with(&key).await, frame::fresh()).await;
    let frames = lacre_storage::Frames::new(service.connection());
    let hash = FrameHash::of(&ready.photo);
    let rival = lacre_storage::Frames::reservation(license.environment, &license.client_id, &hash, "rival");
    assert!(frames.reserve(&rival, lacre_domain::Clock::now(&*service.clock)).await.unwrap());
    row.is("just being captured", &service.ingest(&ready.submission).await);
    service.clock.advance(Duration::minutes(10));
    ready.works_again(&service).await;
}

async fn registry_unavailable(row: &Row) {
    let (service, faults) = Service::start_behind_faults().await;
    for call in ["PutItem frames", "UpdateItem frames"] {
        let ready = Ready::under(&service, "LICENSE_KEY").await;
        faults.always(call, Fault::Refuse);
        row.is(call, &service.ingest(&ready.submission).await);
        faults.clear();
        ready.works_again(&service).await;
    }
    // A definite refusal does not wait for the frame registry.
    let mut ready = Ready::under(&service, "LICENSE_KEY").await;
    ready.submission["frame_hash"] = json!(FrameHash::of(b"another frame").hex());
    faults.always("PutItem frames", Fault::Refuse);
    assert_eq!(service.ingest(&ready.submission).await.status, 400);
}
